import CLinux
import CompositorProtocol
import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import Compositor

/// A picture in memory as a program sends it.
struct SentPicture {
    let shape: SnapshotShape
    let descriptor: SharedDescriptor

    /// Creates a picture whose pixels count upwards from `first`.
    ///
    /// - Parameter size: The size of the memory; nil for the size that the shape needs.
    init(width: UInt32 = 3, height: UInt32 = 2, padding: UInt32 = 0, first: UInt32 = 0, size: Int? = nil) throws {
        shape = SnapshotShape(width: width, height: height, stride: width * 4 + padding)
        let needed = Int(shape.stride) * Int(height)
        let file = try MemoryFile(name: "picture", size: size ?? needed)
        if size == nil {
            let mapping = try file.map(writable: true)
            for y in 0..<Int(height) {
                for x in 0..<Int(width) {
                    mapping.base.storeBytes(
                        of: first + UInt32(y * Int(width) + x), toByteOffset: y * Int(shape.stride) + x * 4,
                        as: UInt32.self)
                }
            }
        }
        descriptor = SharedDescriptor(file.release())
    }

    /// Copies the picture as the compositor does.
    func copy(title: String = "") throws -> SnapshotPicture {
        try SnapshotPicture(
            #require(shape.layout), title: title, descriptor: FileDescriptor(duplicating: descriptor.raw))
    }
}

@Suite struct SnapshotPictureTests {
    @Test func rowsAreCopiedWithoutTheirPadding() throws {
        let picture = try SentPicture(padding: 8).copy()
        #expect(picture.pixels == [0, 1, 2, 3, 4, 5].map { $0 | 0xFF00_0000 })
    }

    @Test func theDigestDependsOnThePixelsAndTheTitle() throws {
        let digest = try SentPicture().copy(title: "a").digest
        #expect(try SentPicture(padding: 8).copy(title: "a").digest == digest, "the padding is not part of the picture")
        #expect(try SentPicture(first: 1).copy(title: "a").digest != digest)
        #expect(try SentPicture().copy(title: "b").digest != digest)
    }

    @Test func theUnusedBytesAreIgnored() throws {
        #expect(try SentPicture(first: 0x5500_0000).copy() == SentPicture(first: 0xFF00_0000).copy())
    }

    @Test func memoryThatIsTooSmallOrTooLargeIsRefused() throws {
        for size in [23, 1, SnapshotShape.maximumFileSize + 1] {
            #expect(throws: SystemCallError.self) { try SentPicture(size: size).copy() }
        }
        #expect(try SentPicture(size: SnapshotShape.maximumFileSize).copy().pixels.count == 6)
    }

    @Test func memoryThatCanShrinkIsRefused() throws {
        let descriptor = FileDescriptor(
            owning: try systemCall("memfd_create") { clinux_memfd_create("picture", clinux_mfd_flags()) })
        try descriptor.setSize(4096)
        let number = descriptor.raw
        let layout = try #require(SnapshotShape(width: 3, height: 2, stride: 12).layout)
        #expect(throws: SystemCallError.self) {
            try SnapshotPicture(layout, title: "", descriptor: FileDescriptor(duplicating: number))
        }
    }

    @Test func aDescriptorThatIsNoMemoryIsRefused() throws {
        let layout = try #require(SnapshotShape(width: 3, height: 2, stride: 12).layout)
        for path in ["/dev/zero", "/proc/self/exe"] {
            #expect(throws: SystemCallError.self) {
                try SnapshotPicture(
                    layout, title: "", descriptor: FileDescriptor(opening: path, flags: O_RDONLY))
            }
        }
    }

    @Test func aPictureIsEncodedAsPNG() throws {
        let image = try #require(try SentPicture(width: 512, height: 512).copy().encoded())
        let texts = SnapshotFile.Texts(identifier: "a", title: "b")
        #expect(SnapshotFile.texts(in: try #require(SnapshotFile.adding(texts, to: image))) == texts)
        #expect(image.count <= SnapshotFile.maximumSize)
    }
}
