import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import Compositor

@Suite struct SnapshotFolderTests {
    private let scratch: TemporaryDirectory
    private var path: String { scratch.path + "/snapshots" }

    init() throws { scratch = try TemporaryDirectory() }

    private func write(_ name: String, _ bytes: [UInt8], in folder: SnapshotFolder) throws {
        try folder.write(bytes, for: name)
        try folder.publish(name)
    }

    private var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

    /// Sets the time at which a file was written.
    private func setAge(_ seconds: Int, of name: String) throws {
        var times = [timeval(), timeval()]
        times[0].tv_sec = time(nil) - seconds
        times[1].tv_sec = time(nil) - seconds
        try systemCall("utimes") { utimes(path + "/" + name, times) }
    }

    @Test func filesAreAccessibleForTheUserOnly() throws {
        let folder = try SnapshotFolder(path: path)
        try write("a.png", [1, 2], in: folder)
        let directory = try FileManager.default.attributesOfItem(atPath: path)
        let file = try FileManager.default.attributesOfItem(atPath: path + "/a.png")
        #expect(directory[.posixPermissions] as? Int == 0o700 && file[.posixPermissions] as? Int == 0o600)
        #expect(FileManager.default.contents(atPath: path + "/a.png") == Data([1, 2]))
    }

    @Test func aPictureAppearsOnlyWhenItIsPublished() throws {
        let folder = try SnapshotFolder(path: path)
        try write("a.png", [1], in: folder)
        try folder.write([2, 2, 2], for: "a.png")
        #expect(FileManager.default.contents(atPath: path + "/a.png") == Data([1]))
        try folder.publish("a.png")
        #expect(FileManager.default.contents(atPath: path + "/a.png") == Data([2, 2, 2]) && names == ["a.png"])
    }

    @Test func anUnfinishedPictureCanBeDiscarded() throws {
        let folder = try SnapshotFolder(path: path)
        try folder.write([1], for: "a.png")
        folder.discard("a.png")
        #expect(names == [])
        #expect(throws: SystemCallError.self) { try folder.publish("a.png") }
    }

    @Test func unfinishedAndOldPicturesAreRemovedAtTheStart() throws {
        let folder = try SnapshotFolder(path: path)
        for name in ["old.png", "new.png"] { try write(name, [1], in: folder) }
        try folder.write([1], for: "unfinished.png")
        try setAge(30 * 24 * 3600 + 10, of: "old.png")
        try setAge(30 * 24 * 3600 - 1000, of: "new.png")
        _ = try SnapshotFolder(path: path)
        #expect(names == ["new.png"])
    }

    @Test func removingAPictureTwiceIsNoError() throws {
        let folder = try SnapshotFolder(path: path)
        try write("a.png", [1], in: folder)
        try folder.remove("a.png")
        try folder.remove("a.png")
        #expect(!folder.contains("a.png"))
    }

    @Test func theOldestPictureMakesRoomForANewOne() throws {
        let folder = try SnapshotFolder(path: path)
        for number in 0..<SnapshotFolder.fileLimit {
            try write("\(number).png", [1], in: folder)
            try setAge(number == 7 ? 1000 : 10, of: "\(number).png")
        }
        try write("more.png", [1], in: folder)
        #expect(names.count == SnapshotFolder.fileLimit && folder.contains("more.png") && !folder.contains("7.png"))
        try write("more.png", [2], in: folder)
        #expect(names.count == SnapshotFolder.fileLimit, "a picture that is replaced needs no room")
    }

    @Test func marksAreKeptInFiles() throws {
        let folder = try SnapshotFolder(path: path)
        #expect(!folder.isMarked("a.png"))
        try folder.setMarked("a.png", true)
        try folder.setMarked("a.png", true)
        #expect(try SnapshotFolder(path: path).isMarked("a.png"))
        try folder.setMarked("a.png", false)
        try folder.setMarked("a.png", false)
        #expect(!folder.isMarked("a.png") && names == [])
    }

    @Test func theNumberOfMarksIsBounded() throws {
        let folder = try SnapshotFolder(path: path)
        for number in 0..<2 * SnapshotFolder.fileLimit { try folder.setMarked("\(number).png", true) }
        #expect(throws: SystemCallError.self) { try folder.setMarked("more.png", true) }
    }

    @Test func aSymbolicLinkIsReplacedAndNotFollowed() throws {
        let folder = try SnapshotFolder(path: path), target = scratch.path + "/target"
        try Data([9]).write(to: URL(fileURLWithPath: target))
        for name in ["a.png", "a.png.new"] { try systemCall("symlink") { symlink(target, path + "/" + name) } }
        try write("a.png", [1], in: folder)
        #expect(FileManager.default.contents(atPath: target) == Data([9]))
        #expect(FileManager.default.contents(atPath: path + "/a.png") == Data([1]))
    }
}
