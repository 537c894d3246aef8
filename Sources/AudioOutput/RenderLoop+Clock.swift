import SystemCalls

/// Keeping the clock, and watching that the device moves at all.
extension RenderLoop {
    /// Notices a device that takes nothing any more, and one that works again.
    mutating func observe(_ timing: PCMTiming) throws(PCMFailure) {
        let taken = position.written - (device.bufferFrames - timing.available)
        let hasRecovered = try health.observe(taken: taken, time: timing.hostTime, now: MonotonicTime.now)
        channel.control.isFaltering.store(health.isFaltering, ordering: .relaxed)
        if hasRecovered { channel.events.recovered() }
    }

    /// Takes in where the device stands.
    mutating func advanceClock(_ timing: PCMTiming) {
        // A device may take its time to start: until it has moved, nothing is heard.
        guard position.isAnchored || health.hasMoved else { return }
        let extraDelay = max(0, timing.delay - (device.bufferFrames - timing.available))
        channel.control.extraDelay.store(extraDelay, ordering: .relaxed)
        position.advance(timing, now: MonotonicTime.now)
    }

    /// Gives room back to the producer, for what was rendered and for what was heard.
    func releaseHeard() {
        let cursor = position.cursor
        let kept = max(position.streamHeard, cursor - Self.retained(device))
        if channel.ring.release(upTo: kept, rendered: cursor) { channel.spaceAvailable.signal() }
    }

    /// Lets the readers know.
    func publish() {
        let isRunning = phase == .running && position.isAnchored && !health.standsStill
        channel.clock.publish(position.snapshot(isRunning: isRunning, isLost: phase == .failed))
    }
}
