import SharedFrames
import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline

/// A source whose read hangs in an uninterruptible call. Each test lets the call return at its end.
@Suite struct HangingSourceTests {
    private func start(_ packets: InMemoryPacketSource) throws -> LocalMediaSource {
        let source = LocalMediaSource(
            packets, location: "memory", configuration: MediaSourceConfiguration(), pool: FramePool(),
            arrival: try EventDescriptor(), soundArrival: try EventDescriptor())
        try source.start()
        return source
    }

    @Test("closing detaches a thread with a hanging read; the thread ends when the read returns")
    func read() throws {
        let packets = Monitor<Weak?>(nil)
        let calls = try closeWhileReadingHangs(packets)
        let isClosed = calls.wait(until: Deadline.after(.seconds(60))) { $0.isClosed ? true : nil }
        #expect(isClosed == true)
        let isReleased = Deadline.poll(for: .seconds(60)) { packets.withLock { $0?.source == nil } ? true : nil }
        #expect(isReleased == true)
    }

    private struct Weak {
        weak var source: InMemoryPacketSource?
    }

    /// Closes a source while its read hangs; then lets the read return.
    private func closeWhileReadingHangs(_ weakly: Monitor<Weak?>) throws -> Monitor<InMemoryPacketSource.Calls> {
        let packets = try InMemoryPacketSource(fixture: "short.mp4"), calls = packets.calls
        packets.hangs = true
        weakly.withLock { $0 = Weak(source: packets) }
        let source = try start(packets)
        // Take frames until all packets are read, because the queues are bounded.
        let isHanging = Deadline.poll(for: .seconds(60)) { () -> Bool? in
            while source.video.popIfAny() != nil {}
            return calls.withLock { $0.hangs > 0 } ? true : nil
        }
        #expect(isHanging == true)
        source.close()
        #expect(calls.withLock { !$0.isClosed }, "the thread is still in the call")
        packets.letGo()
        return calls
    }
}
