import SystemCalls

/// Performs pauses and flushes, and detects the end of the stream.
extension RenderLoop {
    /// Performs requested pauses, flushes and resumptions while the device runs. Completes each of them once the audio
    /// before it has been heard.
    mutating func applyRequest(_ timing: PCMTiming) throws(PCMFailure) {
        let mayFade = transitions.source == .stream && request.requiresStop && framesInRing > 0
        let action = transitions.nextAction(
            for: request, written: position.writtenFrames,
            isInterruptionFading: mayFade && chain.isInterruptionFading(now: MonotonicTime.now),
            isQueueLong: timing.delay > format.frames(in: tuning.drainedQueueLimit))
        switch action {
        case .noChange: break
        case .stopImmediately: return try stopImmediately()
        case .fadeOut:
            transitions.fadeOut()
            chain.fadeOut()
        case .fadeIn:
            transitions.fadeIn()
            chain.fadeIn()
        case .flush(let heardAt):
            flush(at: position.writtenFrames + chain.stagedBlock.framesLeft, heardAt: heardAt)
            if request.isPlaying { resumeStream() }
        case .resumeStream: resumeStream()
        }
        try finishPlayedTransitions()
    }

    /// Completes a pending flush, a pause or the stream once its last audible frame has been heard.
    private mutating func finishPlayedTransitions() throws(PCMFailure) {
        if transitions.takeFlush(heard: position.playedFrames) { acknowledgeFlush() }
        let isAllWritten = chain.stagedBlock.framesLeft == 0 && isAtEnd && framesInRing == 0
        let completedTransition = transitions.completedTransition(
            heard: position.playedFrames, written: position.writtenFrames, isAllWritten: isAllWritten)
        guard completedTransition != .none else { return }
        try stopDevice()
        if completedTransition == .endOfStream { reportDrained() }
    }

    /// Handles the end of a fade-out, whose last frame lies before device frame `end`.
    mutating func finishFadeOut(at end: Int) {
        if request.isFlushPending { flush(at: end, heardAt: end) }
        if request.isPlaying { resumeStream() } else { transitions.pause(at: end) }
    }

    /// Renders the stream again after silence, with a fade-in.
    private mutating func resumeStream() {
        transitions.resumeStream()
        chain.fadeInFromSilence()
    }

    /// Reports that the last frame of the stream has been heard.
    mutating func reportDrained() {
        transitions.recordDrainReport()
        sharedState.events.reportDrained(flush: position.flushNumber)
    }

    /// Discards all samples from before the flush. The new stream starts at device frame `start`; the old stream has
    /// been heard completely when device frame `end` is audible.
    private mutating func flush(at start: Int, heardAt end: Int) {
        request.didBeginFlush()
        position.flush(
            number: request.newestFlushNumber, index: sharedState.control.flushIndex.load(ordering: .acquiring),
            at: start)
        transitions.flush(heardAt: end)
        let cursor = position.cursor
        if sharedState.ring.release(upTo: cursor, rendered: cursor) { sharedState.spaceAvailable.signal() }
    }

    /// Performs a pending flush while the device is stopped, so that no fade is necessary.
    mutating func flushStopped() {
        flush(at: position.writtenFrames, heardAt: position.writtenFrames)
        _ = transitions.takeFlush(heard: position.writtenFrames)
        acknowledgeFlush()
        publishPosition()
    }

    /// Notifies the threads that wait for a flush: no sample from before the flush is audible any longer.
    private func acknowledgeFlush() {
        sharedState.control.completedFlushes.store(position.flushNumber, ordering: .releasing)
        sharedState.control.flushEvent.signal()
    }

    /// Pauses or stops a device whose queue contains only silence.
    private mutating func stopDevice() throws(PCMFailure) {
        transitions.recordDevicePause()
        if device.canPause {
            try device.setPaused(true)
            phase = .paused
        } else {
            try device.drop()
            try device.prepare()
            phase = .stopped
            handleEmptiedDevice()
        }
        releasePlayedFrames()
        publishPosition()
    }

    /// Stops a device with a long queue at once, without a fade. Frames that were not heard are played again later,
    /// except after a flush.
    private mutating func stopImmediately() throws(PCMFailure) {
        try device.drop()
        try device.prepare()
        position.rewindToPlayed(released: sharedState.ring.oldestIndex)
        phase = .stopped
        handleEmptiedDevice()
        if request.isFlushPending { flushStopped() }
        publishPosition()
    }

    /// Updates the state after the device's queue was emptied: written frames that were not heard are lost.
    mutating func handleEmptiedDevice() {
        chain.stagedBlock.clear()
        position.recordEmptiedQueue()
        if transitions.recordEmptiedQueue() { acknowledgeFlush() }
    }
}
