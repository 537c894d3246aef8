import SharedFrames
import SystemCalls
import WireFormat

/// The compositor's end of a session's ring of frames: decides how far the thread that draws may read it.
///
/// A ring entry may name a slot that the program announces in a message. So the length of the ring is read first, then
/// the program's messages, and the entries up to that length are drawn after them. Used by the compositor's main
/// thread.
final class FrameFeed {
    static let ringByteLimit = 1 << 20

    private let ring: DescriptorRingReader
    private let event: EventDescriptor
    /// The event of frames was signalled, or a look was asked for, and the ring has not been looked at since.
    var isUnread = false
    private var length: UInt64 = 0
    /// Looks at the ring, one after another, that found no new entry.
    private var emptyLooks = 0
    /// Host time until which the event of frames is not polled.
    private(set) var restsUntil: Int64?

    private static let emptyLookLimit = 16
    /// Nanoseconds.
    private static let rest: Int64 = 20_000_000

    /// - Parameter descriptors: ring of frames, ring of releases, event of frames.
    init(_ descriptors: [SharedDescriptor]) throws(MalformedMessage) {
        guard descriptors.count >= 3 else { throw MalformedMessage("a session without its three descriptors") }
        do {
            ring = try Self.ring(descriptors[0])
            event = try EventDescriptor(received: FileDescriptor(duplicating: descriptors[2].raw))
        } catch { throw MalformedMessage("\(error)") }
    }

    static func ring(_ descriptor: SharedDescriptor) throws(SystemCallError) -> DescriptorRingReader {
        try DescriptorRingReader(
            MemoryFile(
                received: FileDescriptor(duplicating: descriptor.raw), minimumSize: DescriptorRing.byteCount,
                maximumSize: ringByteLimit))
    }

    /// The descriptor that becomes readable with new frames; -1 while the feed rests.
    func descriptor(now: Int64) -> Int32 {
        if let end = restsUntil, now >= end { restsUntil = nil }
        return restsUntil == nil ? event.raw : -1
    }

    /// Returns the length of the ring.
    ///
    /// A program's event may be readable for ever (a semaphore with a huge count, say): after many looks that found no
    /// new entry it is polled only once in ``rest``.
    func look(now: Int64) -> UInt64 {
        event.drain()
        let new = ring.written
        emptyLooks = new == length ? emptyLooks + 1 : 0
        length = new
        if emptyLooks >= Self.emptyLookLimit { restsUntil = now + Self.rest }
        return new
    }
}
