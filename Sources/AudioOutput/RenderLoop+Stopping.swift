import SystemCalls

/// Pauses, flushes and the end of the stream.
extension RenderLoop {
    /// Moves towards what is wanted while the device runs, and ends what has been heard to its end.
    func obey(_ timing: PCMTiming) throws(PCMFailure) {
        let wantsStop = !isPlaying || isFlushPending
        switch source {
        // Who is told that its sound was taken away stops at once: the fade of that is longer than a pause's, and comes first.
        case .stream where !isPlaying && !isFlushPending && framesInRing > 0 && session?.isClosing(now: MonotonicTime.now) == true: break
        case .stream where wantsStop:
            if timing.delay > format.frames(in: tuning.longestPlayOut) { return try cut() }
            source = .fadingOut
            envelope.isOpening = false
        case .fadingOut where !wantsStop:
            source = .stream
            envelope.isOpening = true
        case .silent where wantsStop && isFlushPending:
            applyFlush(at: written + staged.framesLeft, heardAt: pauseAt ?? written)
            if isPlaying { reopen() }
        case .silent where !wantsStop:
            reopen()
        default:
            break
        }
        try finishWhatWasHeard()
    }

    private func finishWhatWasHeard() throws(PCMFailure) {
        if let end = flushedAt, heard >= end { acknowledgeFlush() }
        if source == .silent, let end = pauseAt, heard >= end { return try stopDevice() }
        guard source == .stream, staged.framesLeft == 0, isAtEnd, framesInRing == 0, !isDrainReported else {
            drainAt = nil
            return
        }
        let end = drainAt ?? written
        drainAt = end
        if heard >= end {
            try stopDevice()
            reportDrained()
        }
    }

    /// The fade-out is rendered; its last frame is the one before device frame `end`.
    func finishFade(at end: Int) {
        if isFlushPending { applyFlush(at: end, heardAt: end) }
        if isPlaying {
            reopen()
        } else {
            source = .silent
            pauseAt = end
        }
    }

    private func reopen() {
        source = .stream
        pauseAt = nil
        envelope.reset()
        envelope.isOpening = true
    }

    func reportDrained() {
        isDrainReported = true
        drainAt = nil
        events.drained(flush: flush)
    }

    /// Forgets all old samples. From device frame `start` on, the stream is new; at `end` the last old frame has been heard.
    private func applyFlush(at start: Int, heardAt end: Int) {
        isFlushPending = false
        flush = flushesSeen
        base = control.flushIndex.load(ordering: .acquiring)
        cursor = max(cursor, base)
        // The new samples may take their time: that is no underrun.
        isStalled = true
        isDrainReported = false
        drainAt = nil
        flushedAt = end
        map.append(device: start, stream: cursor, advances: false)
        if ring.release(upTo: cursor, rendered: cursor) { spaceAvailable.signal() }
    }

    /// A flush while nothing sounds.
    func flushAtRest() {
        applyFlush(at: written, heardAt: written)
        acknowledgeFlush()
        publish()
    }

    private func acknowledgeFlush() {
        flushedAt = nil
        control.flushesDone.store(flush, ordering: .releasing)
        control.flushed.signal()
    }

    /// Stops a device that has played everything but silence.
    private func stopDevice() throws(PCMFailure) {
        pauseAt = nil
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

    /// Stops at once a device that has too much queued to wait for. What was not heard is played again, unless flushed.
    private func cut() throws(PCMFailure) {
        try device.drop()
        try device.prepare()
        rewindToHeard()
        phase = .stopped
        forgetDevice()
        if isFlushPending { flushAtRest() }
        publish()
    }

    /// Sets the cursor back to the first frame that was not heard.
    func rewindToHeard() {
        cursor = min(cursor, max(map.stream(at: heard), ring.releasedIndex, base))
    }

    /// The device is empty: what was handed over and not heard will not be.
    func forgetDevice() {
        staged.clear()
        heard = written
        map.reset(device: written, stream: cursor)
        pauseAt = nil
        drainAt = nil
        if flushedAt != nil { acknowledgeFlush() }
    }
}
