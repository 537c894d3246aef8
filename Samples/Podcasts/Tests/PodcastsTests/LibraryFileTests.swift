import Foundation
import Testing

@testable import Podcasts

@Suite final class LibraryFileTests {
    private let folder = NSTemporaryDirectory() + "podcasts-\(UUID().uuidString)"

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private var path: String { folder + "/library.json" }

    @Test func aChangeIsStored() throws {
        let file = try LibraryFile(folder: folder)
        let library = try FeedSamples.library(FeedSamples.item("a", day: 3))
        try file.change { $0 = library }
        #expect(try LibraryFile(folder: folder).read() == library)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["library.json", "library.lock"])
    }

    @Test func aFailedChangeStoresNothing() throws {
        let file = try LibraryFile(folder: folder)
        let before = try file.change { $0 }
        #expect(throws: PodcastsError("x")) {
            try file.change { library in
                try library.subscribe(to: FeedSamples.address)
                throw PodcastsError("x")
            }
        }
        #expect(try file.read() == before)
    }

    @Test("a damaged library is refused, and never replaced", arguments: ["", "{", "[]", "{\"version\": 1}"])
    func aDamagedLibraryIsKept(_ text: String) throws {
        let file = try LibraryFile(folder: folder)
        try Data(text.utf8).write(to: URL(filePath: path))
        #expect(throws: PodcastsError("\(path) is damaged; move it away to begin with an empty library")) {
            try file.change { _ in }
        }
        #expect(FileManager.default.contents(atPath: path) == Data(text.utf8))
    }

    @Test func aLibraryOfANewerVersionIsRefused() throws {
        let file = try LibraryFile(folder: folder)
        try file.change { _ in }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try Data(text.replacing("\"version\" : 1", with: "\"version\" : 2").utf8).write(to: URL(filePath: path))
        #expect(throws: PodcastsError("\(path) was written by a newer version of podcasts")) { try file.read() }
    }

    @Test("the rest of a change that was cut off by a crash is no obstacle")
    func theRestOfAChangeIsReplaced() throws {
        let file = try LibraryFile(folder: folder)
        try Data("{".utf8).write(to: URL(filePath: path + ".new"))
        let library = try file.change { $0 }
        #expect(try file.read() == library && !FileManager.default.fileExists(atPath: path + ".new"))
    }

    @Test func changesOfManyThreadsAreAllKept() async throws {
        let file = try LibraryFile(folder: folder)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                let address = FeedSamples.address.appending(path: "\(number)")
                group.addTask { try file.change { try $0.subscribe(to: address) } }
            }
            try await group.waitForAll()
        }
        #expect(try file.read().feeds.count == 20)
    }
}
