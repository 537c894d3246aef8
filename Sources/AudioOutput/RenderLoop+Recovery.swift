import SystemCalls

/// The one place that knows what to do when the device fails.
extension RenderLoop {
    /// Notes a failure: what was not heard will be played again, and the next attempt is due soon, or never.
    mutating func handle(_ failure: PCMFailure) {
        guard phase != .failed else { return }
        if failure.isUnderrun {
            // All that was written has been heard; only what is staged has not.
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
        // A device that fails as soon as it begins would be out of samples soon: there must be room for more.
        releaseHeard()
        publish()
        // Reported last: whoever reads it finds the clock saying so too.
        if phase == .failed { channel.events.failed(failure) }
    }

    /// Waits until the next attempt is due and makes it. Commands are obeyed in between.
    mutating func recover(from failure: PCMFailure, at attemptAt: Int64) throws(PCMFailure) {
        if request.isFlushPending { flushAtRest() }
        guard MonotonicTime.now >= attemptAt else { return try sleep(until: attemptAt) }
        if failure.isSuspended {
            do throws(PCMFailure) { try device.resume() } catch {
                // Not awake yet: that is the same failure once more. Devices that cannot resume are prepared anew.
                if error.isTemporary { throw failure }
            }
        }
        if !failure.isUnderrun { try? device.drop() }
        try device.prepare()
        phase = .stopped
    }
}
