import SystemCalls

/// The handling of device failures.
extension RenderLoop {
    /// Records a failure: frames that were not heard are played again, and the next attempt is scheduled if there is
    /// one.
    mutating func handle(_ failure: PCMFailure) {
        guard phase != .failed else { return }
        if failure.isUnderrun {
            // Everything that was written has been heard; only staged frames have not.
            channel.events.underrun()
            if chain.staged.framesLeft > 0, let stream = chain.staged.stream { position.rewind(to: stream) }
        } else {
            position.rewindToHeard(released: channel.ring.releasedIndex)
        }
        playout.restart()
        if let attemptAt = health.failed(failure, now: MonotonicTime.now) {
            phase = .recovering(failure, attemptAt: attemptAt)
        } else {
            phase = .failed
            try? device.drop()
        }
        channel.control.isFaltering.store(true, ordering: .relaxed)
        forgetDevice()
        // If the device fails immediately after each start, the ring must not run empty or full.
        releaseHeard()
        publish()
        // Reported last, so that the clock agrees for readers of the event.
        if phase == .failed { channel.events.failed(failure) }
    }

    /// Waits until the next attempt and performs it. Handles commands meanwhile.
    mutating func recover(from failure: PCMFailure, at attemptAt: Int64) throws(PCMFailure) {
        if request.isFlushPending { flushAtRest() }
        guard MonotonicTime.now >= attemptAt else { return try sleep(until: attemptAt) }
        if failure.isSuspended {
            do throws(PCMFailure) { try device.resume() } catch {
                // The device is not awake yet, which repeats the same failure. Devices that cannot resume are prepared
                // again.
                if error.isTemporary { throw failure }
            }
        }
        if !failure.isUnderrun { try? device.drop() }
        try device.prepare()
        phase = .stopped
    }
}
