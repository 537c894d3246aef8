import SystemCalls

/// Handles failures of the device and performs recovery attempts.
extension RenderLoop {
    /// Handles a failed operation of the device: rewinds the stream to the first unheard frame and schedules the next
    /// recovery attempt, or marks the device as lost.
    mutating func handle(_ failure: PCMFailure) {
        guard phase != .failed else { return }
        if failure.isUnderrun {
            // After an underrun, all frames that were written to the device have been heard; only rendered frames that
            // the device had no room for have not.
            sharedState.events.countUnderrun()
            if chain.stagedBlock.framesLeft > 0, let index = chain.stagedBlock.ringIndex { position.rewind(to: index) }
        } else {
            position.rewindToPlayed(released: sharedState.ring.oldestIndex)
        }
        transitions.restart()
        if let attemptAt = health.recordFailure(failure, now: MonotonicTime.now) {
            phase = .recovering(failure, attemptAt: attemptAt)
        } else {
            phase = .failed
            try? device.drop()
        }
        sharedState.control.isUnreliable.store(true, ordering: .relaxed)
        handleEmptiedDevice()
        // A device that fails right after each start never plays, so only the next line releases the played frames of
        // the ring buffer. Otherwise the producer would never get space to write again.
        releasePlayedFrames()
        publishPosition()
        // Report the failure last, so that its receiver finds a clock that is already marked as lost.
        if phase == .failed { sharedState.events.reportFailure(failure) }
    }

    /// Waits until the next recovery attempt is due and performs it. Handles commands meanwhile.
    mutating func recover(from failure: PCMFailure, at attemptAt: Int64) throws(PCMFailure) {
        if request.isFlushPending { flushStopped() }
        guard MonotonicTime.now >= attemptAt else { return try sleep(until: attemptAt) }
        if failure.isSuspended {
            do throws(PCMFailure) { try device.resume() } catch {
                // The device is not ready after the sleep: throw the same failure, which schedules another attempt.
                // Devices that cannot resume are prepared again.
                if error.isTemporary { throw failure }
            }
        }
        if !failure.isUnderrun { try? device.drop() }
        try device.prepare()
        phase = .stopped
    }
}
