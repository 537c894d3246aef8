import SystemCalls

/// The clock, and the detection of a device that stands still.
extension RenderLoop {
    /// Detects a device that stands still, and one that works again.
    mutating func observe(_ timing: PCMTiming) throws(PCMFailure) {
        let taken = position.written - (device.bufferFrames - timing.available)
        let hasRecovered = try health.observe(taken: taken, time: timing.hostTime, now: MonotonicTime.now)
        channel.control.isFaltering.store(health.isFaltering, ordering: .relaxed)
        if hasRecovered { channel.events.recovered() }
    }

    /// Reads the state of the device.
    mutating func advanceClock(_ timing: PCMTiming) {
        // A device may take some time to start. Until it advances, nothing is audible.
        guard position.isAnchored || health.hasMoved else { return }
        let extraDelay = max(0, timing.delay - (device.bufferFrames - timing.available))
        channel.control.extraDelay.store(extraDelay, ordering: .relaxed)
        position.advance(timing, now: MonotonicTime.now)
    }

    /// Releases the frames that were rendered and heard.
    func releaseHeard() {
        let cursor = position.cursor
        let kept = max(position.streamHeard, cursor - Self.retained(device))
        if channel.ring.release(upTo: kept, rendered: cursor) { channel.spaceAvailable.signal() }
    }

    /// Publishes the clock.
    func publish() {
        let isRunning = phase == .running && position.isAnchored && !health.standsStill
        channel.clock.publish(position.snapshot(isRunning: isRunning, isLost: phase == .failed))
    }
}
