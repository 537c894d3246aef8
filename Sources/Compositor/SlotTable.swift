import CompositorProtocol
import SharedFrames
import SystemCalls
import WireFormat

/// The registry of a program's announced frame buffers and formats. Buffers are mapped read-only; all values of
/// messages are validated.
struct SlotTable: ~Copyable {
    /// A reference to a mapping, which a dictionary can store.
    private final class Memory {
        let mapping: Mapping
        init(_ mapping: consuming Mapping) { self.mapping = mapping }
    }

    /// The largest number of slots.
    static let slotLimit = 256
    /// The largest number of formats.
    static let formatLimit = 64
    /// The largest total size of one session's mappings, in bytes.
    static let byteLimit = 4 << 30

    private var slots: [UInt32: Memory] = [:]
    private var formats: [UInt32: FrameFormat] = [:]
    private var bytes = 0

    /// Maps the memory of a slot.
    ///
    /// - Throws: `MalformedMessage` if the slot exists, a limit is exceeded, or the memory is unusable.
    mutating func add(slot: UInt32, descriptor: consuming FileDescriptor) throws(MalformedMessage) {
        guard slots[slot] == nil else { throw MalformedMessage("a slot was announced twice") }
        guard slots.count < Self.slotLimit else { throw MalformedMessage("too many slots") }
        let mapping: Mapping
        do {
            let file = try MemoryFile(received: descriptor, minimumSize: 1, maximumSize: FrameLayout.maximumBytes)
            guard bytes + file.size <= Self.byteLimit else {
                throw SystemCallError(call: "too much frame memory", number: 12)
            }
            mapping = try file.map(writable: false)
        } catch { throw MalformedMessage("\(error)") }
        bytes += mapping.size
        slots[slot] = Memory(mapping)
    }

    mutating func drop(slot: UInt32) {
        if let old = slots.removeValue(forKey: slot) { bytes -= old.mapping.size }
    }

    /// Stores a format under a number.
    ///
    /// - Throws: `MalformedMessage` if the number is too high.
    mutating func set(format: UInt32, _ value: FrameFormat) throws(MalformedMessage) {
        guard format < Self.formatLimit else { throw MalformedMessage("a format's number is too high") }
        formats[format] = value
    }

    func format(_ number: UInt32) -> FrameFormat? { formats[number] }

    /// Calls `body` with the picture of a ring entry, on the calling thread.
    ///
    /// - Throws: `MalformedMessage` if the entry names an unknown slot or format, or a picture larger than its slot.
    func withPicture<Result>(
        _ entry: FrameEntry, _ body: (PictureMemory, FrameFormat) -> Result
    ) throws(MalformedMessage) -> Result {
        guard let memory = slots[entry.slot] else { throw MalformedMessage("a frame names an unknown slot") }
        guard let format = formats[entry.format] else {
            throw MalformedMessage("a frame has a format that was not announced")
        }
        guard format.layout.requiredSize + FrameLayout.slack <= memory.mapping.size else {
            throw MalformedMessage("a frame is larger than its slot")
        }
        let result = body(PictureMemory(base: UnsafeRawPointer(memory.mapping.base), layout: format.layout), format)
        withExtendedLifetime(memory) {}
        return result
    }
}
