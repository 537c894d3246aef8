import CompositorProtocol
import SharedFrames
import SystemCalls
import WireFormat

/// The frame memory and formats that a program announced, read-only and checked. Trusts nothing that a message says.
struct SlotTable: ~Copyable {
    /// A mapping that can lie in a dictionary.
    private final class Memory {
        let mapping: Mapping
        init(_ mapping: consuming Mapping) { self.mapping = mapping }
    }

    static let slotLimit = 256
    static let formatLimit = 64
    /// Bytes that one session may make us map.
    static let byteLimit = 4 << 30

    private var slots: [UInt32: Memory] = [:]
    private var formats: [UInt32: FrameFormat] = [:]
    private var bytes = 0

    mutating func add(slot: UInt32, descriptor: consuming FileDescriptor) throws(MalformedMessage) {
        guard slots[slot] == nil else { throw MalformedMessage("a slot is announced twice") }
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

    mutating func set(format: UInt32, _ value: FrameFormat) throws(MalformedMessage) {
        guard format < Self.formatLimit else { throw MalformedMessage("a format's number is too high") }
        formats[format] = value
    }

    func format(_ number: UInt32) -> FrameFormat? { formats[number] }

    /// Lets `body` look at the picture that an entry names.
    ///
    /// - Throws: when it names what was not announced, or memory beyond the slot's.
    func withPicture<Result>(
        _ entry: FrameEntry, _ body: (PictureMemory, FrameFormat) -> Result
    ) throws(MalformedMessage) -> Result {
        guard let memory = slots[entry.slot] else { throw MalformedMessage("a frame in a slot that was not announced") }
        guard let format = formats[entry.format] else {
            throw MalformedMessage("a frame of a format that was not announced")
        }
        guard format.layout.requiredSize + FrameLayout.slack <= memory.mapping.size else {
            throw MalformedMessage("a frame that reaches beyond its memory")
        }
        let result = body(PictureMemory(base: UnsafeRawPointer(memory.mapping.base), layout: format.layout), format)
        withExtendedLifetime(memory) {}
        return result
    }
}
