import Synchronization
import SystemCalls

/// The events of the render thread, as counters, so that it never waits for their reader. Repeated events are merged.
package final class RenderEvents: Sendable {
    /// The event that is readable when there are events.
    package let descriptor: EventDescriptor
    private let underrunCount = Atomic<Int>(0)
    private let recoveryCount = Atomic<Int>(0)
    private let drainCount = Atomic<Int>(0)
    /// The number of the flush to which the newest drain belongs.
    private let drainFlush = Atomic<Int>(0)
    private let failure = Atomic<Int>(0)

    private struct Seen {
        var underruns = 0, recoveries = 0, drains = 0, hasFailed = false
    }
    /// The lock of readers. The render thread never uses it.
    private let seen = Monitor(Seen())

    package init() throws(SystemCallError) { descriptor = try EventDescriptor() }

    /// The number of underruns. Any thread.
    package var underruns: Int { underrunCount.load(ordering: .relaxed) }

    package var recoveries: Int { recoveryCount.load(ordering: .relaxed) }

    // The following four are for the render thread only.
    package func underrun() { bump(underrunCount) }
    package func recovered() { bump(recoveryCount) }
    package func drained(flush: Int) {
        drainFlush.store(flush, ordering: .relaxed)
        bump(drainCount)
    }
    package func failed(_ reason: PCMFailure) {
        failure.store(reason.packed, ordering: .releasing)
        descriptor.signal()
    }

    private func bump(_ counter: borrowing Atomic<Int>) {
        counter.add(1, ordering: .releasing)
        descriptor.signal()
    }

    /// Returns the events since the last call. Any thread.
    ///
    /// - Parameter flush: The number of requested flushes. A drain from before the last one is ignored.
    package func take(flush: Int, device: String) -> [AudioEvent] {
        descriptor.drain()
        return seen.withLock { seen in
            var events: [AudioEvent] = []
            let underruns = underrunCount.load(ordering: .acquiring)
            let recoveries = recoveryCount.load(ordering: .acquiring)
            let drains = drainCount.load(ordering: .acquiring)
            if underruns > seen.underruns { events.append(.underrun(count: underruns)) }
            if recoveries > seen.recoveries { events.append(.recovered) }
            if drains > seen.drains, drainFlush.load(ordering: .relaxed) == flush { events.append(.drained) }
            if !seen.hasFailed, let reason = PCMFailure(packed: failure.load(ordering: .acquiring)) {
                seen.hasFailed = true
                events.append(.failed(AudioOutputError(device: device, failure: reason)))
            }
            seen.underruns = underruns
            seen.recoveries = recoveries
            seen.drains = drains
            return events
        }
    }
}
