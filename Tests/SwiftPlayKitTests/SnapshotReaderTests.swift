import CompositorProtocol
import Foundation
import Glibc
import SharedFrames
import SystemCalls
import TestSupport
import Testing

@testable import Compositor
@testable import SwiftPlayKit

/// Tests that the reader understands the files that the compositor writes.
@Suite struct SnapshotReaderTests {
    private let scratch: TemporaryDirectory
    private let folder: SnapshotFolder

    init() throws {
        scratch = try TemporaryDirectory()
        folder = try SnapshotFolder(path: scratch.path)
    }

    /// Returns the bytes of a file with a picture of one colour.
    private func file(_ identifier: String, _ colour: UInt32, width: UInt32 = 3, height: UInt32 = 2) throws -> [UInt8] {
        let shape = SnapshotShape(width: width, height: height, stride: width * 4)
        let memory = try MemoryFile(name: "picture", size: Int(shape.stride * height))
        let mapping = try memory.map(writable: true)
        for index in 0..<Int(width * height) {
            mapping.base.storeBytes(of: colour, toByteOffset: index * 4, as: UInt32.self)
        }
        let picture = try SnapshotPicture(#require(shape.layout), title: "", descriptor: memory.release())
        let texts = SnapshotFile.Texts(identifier: identifier, title: "Film ä")
        let image = try #require(picture.encoded())
        return try #require(SnapshotFile.adding(texts, to: image))
    }

    private func write(_ bytes: [UInt8], _ name: String) throws {
        try folder.write(bytes, for: name)
        try folder.publish(name)
    }

    @Test func aPictureOfTheCompositorIsRead() throws {
        try write(try file("b", 0x123456), "b.png")
        try write(try file("a", 0x0000FF), "a.png")
        let snapshots = SnapshotReader.snapshots(in: scratch.path)
        #expect(snapshots.map(\.texts.identifier) == ["a", "b"] && snapshots[1].texts.title == "Film ä")
        #expect(snapshots[1].size == PixelSize(width: 3, height: 2))
        #expect(snapshots[1].pixels.map { $0 & 0xFF_FFFF } == [UInt32](repeating: 0x123456, count: 6))
        #expect(abs(snapshots[0].writingTime - Int64(time(nil))) < 600)
    }

    @Test func aFileThatHasNotChangedIsNotReadAgain() throws {
        try write(try file("a", 1), "a.png")
        let known = SnapshotReader.snapshots(in: scratch.path).map {
            Snapshot(texts: $0.texts, writingTime: 7, size: $0.size, pixels: [], version: $0.version)
        }
        #expect(SnapshotReader.snapshots(in: scratch.path, now: 8, known: known).map(\.writingTime) == [7])
        // A new picture is a new file.
        try write(try file("a", 2), "a.png")
        let renewed = SnapshotReader.snapshots(in: scratch.path, known: known)
        #expect(renewed.first?.pixels.count == 6 && renewed.first?.version != known[0].version)
    }

    @Test func aPictureThatIsTooOldIsNotRead() throws {
        try write(try file("a", 1), "a.png")
        let now = Int64(time(nil))
        #expect(SnapshotReader.snapshots(in: scratch.path, now: now + SnapshotFile.lifetime - 100).count == 1)
        #expect(SnapshotReader.snapshots(in: scratch.path, now: now + SnapshotFile.lifetime + 100).isEmpty)
    }

    @Test func aFileUnderTheNameOfAnotherProgramIsNotRead() throws {
        try write(try file("a", 1), "b.png")
        #expect(SnapshotReader.snapshots(in: scratch.path).isEmpty)
    }

    @Test func otherFilesAreNotRead() throws {
        try write([], "empty.png")
        try write(Array("no image".utf8), "text.png")
        try write(try file("a", 1), "a.txt")
        try FileManager.default.createDirectory(
            atPath: scratch.path + "/directory.png", withIntermediateDirectories: false)
        try systemCall("mkfifo") { mkfifo(scratch.path + "/pipe.png", 0o600) }
        try systemCall("symlink") { symlink("/dev/zero", scratch.path + "/link.png") }
        try write([UInt8](repeating: 0, count: SnapshotFile.maximumSize + 1), "large.png")
        #expect(SnapshotReader.snapshots(in: scratch.path).isEmpty)
    }

    @Test func aMissingDirectoryHasNoPictures() {
        #expect(SnapshotReader.snapshots(in: scratch.path + "/missing").isEmpty)
    }

    @Test("a shortened or damaged file has no picture or a whole one, and never crashes the reader")
    func damagedFilesAreRead() throws {
        var generator = SeededGenerator.printingSeed()
        let bytes = try file("a", 0x00FF00, width: 20, height: 10)
        for round in 0..<100 {
            var damaged = bytes
            if round % 2 == 0 {
                damaged.removeLast(Int.random(in: 1..<bytes.count, using: &generator))
            } else {
                damaged[Int.random(in: bytes.indices, using: &generator)] ^= .random(in: 1...255, using: &generator)
            }
            try write(damaged, "a.png")
            for snapshot in SnapshotReader.snapshots(in: scratch.path) {
                #expect(snapshot.pixels.count == snapshot.size.width * snapshot.size.height)
            }
        }
    }
}
