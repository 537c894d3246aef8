import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlayCLI

@Suite struct MediaFolderTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// Creates files, and the folders that contain them.
    private func create(_ names: String...) throws {
        for name in names {
            let url = URL(fileURLWithPath: "\(folder.path)/\(name)")
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("x".utf8).write(to: url)
        }
    }

    /// Returns the names that a scan finds, relative to the folder.
    private func foundNames(limit: Int = 100) throws -> [String]? {
        let path = try #require(FilePath(folder.path + "/"))
        return MediaFolder.files(in: path, limit: limit)?.map {
            String(decoding: $0.bytes.dropFirst(path.bytes.count), as: UTF8.self)
        }
    }

    @Test func mediaFilesAreFoundInNaturalOrder() throws {
        try create(
            "film 10.mkv", "film 2.MP4", "note.txt", ".hidden.mp4", "cover.jpg", "g/1.mp3", "a/x.ogg", "mp4", ".mp4")
        #expect(try foundNames() == ["a/x.ogg", "film 2.MP4", "film 10.mkv", "g/1.mp3"])
        #expect(try foundNames(limit: 2) == ["a/x.ogg", "film 2.MP4"])
    }

    @Test func aDownloadedStreamIsOneFile() throws {
        try create("a.mp4", "film/master.m3u8", "film/video-0.ts", "other/incomplete.m3u8", "plain/video.m3u8")
        #expect(try foundNames() == ["a.mp4", "film", "other"])
    }

    @Test func picturesAreFoundWhereThereIsNothingElse() throws {
        try create("b.png", "a.jpg", "x.nfo")
        #expect(try foundNames() == ["a.jpg", "b.png"])
    }

    @Test func symbolicLinksAndDepthAreBounded() throws {
        try create("a/film.mp4", (0..<40).map { _ in "deep" }.joined(separator: "/") + "/b.mp4")
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/a/again", withDestinationPath: "..")
        #expect(try foundNames() == ["a/film.mp4"])
        #expect(MediaFolder.files(in: "/missing/folder", limit: 1) == nil)
    }
}
