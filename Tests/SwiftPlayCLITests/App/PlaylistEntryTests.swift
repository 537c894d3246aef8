import Foundation
import Testing

@testable import SwiftPlayCLI

@Suite struct PlaylistEntryTests {
    @Test func theDescriptionNamesThePlaceInThePlaylist() {
        var entry = Playlist.Entry(location: "file:///films/lat%E4.mp4")
        #expect(entry.description == "/films/lat\u{FFFD}.mp4")
        entry.origin = Playlist.Origin(location: "/films/list.m3u", line: 3, enclosingPlaylists: [])
        #expect(entry.description == "/films/lat\u{FFFD}.mp4 (line 3 of /films/list.m3u)")
        // An entry of a folder has no line.
        entry.origin?.line = nil
        #expect(entry.description == "/films/lat\u{FFFD}.mp4")
    }

    @Test func filesFoldersAndAddressesCanBeRead() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "entry-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "a.mp4")
        try Data().write(to: file)
        for location in [folder.path, file.path, "http://localhost/a.mp4"] {
            #expect(Playlist.Entry(location: location).canBeRead, "\(location)")
        }
        for location in [folder.path + "/none", "/dev/zero"] {
            #expect(!Playlist.Entry(location: location).canBeRead, "\(location)")
        }
    }
}
