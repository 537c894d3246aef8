import CompositorProtocol
import Glibc
import SharedFrames
import SystemCalls
import WireFormat

/// The frame buffers (slots) and formats that a program has announced for one session. Buffers are mapped read-only;
/// all values of messages are validated.
struct BufferRegistry: ~Copyable {
    /// A reference to a memory mapping. A dictionary can store the reference, but not the noncopyable mapping.
    private final class MappingReference {
        let mapping: Mapping
        init(_ mapping: consuming Mapping) { self.mapping = mapping }
    }

    /// The largest number of frame buffers.
    static let slotLimit = 256
    /// The largest number of frame formats.
    static let formatLimit = 64
    /// The largest total size of one session's mappings, in bytes.
    static let byteLimit = 4 << 30

    /// The mapped frame buffers, by the numbers that the program chose.
    private var slots: [UInt32: MappingReference] = [:]
    /// The announced frame formats, by the numbers that the program chose.
    private var formats: [UInt32: FrameFormat] = [:]
    /// The total size of the mapped frame buffers, in bytes.
    private var mappedByteCount = 0

    /// Maps a frame buffer (slot) that the program has announced.
    ///
    /// - Throws: `MalformedMessage` if the slot exists, a limit is exceeded, or the memory is unusable.
    mutating func add(slot: UInt32, descriptor: consuming FileDescriptor) throws(MalformedMessage) {
        guard slots[slot] == nil else { throw MalformedMessage("a slot was announced twice") }
        guard slots.count < Self.slotLimit else { throw MalformedMessage("too many slots") }
        let mapping: Mapping
        do {
            let file = try MemoryFile(received: descriptor, minimumSize: 1, maximumSize: FrameLayout.maximumBytes)
            guard mappedByteCount + file.size <= Self.byteLimit else {
                throw SystemCallError(call: "too much frame memory", number: ENOMEM)
            }
            mapping = try file.map(writable: false)
        } catch { throw MalformedMessage("\(error)") }
        mappedByteCount += mapping.size
        slots[slot] = MappingReference(mapping)
    }

    /// Unmaps a frame buffer. An unknown number has no effect.
    mutating func drop(slot: UInt32) {
        if let removedSlot = slots.removeValue(forKey: slot) { mappedByteCount -= removedSlot.mapping.size }
    }

    /// Stores a frame format under the number that the program chose.
    ///
    /// - Throws: `MalformedMessage` if the format's number is too high.
    mutating func set(format: UInt32, _ value: FrameFormat) throws(MalformedMessage) {
        guard format < Self.formatLimit else { throw MalformedMessage("a format's number is too high") }
        formats[format] = value
    }

    /// Returns the frame format announced as `number`; nil if there is none.
    func format(_ number: UInt32) -> FrameFormat? { formats[number] }

    /// Calls `body` with the picture of a frame ring's entry, on the calling thread.
    ///
    /// - Throws: `MalformedMessage` if the entry names an unknown slot or format, or a picture larger than its slot.
    func withPicture<Result>(
        _ entry: FrameEntry, _ body: (PictureMemory, FrameFormat) -> Result
    ) throws(MalformedMessage) -> Result {
        guard let slotMemory = slots[entry.slot] else { throw MalformedMessage("a frame names an unknown slot") }
        guard let format = formats[entry.format] else {
            throw MalformedMessage("a frame has a format that was not announced")
        }
        guard format.layout.requiredSize + FrameLayout.overreadPadding <= slotMemory.mapping.size else {
            throw MalformedMessage("a frame is larger than its slot")
        }
        let result = body(PictureMemory(base: UnsafeRawPointer(slotMemory.mapping.base), layout: format.layout), format)
        withExtendedLifetime(slotMemory) {}
        return result
    }
}
