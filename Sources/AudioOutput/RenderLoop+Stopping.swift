import SystemCalls

/// Pauses, flushes and the end of the stream.
extension RenderLoop {
    /// Performs requests while the device runs, and completes what has been heard.
    mutating func obey(_ timing: PCMTiming) throws(PCMFailure) {
        let mayFade = playout.source == .stream && request.wantsStop && framesInRing > 0
        let step = playout.step(
            for: request, written: position.written,
            isInterruptionFading: mayFade && chain.isInterruptionFading(now: MonotonicTime.now),
            isQueueLong: timing.delay > format.frames(in: tuning.longestPlayOut))
        switch step {
        case .carryOn: break
        case .cut: return try cut()
        case .fadeOut:
            playout.fadeOut()
            chain.fadeOut()
        case .fadeIn:
            playout.fadeIn()
            chain.fadeIn()
        case .flush(let heardAt):
            flush(at: position.written + chain.staged.framesLeft, heardAt: heardAt)
            if request.isPlaying { reopen() }
        case .reopen: reopen()
        }
        try finishWhatWasHeard()
    }

    private mutating func finishWhatWasHeard() throws(PCMFailure) {
        if playout.takeFlush(heard: position.heard) { acknowledgeFlush() }
        let isAllWritten = chain.staged.framesLeft == 0 && isAtEnd && framesInRing == 0
        let ending = playout.ending(heard: position.heard, written: position.written, isAllWritten: isAllWritten)
        guard ending != .none else { return }
        try stopDevice()
        if ending == .stream { reportDrained() }
    }

    /// Handles the end of the fade-out, up to device frame `end`.
    mutating func finishFade(at end: Int) {
        if request.isFlushPending { flush(at: end, heardAt: end) }
        if request.isPlaying { reopen() } else { playout.pause(at: end) }
    }

    private mutating func reopen() {
        playout.reopen()
        chain.reopen()
    }

    mutating func reportDrained() {
        playout.drainReported()
        channel.events.drained(flush: position.flush)
    }

    /// Discards all old samples. The new stream starts at device frame `start`; the old one has been heard at `end`.
    private mutating func flush(at start: Int, heardAt end: Int) {
        request.flushBegan()
        position.flush(
            number: request.flushes, index: channel.control.flushIndex.load(ordering: .acquiring), at: start)
        playout.flush(heardAt: end)
        let cursor = position.cursor
        if channel.ring.release(upTo: cursor, rendered: cursor) { channel.spaceAvailable.signal() }
    }

    /// Flushes while nothing is audible.
    mutating func flushAtRest() {
        flush(at: position.written, heardAt: position.written)
        _ = playout.takeFlush(heard: position.written)
        acknowledgeFlush()
        publish()
    }

    private func acknowledgeFlush() {
        channel.control.flushesDone.store(position.flush, ordering: .releasing)
        channel.control.flushed.signal()
    }

    /// Stops a device that contains only silence.
    private mutating func stopDevice() throws(PCMFailure) {
        playout.deviceStopped()
        if device.canPause {
            try device.setPaused(true)
            phase = .paused
        } else {
            try device.drop()
            try device.prepare()
            phase = .stopped
            forgetDevice()
        }
        releaseHeard()
        publish()
    }

    /// Stops a device with a long queue at once. Frames that were not heard are played again unless they are flushed.
    private mutating func cut() throws(PCMFailure) {
        try device.drop()
        try device.prepare()
        position.rewindToHeard(released: channel.ring.releasedIndex)
        phase = .stopped
        forgetDevice()
        if request.isFlushPending { flushAtRest() }
        publish()
    }

    /// Handles an empty device: written frames that were not heard are lost.
    mutating func forgetDevice() {
        chain.staged.clear()
        position.deviceEmptied()
        if playout.deviceEmptied() { acknowledgeFlush() }
    }
}
