import SystemCalls

/// Publishes the audible position, and detects a device that no longer consumes samples.
extension RenderLoop {
    /// Detects a device that no longer consumes samples, and a failed device that works again.
    mutating func observe(_ timing: PCMTiming) throws(PCMFailure) {
        let consumedFrames = position.writtenFrames - (device.bufferFrames - timing.available)
        let hasRecovered = try health.observe(
            consumed: consumedFrames, time: timing.hostTime, now: MonotonicTime.now)
        sharedState.control.isUnreliable.store(health.isUnreliable, ordering: .relaxed)
        if hasRecovered { sharedState.events.countRecovery() }
    }

    /// Updates the latency and the clock with the state of the device.
    mutating func advanceClock(_ timing: PCMTiming) {
        // A device may take some time to start. Until its position advances, nothing is audible.
        guard position.hasDeviceReport || health.hasConsumedFrames else { return }
        let latencyAfterQueue = max(0, timing.delay - (device.bufferFrames - timing.available))
        sharedState.control.latencyAfterQueue.store(latencyAfterQueue, ordering: .relaxed)
        position.advance(timing, now: MonotonicTime.now)
    }

    /// Releases the frames of the ring buffer that were heard. Frames that were rendered but not heard stay, at most
    /// ``retainedFrames(_:)`` of them, so that they can be played again after a device failure.
    func releasePlayedFrames() {
        let cursor = position.cursor
        let firstKeptIndex = max(position.playedStreamIndex, cursor - Self.retainedFrames(device))
        if sharedState.ring.release(upTo: firstKeptIndex, rendered: cursor) { sharedState.spaceAvailable.signal() }
    }

    /// Publishes the audible position for readers of the clock.
    func publishPosition() {
        let isRunning = phase == .running && position.hasDeviceReport && !health.isPositionStuck
        sharedState.clock.publish(position.snapshot(isRunning: isRunning, isLost: phase == .failed))
    }
}
