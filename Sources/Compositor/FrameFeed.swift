import SharedFrames
import SystemCalls
import WireFormat

/// The compositor's end of a session's frame ring: limits how far the drawing thread may read it.
///
/// A ring entry may name a slot that the program announces in a message. Therefore the length of the ring is read first
/// and the program's messages second; entries up to that length are drawn after both. Used by the compositor's main
/// thread.
final class FrameFeed {
    static let ringByteLimit = 1 << 20

    private let ring: DescriptorRingReader
    private let event: EventDescriptor
    /// Whether the ring must be checked: the frame event was signalled, or a check was requested.
    var isUnread = false
    private var length: UInt64 = 0
    /// The number of consecutive checks that found no new entry.
    private var emptyLooks = 0
    /// The host time until which the frame event is not polled; `nil` while it is polled.
    private(set) var restsUntil: Int64?

    private static let emptyLookLimit = 16
    /// The time for which the frame event is not polled after too many empty checks, in nanoseconds.
    private static let rest: Int64 = 20_000_000

    /// Maps the rings of a session.
    ///
    /// - Parameter descriptors: The frame ring, the release ring, and the frame event.
    /// - Throws: `MalformedMessage` if a descriptor is missing or unusable.
    init(_ descriptors: [SharedDescriptor]) throws(MalformedMessage) {
        guard descriptors.count >= 3 else { throw MalformedMessage("a session lacks its three descriptors") }
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

    /// Returns the descriptor that becomes readable when frames arrive; -1 while it is not polled.
    func descriptor(now: Int64) -> Int32 {
        if let end = restsUntil, now >= end { restsUntil = nil }
        return restsUntil == nil ? event.raw : -1
    }

    /// Resets the frame event and returns the length of the ring.
    ///
    /// A program's event may stay readable forever (a semaphore with a huge count, for example). After
    /// ``emptyLookLimit`` checks without a new entry it is polled only once in ``rest``.
    func look(now: Int64) -> UInt64 {
        event.drain()
        let new = ring.written
        emptyLooks = new == length ? emptyLooks + 1 : 0
        length = new
        if emptyLooks >= Self.emptyLookLimit { restsUntil = now + Self.rest }
        return new
    }
}
