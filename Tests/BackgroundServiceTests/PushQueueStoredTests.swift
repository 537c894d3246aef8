import PushPolicy
import Testing

@testable import BackgroundService

@Suite struct PushQueueStoredTests {
    private func queue() throws -> PushQueue {
        let payload = try PushPayload(json: Array("{\"aps\":{\"content-available\":1}}".utf8))
        var queue = PushQueue()
        for id in ["a", "ü", "a", "b", "c"] {
            _ = queue.receive(PushQueue.Message(id: id, payload: payload), now: .seconds(100))
        }
        return queue
    }

    private func restored(_ queue: PushQueue, passed: Duration, now: Duration) -> PushQueue {
        PushQueue(
            stored: queue.stored(now: .seconds(100)), pending: queue.pending, isForceQuit: false, passed: passed,
            now: now)
    }

    @Test func aQueueRoundTrips() throws {
        let queue = try queue()
        let restored = restored(queue, passed: .zero, now: .seconds(100))
        #expect(restored.counters == queue.counters && restored.recentIDs == ["a", "ü", "b", "c"])
        #expect(restored.bucket == queue.bucket && restored.pending == queue.pending)
    }

    @Test func freeWakesReturnWhileTheServiceDoesNotRun() throws {
        let queue = try queue()
        #expect(restored(queue, passed: .seconds(1199), now: .seconds(20)).bucket.available(now: .seconds(20)) == 0)
        #expect(restored(queue, passed: .seconds(1200), now: .seconds(20)).bucket.available(now: .seconds(20)) == 1)
    }

    @Test func everyPrefixIsANewQueue() throws {
        let stored = try queue().stored(now: .seconds(100))
        for count in 0..<stored.count {
            let restored = PushQueue(
                stored: Array(stored.prefix(count)), pending: [], isForceQuit: false, passed: .zero, now: .zero)
            #expect(restored == PushQueue())
        }
    }
}
