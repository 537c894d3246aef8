import SharedFrames
import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline

/// Tests of a media source whose read operation hangs and cannot be cancelled. Each test lets the read return at its
/// end.
@Suite struct HangingSourceTests {
    /// Returns a media source that reads `packets` and has started.
    private func startSource(_ packets: InMemoryPacketSource) throws -> LocalMediaSource {
        let source = LocalMediaSource(
            packets, location: "memory", configuration: MediaSourceConfiguration(), pool: FramePool(),
            arrival: try EventDescriptor(), audioArrival: try EventDescriptor())
        try source.start()
        return source
    }

    @Test("closing detaches a thread with a hanging read; the thread ends when the read returns")
    func closingDetachesAThreadWithAHangingRead() throws {
        let weakSource = Monitor<WeakSource?>(nil)
        let calls = try closeWhileReadingHangs(weakSource)
        let isClosed = calls.wait(until: Deadline.after(.seconds(60))) { $0.isClosed ? true : nil }
        #expect(isClosed == true)
        let isReleased = Deadline.poll(for: .seconds(60)) { weakSource.withLock { $0?.source == nil } ? true : nil }
        #expect(isReleased == true)
    }

    /// A weak reference to a packet source; nil after the source has been deallocated.
    private struct WeakSource {
        weak var source: InMemoryPacketSource?
    }

    /// Closes a media source while its read operation hangs, and then lets the read return.
    ///
    /// - Parameter weakSource: Receives a weak reference to the packet source of the media source.
    /// - Returns: The record of the method calls that the packet source received.
    private func closeWhileReadingHangs(
        _ weakSource: Monitor<WeakSource?>
    ) throws -> Monitor<InMemoryPacketSource.Calls> {
        let packets = try InMemoryPacketSource(fixture: "short.mp4"), calls = packets.calls
        packets.readHangsAtEnd = true
        weakSource.withLock { $0 = WeakSource(source: packets) }
        let source = try startSource(packets)
        // Take frames until all packets are read: full queues would stop the reading.
        let isHanging = Deadline.poll(for: .seconds(60)) { () -> Bool? in
            while source.video.popIfAny() != nil {}
            return calls.withLock { $0.hungReadCount > 0 } ? true : nil
        }
        #expect(isHanging == true)
        source.close()
        #expect(calls.withLock { !$0.isClosed }, "the reading thread has not returned from the read yet")
        packets.finishHangingRead()
        return calls
    }
}
