import SystemCalls

/// Rendering: from the ring through fade and gain into the device.
extension RenderLoop {
    /// Hands frames over while there is room for `space` of them and something to play.
    ///
    /// - Returns: the room that is left.
    func fill(space: Int) throws(PCMFailure) -> Int {
        var space = space
        while space > 0 {
            if staged.framesLeft == 0, !stage(limit: min(space, staged.capacity), queued: device.bufferFrames - space) { break }
            // Between rendering and this the process may have been frozen, and its sound taken away.
            if session?.forbids(now: MonotonicTime.now) == true { staged.silence() }
            let taken = try device.write(staged.next, frames: min(staged.framesLeft, space))
            if taken == 0 { return 0 }
            staged.consume(taken)
            written += taken
            space -= taken
        }
        return space
    }

    /// Renders the next block of up to `limit` frames; false when there is nothing to do now.
    private func stage(limit: Int, queued: Int) -> Bool {
        let frames = framesInRing
        switch source {
        case .stream:
            if frames > 0, !isStalled || isReady {
                if isStalled {
                    isStalled = false
                    envelope.reset()
                }
                stageStream(min(limit, frames), queued: queued)
                return true
            }
        case .fadingOut:
            if frames > 0, !envelope.isClosed {
                stageStream(min(limit, frames, envelope.framesLeft), queued: queued)
                if envelope.isClosed { finishFade(at: written + staged.framesLeft) }
                return true
            }
            finishFade(at: written)
            return stage(limit: limit, queued: queued)
        case .silent:
            break
        }
        guard queued < lowMark else { return false }
        if source == .stream, !isStalled, !isAtEnd {
            isStalled = true
            events.underrun()
        }
        stageSilence(min(limit, lowMark + device.periodFrames - queued))
        return true
    }

    private func stageStream(_ frames: Int, queued: Int) {
        ring.copy(from: cursor, count: frames, into: staged.samples)
        gain.apply(to: staged.samples, frames: frames, channels: format.channels)
        envelope.apply(to: staged.samples, frames: frames, channels: format.channels)
        let now = MonotonicTime.now
        session?.apply(to: staged.samples, frames: frames, channels: format.channels, now: now, heardAt: now + format.nanoseconds(of: queued))
        declicker.note(staged.samples, frames: frames)
        map.append(device: written, stream: cursor, advances: true)
        staged.fill(frames: frames, stream: cursor)
        cursor += frames
        isDrainReported = false
    }

    private func stageSilence(_ frames: Int) {
        declicker.fill(staged.samples, frames: frames)
        map.append(device: written, stream: cursor, advances: false)
        staged.fill(frames: frames, stream: nil)
    }
}
