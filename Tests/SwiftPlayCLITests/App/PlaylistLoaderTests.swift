import Foundation
import MediaPipeline
import TestSupport
import Testing

@testable import SwiftPlayCLI

@Suite struct PlaylistLoaderTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// Loads an entry and returns the result.
    private func load(_ entry: Playlist.Entry) async throws -> PlaylistLoader.Result {
        var loader: PlaylistLoader?
        let result = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<PlaylistLoader.Result, any Error>) in
            do {
                loader = try PlaylistLoader(entry, policy: OpenPolicy()) { continuation.resume(returning: $0) }
            } catch { continuation.resume(throwing: error) }
        }
        loader?.cancel()
        return result
    }

    /// Writes a file and returns its path.
    private func write(_ name: String, _ text: String) throws -> String {
        let path = "\(folder.path)/\(name)"
        try Data(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test func aDownloadedStreamIsPlayedLikeAFile() async throws {
        _ = try write("video-0.ts", "x")
        _ = try write("master.m3u8", "#EXTM3U\n")
        #expect(try await load(Playlist.Entry(location: folder.path)) == .notPlaylist)
    }

    @Test func entriesNameTheirPlaylistAndLine() async throws {
        let path = try write("list.m3u", "#EXTM3U\n#EXTINF:1,One\na.mp4\n")
        guard case .entries(let entries, let warnings) = try await load(Playlist.Entry(location: path)) else {
            Issue.record("the playlist was not loaded")
            return
        }
        #expect(entries.map(\.location) == [folder.path + "/a.mp4"] && entries.map(\.title) == ["One"])
        #expect(entries.first?.description == "\(folder.path)/a.mp4 (line 3 of \(path))" && warnings.isEmpty)
    }

    @Test func aPlaylistThatContainsItselfIsRefused() async throws {
        let path = try write("list.m3u", "list.m3u\n./list.m3u\n")
        guard case .entries(let entries, _) = try await load(Playlist.Entry(location: path)) else {
            Issue.record("the playlist was not loaded")
            return
        }
        for entry in entries { #expect(try await load(entry) == .failure("the playlist contains itself")) }
        var deepEntry = Playlist.Entry(location: path)
        deepEntry.origin = Playlist.Origin(
            location: "x", line: 1, enclosingPlaylists: (0..<PlaylistLoader.depthLimit).map { "list\($0).m3u" })
        #expect(try await load(deepEntry) == .failure("playlists are nested more than 8 deep"))
    }

    @Test func onlyPlaylistsAndFoldersAreLoaded() async throws {
        let text = try write("note.txt", "text"), empty = try write("empty.m3u", "#EXTM3U\n")
        #expect(try await load(Playlist.Entry(location: text)) == .notPlaylist)
        #expect(try await load(Playlist.Entry(location: empty)) == .failure("the playlist is empty"))
        #expect(try await load(Playlist.Entry(location: folder.path)) == .failure("the folder contains no media files"))
        let stream = try write("stream.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n")
        #expect(try await load(Playlist.Entry(location: stream)) == .notPlaylist)
        let statedPlaylist = Playlist.Entry(location: stream, isPlaylist: true)
        #expect(try await load(statedPlaylist) == .entries([Playlist.Entry(location: stream)], warnings: []))
    }

    @Test func plainLinesAreReadWhereTheUserNamesAPlaylist() async throws {
        let path = try write("list.txt", "a.mp4\n")
        guard case .entries(let entries, _) = try await load(Playlist.Entry(location: path, isPlaylist: true)) else {
            Issue.record("the playlist was not loaded")
            return
        }
        #expect(entries.map(\.location) == [folder.path + "/a.mp4"])
    }

    @Test func aLatin1NameFindsAFileWithAUTF8Name() async throws {
        _ = try write("latö.mp4", "x")
        let path = try write("list.m3u", "lat\u{F6}.mp4\nmissing\u{F6}.mp4\n")
        guard case .entries(let entries, _) = try await load(Playlist.Entry(location: path)) else {
            Issue.record("the playlist was not loaded")
            return
        }
        #expect(entries.first?.location == folder.path + "/latö.mp4")
        #expect(entries.last?.location.hasSuffix("/missing%F6.mp4") == true)
    }

    @Test func aFolderYieldsItsFiles() async throws {
        _ = try write("b.mp4", "x")
        _ = try write("a.mp4", "x")
        guard case .entries(let entries, _) = try await load(Playlist.Entry(location: folder.path)) else {
            Issue.record("the folder was not loaded")
            return
        }
        #expect(entries.map(\.location) == [folder.path + "/a.mp4", folder.path + "/b.mp4"])
        #expect(entries.first?.description == folder.path + "/a.mp4")
    }
}
