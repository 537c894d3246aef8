import MediaPipeline
import SharedFrames
import SystemCalls

extension PlaybackLoop {
    /// How long a picture that is on its way may keep a newer seek waiting, nanoseconds. Without that a slider that is dragged
    /// would show nothing until it stands still.
    private static let pictureGrace: Int64 = 300_000_000

    /// Begins a seek; the one before it, if it is still running, is over with `false` at once, but its picture is still shown.
    func begin(_ seek: PlayerCore.SeekCommand) {
        guard var c = current, c.phase != .failed else { return seek.completion(false) }
        c.seek.take()?.completion(false)
        c.queuedSeek.take()?.completion(false)
        if let until = c.pictureDeadline, c.phase == .priming, !c.videoHasEnded, MonotonicTime.now < until {
            c.queuedSeek = seek
            current = c
            clock.set(max(0, seek.time), host: MonotonicTime.now)
            return
        }
        var seek = seek
        // The last moment is the last frame, not the void after it.
        seek.time = max(0, seek.time)
        guard c.phase != .opening else {
            // Kept until the item is open.
            c.seek = seek
            current = c
            return
        }
        c.seek = seek
        c.generation &+= 1
        c.phase = .priming
        c.pictureDeadline = MonotonicTime.now + Self.pictureGrace
        c.videoHasEnded = c.info?.video == nil
        c.soundHasEnded = !c.hasSound && !c.soundIsUnheard
        c.soundIsPrimed = false
        c.hasReportedEnd = false
        c.needsResync = false
        c.start = c.info?.video == nil ? seek.time : nil
        prepared = nil
        current = c
        clock.stop(at: MonotonicTime.now)
        clock.set(seek.time, host: MonotonicTime.now)
        sound?.flush()
        c.source.seek(SeekRequest(time: seek.time, precision: seek.precision, generation: c.generation))
        core.tell(.timeJumped)
    }

    /// Begins the seek that waited for the picture of the one before it.
    ///
    /// - Returns: whether there was one.
    func beginQueuedSeek() -> Bool {
        current?.pictureDeadline = nil
        guard let queued = current?.queuedSeek.take() else { return false }
        begin(queued)
        return true
    }

    /// Shows the next frame, or an earlier one, and stands still there.
    func step(_ count: Int) {
        guard var c = current, count != 0, c.info?.video?.isStill == false, let shown = c.lastFrame else { return }
        if c.phase == .playing {
            sound?.pause()
            clock.stop(at: MonotonicTime.now)
            c.phase = .ready
            current = c
        }
        setRequestedRate(0)
        setStatus(.paused, nil)
        guard c.phase == .ready else { return }
        if count > 0, let next = nextFrame(after: shown, steps: count) {
            show(next, due: MonotonicTime.now)
            clock.set(next.presentationTime, host: MonotonicTime.now)
            current?.needsResync = true
            core.tell(.timeJumped)
        } else if count < 0 {
            // One millisecond into the frame that is so many frames back.
            let time = shown.presentationTime + Int64(max(count, -100_000)) * min(max(shown.duration, 1_000_000), 10_000_000_000) + 1_000_000
            begin(PlayerCore.SeekCommand(time: max(0, time), precision: .exact) { _ in })
        }
    }

    /// Waits for the frame that is `steps` further on, for as long as decoding it may take.
    private func nextFrame(after shown: VideoFrame, steps: Int) -> VideoFrame? {
        var left = steps
        if let frame = prepared.take() {
            left -= 1
            if left == 0 { return frame }
        }
        guard current?.videoHasEnded == false else { return nil }
        let deadline = MonotonicTime.now + 2_000_000_000
        while let item = current?.source.video.pop(until: deadline) {
            switch item {
            case .end:
                current?.videoHasEnded = true
                return nil
            case .frame(let frame):
                guard frame.generation == current?.generation else { continue }
                statistics.framesDecoded += 1
                core.configuration.frameTap?(frame)
                left -= 1
                if left == 0 { return frame }
            }
        }
        return nil
    }
}
