import SystemCalls

/// Renders samples: reads them from the ring buffer, applies volume and fades, and writes them to the device.
extension RenderLoop {
    /// Writes frames to the device while its buffer has room and there is something to play. Leaves less than a quarter
    /// of a period for the next call: to a sound server, each write is a message of its own.
    ///
    /// - Returns: The number of frames that still fit into the device's buffer.
    mutating func fillDevice(space: Int) throws(PCMFailure) -> Int {
        var space = space
        let stagedBlock = chain.stagedBlock
        while space > device.periodFrames / 4 {
            if stagedBlock.framesLeft == 0,
                !renderBlock(limit: min(space, stagedBlock.capacity), queued: device.bufferFrames - space)
            {
                break
            }
            chain.muteStagedIfInterrupted(now: MonotonicTime.now)
            let acceptedFrames = try device.write(stagedBlock.nextFrame, frames: min(stagedBlock.framesLeft, space))
            if acceptedFrames == 0 { return 0 }
            stagedBlock.consume(acceptedFrames)
            position.didWrite(acceptedFrames)
            space -= acceptedFrames
        }
        return space
    }

    /// Renders the next block of up to `limit` frames into ``StagedBlock``, from which they are written to the device.
    ///
    /// - Parameter queued: The number of frames in the device's queue.
    /// - Returns: Whether a block was rendered; false if no frames are needed or available.
    private mutating func renderBlock(limit: Int, queued: Int) -> Bool {
        let frames = framesInRing
        switch transitions.source {
        case .stream:
            if frames > 0, !transitions.isStalled || isReadyToStart {
                if transitions.endStall() { chain.fadeInFromSilence() }
                renderStream(min(limit, frames), queued: queued)
                return true
            }
        case .fadingOut:
            if frames > 0, !chain.isFadedOut {
                renderStream(min(limit, frames, chain.fadeFramesLeft), queued: queued)
                if chain.isFadedOut { finishFadeOut(at: position.writtenFrames + chain.stagedBlock.framesLeft) }
                return true
            }
            finishFadeOut(at: position.writtenFrames)
            return renderBlock(limit: limit, queued: queued)
        case .silence:
            break
        }
        guard queued < silenceThreshold else { return false }
        if transitions.recordEmptyRing(isAtEnd: isAtEnd) { sharedState.events.countUnderrun() }
        chain.stageSilence(min(limit, silenceThreshold + device.periodFrames - queued))
        position.didRenderSilence()
        return true
    }

    /// Renders frames of the stream, and records that they are the next to be written to the device.
    private mutating func renderStream(_ frames: Int, queued: Int) {
        let now = MonotonicTime.now
        chain.stageStream(
            from: sharedState.ring, at: position.cursor, frames: frames, now: now,
            heardAt: now + format.nanoseconds(of: queued))
        position.didRenderStream(frames)
        transitions.recordRenderedStream()
    }
}
