import CompositorProtocol
import SharedFrames
import SystemCalls
import Testing
import WireFormat

@testable import Compositor

@Suite struct BufferRegistryTests {
    /// Returns a new memory file of `size` bytes.
    private func memory(_ size: Int = 4096) throws -> FileDescriptor {
        try MemoryFile(name: "test", size: size).descriptor.duplicate()
    }

    /// Returns a grayscale frame format.
    private func format(width: Int = 16, height: Int = 16) throws -> FrameFormat {
        let gray = try #require(PixelFormat(name: "gray"))
        let layout = try #require(
            FrameLayout(
                pixelFormat: gray, width: width, height: height, planes: [.init(offset: 0, stride: width)]))
        return FrameFormat(layout: layout, attributes: PictureAttributes())
    }

    /// Returns a frame ring entry that refers to a slot (a shared frame buffer) and a format by their numbers.
    private func entry(slot: UInt32, format: UInt32) -> FrameEntry {
        FrameEntry(frame: 1, slot: slot, format: format, presentationTime: 0, hostTime: 0)
    }

    /// Returns whether `body` throws `MalformedMessage`.
    private func isRefused(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            return false
        } catch { return error is MalformedMessage }
    }

    @Test func pictureIsReadFromAnnouncedMemory() throws {
        let file = try MemoryFile(name: "test", size: 4096)
        let mapping = try file.map(writable: true)
        mapping.base.storeBytes(of: 0xAB, toByteOffset: 5, as: UInt8.self)
        var registry = BufferRegistry()
        try registry.add(slot: 3, descriptor: try file.descriptor.duplicate())
        try registry.set(format: 2, try format())
        let byte = try registry.withPicture(entry(slot: 3, format: 2)) { picture, _ in
            picture.plane(0).load(fromByteOffset: 5, as: UInt8.self)
        }
        #expect(byte == 0xAB)
        #expect(registry.format(2) == (try format()) && registry.format(3) == nil)
    }

    @Test func unknownSlotAndFormatAreRejected() throws {
        var registry = BufferRegistry()
        try registry.add(slot: 1, descriptor: try memory())
        try registry.set(format: 1, try format())
        #expect(!isRefused { try registry.withPicture(entry(slot: 1, format: 1)) { _, _ in } })
        #expect(isRefused { try registry.withPicture(entry(slot: 2, format: 1)) { _, _ in } })
        #expect(isRefused { try registry.withPicture(entry(slot: 1, format: 2)) { _, _ in } })
        registry.drop(slot: 1)
        #expect(isRefused { try registry.withPicture(entry(slot: 1, format: 1)) { _, _ in } })
    }

    @Test func pictureLargerThanSlotIsRejected() throws {
        var registry = BufferRegistry()
        try registry.add(slot: 1, descriptor: try memory(4096))
        // 63 rows of 64 bytes, plus the 64 bytes that a scaler may read beyond them, fill the slot.
        try registry.set(format: 1, try format(width: 64, height: 63))
        try registry.set(format: 2, try format(width: 64, height: 64))
        #expect(!isRefused { try registry.withPicture(entry(slot: 1, format: 1)) { _, _ in } })
        #expect(isRefused { try registry.withPicture(entry(slot: 1, format: 2)) { _, _ in } })
    }

    @Test func duplicateSlotIsRejected() throws {
        var registry = BufferRegistry()
        try registry.add(slot: 1, descriptor: try memory())
        #expect(isRefused { try registry.add(slot: 1, descriptor: try memory()) })
        registry.drop(slot: 1)
        #expect(!isRefused { try registry.add(slot: 1, descriptor: try memory()) })
    }

    @Test func slotsBeyondLimitAreRejected() throws {
        var registry = BufferRegistry()
        for slot in 0..<UInt32(BufferRegistry.slotLimit) { try registry.add(slot: slot, descriptor: try memory()) }
        #expect(isRefused { try registry.add(slot: 9999, descriptor: try memory()) })
        registry.drop(slot: 0)
        #expect(!isRefused { try registry.add(slot: 9999, descriptor: try memory()) })
    }

    @Test func memoryBeyondLimitIsRejected() throws {
        var registry = BufferRegistry()
        let halfLimit = BufferRegistry.byteLimit / 2
        for slot in 0..<2 as Range<UInt32> { try registry.add(slot: slot, descriptor: try memory(halfLimit)) }
        #expect(isRefused { try registry.add(slot: 2, descriptor: try memory()) })
        registry.drop(slot: 0)
        #expect(!isRefused { try registry.add(slot: 2, descriptor: try memory()) })
        #expect(isRefused { try registry.add(slot: 3, descriptor: try memory(FrameLayout.maximumBytes + 4096)) })
    }

    @Test func descriptorOfADeviceIsRejected() throws {
        var registry = BufferRegistry()
        #expect(isRefused { try registry.add(slot: 1, descriptor: try FileDescriptor(opening: "/dev/zero", flags: 0)) })
    }

    @Test func formatNumberBeyondLimitIsRejected() throws {
        var registry = BufferRegistry()
        let format = try self.format()
        #expect(!isRefused { try registry.set(format: UInt32(BufferRegistry.formatLimit) - 1, format) })
        #expect(isRefused { try registry.set(format: UInt32(BufferRegistry.formatLimit), format) })
    }
}
