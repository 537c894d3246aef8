import SharedFrames
import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline

/// A source whose reading hangs in a call that cannot be called off. Each test lets the call return at its end.
@Suite struct HangingSourceTests {
    private func start(_ packets: InMemoryPacketSource) throws -> LocalMediaSource {
        let source = LocalMediaSource(
            packets, location: "memory", configuration: MediaSourceConfiguration(), pool: FramePool(),
            arrival: try EventDescriptor(), soundArrival: try EventDescriptor())
        try source.start()
        return source
    }

    @Test("closing leaves a read that hangs behind; when it returns, its thread ends and releases what it uses")
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

    /// Lets the call return after the source was closed.
    private func closeWhileReadingHangs(_ weakly: Monitor<Weak?>) throws -> Monitor<InMemoryPacketSource.Calls> {
        let packets = try InMemoryPacketSource(fixture: "short.mp4"), calls = packets.calls
        packets.hangs = true
        weakly.withLock { $0 = Weak(source: packets) }
        let source = try start(packets)
        // Frames are taken until all packets are read: the queues are bounded.
        let isHanging = Deadline.poll(for: .seconds(60)) { () -> Bool? in
            while source.video.popIfAny() != nil {}
            return calls.withLock { $0.hangs > 0 } ? true : nil
        }
        #expect(isHanging == true)
        source.close()
        #expect(calls.withLock { !$0.isClosed }, "its thread is in the call")
        packets.letGo()
        return calls
    }
}
