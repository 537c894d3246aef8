import Synchronization
import SystemCalls

/// The events of the render thread, as counters, so that the render thread never waits for the reader of events.
/// Repeated events are merged.
package final class RenderEvents: Sendable {
    /// The event descriptor that is readable while ``take(flush:device:)`` has events to return.
    package let descriptor: EventDescriptor
    private let underrunCount = Atomic<Int>(0)
    private let recoveryCount = Atomic<Int>(0)
    private let drainCount = Atomic<Int>(0)
    /// The flush number of the stream whose end was reported most recently. A flush starts each new stream.
    private let drainedFlushNumber = Atomic<Int>(0)
    /// The failure that made the device unusable (``PCMFailure/packed``); 0 if the device has not been lost.
    private let failure = Atomic<Int>(0)

    /// The counts that ``take(flush:device:)`` has already reported.
    private struct ReportedCounts {
        var underruns = 0, recoveries = 0, drains = 0, hasFailed = false
    }
    /// The already reported counts, protected by a lock for the threads that read events. The render thread never uses
    /// this lock.
    private let reportedCounts = Monitor(ReportedCounts())

    package init() throws(SystemCallError) { descriptor = try EventDescriptor() }

    /// The number of underruns. Safe to use from any thread.
    package var underruns: Int { underrunCount.load(ordering: .relaxed) }

    /// The number of recoveries of the device. Safe to use from any thread.
    package var recoveries: Int { recoveryCount.load(ordering: .relaxed) }

    /// Counts an underrun of the device. Render thread only.
    package func countUnderrun() { increment(underrunCount) }
    /// Counts a recovery of the device after a failure. Render thread only.
    package func countRecovery() { increment(recoveryCount) }
    /// Reports that the last frame of the stream that began with flush number `flush` has been heard. Render thread
    /// only.
    package func reportDrained(flush: Int) {
        drainedFlushNumber.store(flush, ordering: .relaxed)
        increment(drainCount)
    }
    /// Reports that the device is lost. Render thread only.
    package func reportFailure(_ reason: PCMFailure) {
        failure.store(reason.packed, ordering: .releasing)
        descriptor.signal()
    }

    /// Increments the counter of an event, and signals the thread that reads events.
    private func increment(_ counter: borrowing Atomic<Int>) {
        counter.add(1, ordering: .releasing)
        descriptor.signal()
    }

    /// Returns the events since the last call of this method. Safe to use from any thread.
    ///
    /// - Parameters:
    ///   - flush: The number of requested flushes. The end of a stream from before the newest flush is not reported.
    ///   - device: The device's name, for the error of a lost device.
    package func take(flush: Int, device: String) -> [AudioEvent] {
        descriptor.drain()
        return reportedCounts.withLock { counts in
            var events: [AudioEvent] = []
            let underruns = underrunCount.load(ordering: .acquiring)
            let recoveries = recoveryCount.load(ordering: .acquiring)
            let drains = drainCount.load(ordering: .acquiring)
            if underruns > counts.underruns { events.append(.underrun(count: underruns)) }
            if recoveries > counts.recoveries { events.append(.recovered) }
            if drains > counts.drains, drainedFlushNumber.load(ordering: .relaxed) == flush { events.append(.drained) }
            if !counts.hasFailed, let reason = PCMFailure(packed: failure.load(ordering: .acquiring)) {
                counts.hasFailed = true
                events.append(.failed(AudioOutputError(device: device, failure: reason)))
            }
            counts.underruns = underruns
            counts.recoveries = recoveries
            counts.drains = drains
            return events
        }
    }
}
