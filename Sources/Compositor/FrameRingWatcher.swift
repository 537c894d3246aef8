import SharedFrames
import SystemCalls
import WireFormat

/// The compositor's end of a session's frame ring; decides up to which entry the drawing thread may read the ring.
///
/// A ring entry may name a frame buffer (slot) whose announcement the compositor has not read yet. Therefore the main
/// thread reads the ring's length first and the program's messages second; then the drawing thread draws the entries up
/// to that length. Used by the compositor's main thread.
final class FrameRingWatcher {
    /// The largest size of a ring's memory file, in bytes.
    static let ringByteLimit = 1 << 20

    /// The shared ring buffer in which the program announces its frames.
    private let ring: SharedRingReader
    /// The event that the program signals after it adds entries to the frame ring.
    private let frameEvent: EventDescriptor
    /// Whether the ring must be checked: the frame event was signalled, or a check was requested.
    var isCheckNeeded = false
    /// The number of entries that the program had written to the ring at the last check, counted since the ring's
    /// creation.
    private var lastRingLength: UInt64 = 0
    /// The number of consecutive checks of the ring that found no new entry.
    private var emptyCheckCount = 0
    /// The host time until which the frame event is not polled; `nil` while it is polled.
    private(set) var pausedUntil: Int64?

    /// The number of consecutive empty checks after which polling pauses.
    private static let emptyCheckLimit = 16
    /// The time for which the frame event is not polled after too many empty checks, in nanoseconds.
    private static let pollingPause: Int64 = 20_000_000

    /// Maps the frame ring of a session.
    ///
    /// - Parameter descriptors: The frame ring, the release ring, and the frame event.
    /// - Throws: `MalformedMessage` if a descriptor is missing or unusable.
    init(_ descriptors: [SharedDescriptor]) throws(MalformedMessage) {
        guard descriptors.count >= 3 else { throw MalformedMessage("a session lacks its three descriptors") }
        do {
            ring = try Self.mapRing(descriptors[0])
            frameEvent = try EventDescriptor(received: FileDescriptor(duplicating: descriptors[2].raw))
        } catch { throw MalformedMessage("\(error)") }
    }

    /// Maps the memory of a ring for reading.
    static func mapRing(_ descriptor: SharedDescriptor) throws(SystemCallError) -> SharedRingReader {
        try SharedRingReader(
            MemoryFile(
                received: FileDescriptor(duplicating: descriptor.raw), minimumSize: SharedRing.byteCount,
                maximumSize: ringByteLimit))
    }

    /// Returns the descriptor that becomes readable when the program adds frames; -1 while it is not polled.
    func descriptor(now: Int64) -> Int32 {
        if let pauseEnd = pausedUntil, now >= pauseEnd { pausedUntil = nil }
        return pausedUntil == nil ? frameEvent.raw : -1
    }

    /// Resets the frame event and returns the number of entries written to the ring since its creation.
    ///
    /// A program's event may stay readable forever (a semaphore with a huge count, for example). After
    /// ``emptyCheckLimit`` checks without a new entry the event is polled only once in ``pollingPause``.
    func readRingLength(now: Int64) -> UInt64 {
        frameEvent.drain()
        let ringLength = ring.writtenCount
        emptyCheckCount = ringLength == lastRingLength ? emptyCheckCount + 1 : 0
        lastRingLength = ringLength
        if emptyCheckCount >= Self.emptyCheckLimit { pausedUntil = now + Self.pollingPause }
        return ringLength
    }
}
