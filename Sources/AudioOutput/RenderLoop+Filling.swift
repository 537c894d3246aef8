import SystemCalls

/// Rendering: from the ring through gain and fades to the device.
extension RenderLoop {
    /// Writes frames to the device while there is room and something to play.
    ///
    /// - Returns: The remaining room in frames.
    mutating func fill(space: Int) throws(PCMFailure) -> Int {
        var space = space
        let staged = chain.staged
        while space > 0 {
            if staged.framesLeft == 0,
                !stage(limit: min(space, staged.capacity), queued: device.bufferFrames - space)
            {
                break
            }
            chain.enforceGate(now: MonotonicTime.now)
            let taken = try device.write(staged.next, frames: min(staged.framesLeft, space))
            if taken == 0 { return 0 }
            staged.consume(taken)
            position.handedOver(taken)
            space -= taken
        }
        return space
    }

    /// Renders the next block of up to `limit` frames. Returns false if there is nothing to do.
    private mutating func stage(limit: Int, queued: Int) -> Bool {
        let frames = framesInRing
        switch playout.source {
        case .stream:
            if frames > 0, !playout.isStalled || isReady {
                if playout.endStall() { chain.reopen() }
                stageStream(min(limit, frames), queued: queued)
                return true
            }
        case .fadingOut:
            if frames > 0, !chain.isFadedOut {
                stageStream(min(limit, frames, chain.fadeFramesLeft), queued: queued)
                if chain.isFadedOut { finishFade(at: position.written + chain.staged.framesLeft) }
                return true
            }
            finishFade(at: position.written)
            return stage(limit: limit, queued: queued)
        case .silence:
            break
        }
        guard queued < lowMark else { return false }
        if playout.ranDry(isAtEnd: isAtEnd) { channel.events.underrun() }
        chain.stageSilence(min(limit, lowMark + device.periodFrames - queued))
        position.renderedSilence()
        return true
    }

    private mutating func stageStream(_ frames: Int, queued: Int) {
        let now = MonotonicTime.now
        chain.stageStream(
            from: channel.ring, at: position.cursor, frames: frames, now: now,
            heardAt: now + format.nanoseconds(of: queued))
        position.renderedStream(frames)
        playout.streamRendered()
    }
}
