import Foundation
import Testing

@testable import Podcasts

@Suite final class MediaFolderTests {
    private let parent = NSTemporaryDirectory() + "podcasts-\(UUID().uuidString)"

    deinit { try? FileManager.default.removeItem(atPath: parent) }

    @Test func aFileIsMovedIntoTheFolder() throws {
        let folder = try MediaFolder(in: parent)
        let location = URL(filePath: parent + "/staged")
        try Data("content".utf8).write(to: location)
        try folder.take(location, as: "a.mp3")
        #expect(try folder.names == ["a.mp3"] && !FileManager.default.fileExists(atPath: location.path))
        folder.remove("a.mp3")
        #expect(try folder.names.isEmpty)
    }

    @Test func aFileOfAnotherFileSystemIsCopied() throws {
        let folder = try MediaFolder(in: parent)
        let location = URL(filePath: "/dev/shm/podcasts-\(UUID().uuidString)")
        try Data("content".utf8).write(to: location)
        defer { try? FileManager.default.removeItem(at: location) }
        try folder.take(location, as: "a.mp3")
        #expect(try folder.names == ["a.mp3"])
        #expect(FileManager.default.contents(atPath: folder.path(of: "a.mp3")) == Data("content".utf8))
    }

    @Test func aMissingFileIsReported() throws {
        let folder = try MediaFolder(in: parent)
        #expect(throws: PodcastsError.self) { try folder.take(URL(filePath: parent + "/none"), as: "a.mp3") }
    }
}
