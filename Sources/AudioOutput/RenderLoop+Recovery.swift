import SystemCalls

/// The one place that knows what to do when the device fails.
extension RenderLoop {
    /// Notes a failure: what was not heard will be played again, and the next attempt is due soon, or never.
    func handle(_ failure: PCMFailure) {
        guard phase != .failed else { return }
        if failure.isUnderrun {
            // All that was written has been heard; only what is staged has not.
            events.underrun()
            if staged.framesLeft > 0, let stream = staged.stream, stream >= base { cursor = min(cursor, stream) }
        } else {
            rewindToHeard()
        }
        source = .stream
        isStalled = false
        needsProof = true
        control.isFaltering.store(true, ordering: .relaxed)
        lastFailureWasUnderrun = failure.isUnderrun
        attempts += 1
        if failure.isFinal || attempts > tuning.attempts {
            phase = .failed
            try? device.drop()
        } else {
            phase = .recovering(failure)
            let pause = attempts == 1 ? 0 : tuning.backoff << min(attempts - 2, 10)
            nextAttempt = MonotonicTime.now + pause
        }
        forgetDevice()
        // A device that fails as soon as it begins would be out of samples soon: there must be room for more.
        releaseHeard()
        publish()
        // Told last: whoever hears it finds the clock saying so too.
        if phase == .failed { events.failed(failure) }
    }

    /// Waits until the next attempt is due and makes it. Commands are obeyed in between.
    func recover(from failure: PCMFailure) throws(PCMFailure) {
        if isFlushPending { flushAtRest() }
        guard MonotonicTime.now >= nextAttempt else { return try sleep(until: nextAttempt) }
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
