import MediaPipeline
import SharedFrames
import SystemCalls

extension PlaybackLoop {
    /// How long a picture that is on its way may keep a newer seek waiting, nanoseconds. Without that a slider that is dragged
    /// would show nothing until it stands still.
    private static let pictureGrace: Int64 = 300_000_000

    /// Begins a seek; the one before it, if it is still running, is over with `false` at once, but its picture is still shown.
    func begin(_ seek: PlayerCore.SeekCommand) {
        guard var c = current, c.phase != .failed, seek.item == nil || seek.item === c.item else { return seek.completion(false) }
        c.seek.take()?.completion(false)
        c.queuedSeek.take()?.completion(false)
        if !restartsForPreroll { endPreroll(false) }
        appointment = seek.start?.host.map { (media: max(0, seek.time), host: $0) }
        if let until = c.pictureDeadline, c.phase == .priming, !c.videoHasEnded, MonotonicTime.now < until {
            c.queuedSeek = seek
            current = c
            clock.set(max(0, seek.time), host: MonotonicTime.now)
            return
        }
        var seek = seek
        // The last moment is the last frame, not the void after it.
        seek.time = max(0, seek.time)
        stepsAhead = 0
        unseenChange = .jump
        guard c.phase != .opening else {
            // Kept until the item is open.
            c.seek = seek
            current = c
            return
        }
        c.seek = seek
        c.lastGeneration &+= 1
        (c.generation, c.soundGeneration) = (c.lastGeneration, c.lastGeneration)
        c.phase = .priming
        c.pictureDeadline = MonotonicTime.now + Self.pictureGrace
        c.videoHasEnded = c.info?.video == nil
        c.audio.restart()
        c.hasReportedEnd = false
        c.isStalled = false
        c.readError = nil
        c.needsResync = false
        c.start = c.info?.video == nil ? seek.time : nil
        prepared = nil
        current = c
        clock.stop(at: MonotonicTime.now)
        clock.set(seek.time, host: MonotonicTime.now)
        flushSound()
        closeLog(c)
        for output in c.outputs { output.flush() }
        c.source.seek(SeekRequest(time: seek.time, precision: seek.precision, generation: c.generation))
        core.tell(.timeJumped)
    }

    /// Playing is not to begin at a certain time any longer. The silence before that is already on its way to the device.
    func breakAppointment() {
        current?.seek?.start = nil
        guard let broken = appointment.take(), broken.host > MonotonicTime.now, current?.phase != .opening else { return }
        begin(PlayerCore.SeekCommand(time: broken.media, precision: .exact) { _ in })
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

    /// Shows the frame that is `count` further on, or back, and stands still there. What is not decoded yet is not waited for:
    /// ``serveSteps()`` goes on when it comes.
    func step(_ count: Int) {
        guard let c = current, count != 0, c.info?.video?.isStill == false, c.lastFrame != nil || c.phase == .priming else { return }
        appointment = nil
        if c.phase == .playing { halt(now: MonotonicTime.now) }
        setRequestedRate(0)
        setStatus(.paused, nil)
        let (sum, overflows) = stepsAhead.addingReportingOverflow(max(-100_000, min(count, 100_000)))
        stepsAhead = overflows ? stepsAhead : sum
    }

    /// Takes the steps that can be taken now.
    func serveSteps() {
        guard stepsAhead != 0, let c = current, c.phase == .ready, let shown = c.lastFrame else { return }
        if stepsAhead > 0 { return stepForwards() }
        let count = stepsAhead
        stepsAhead = 0
        guard c.info?.isSeekable == true, shown.presentationTime > 0 else { return }
        // One back is whatever is seen just before, however long; more are counted in frames of this one's length.
        let back = Int64(count + 1) * min(max(shown.duration, 1_000_000), 10_000_000_000) - 1_000_000
        var seek = PlayerCore.SeekCommand(time: max(0, shown.presentationTime + back), precision: .exact) { _ in }
        seek.isStep = true
        begin(seek)
    }

    private func stepForwards() {
        var last: VideoFrame?
        while stepsAhead > 0 {
            if let frame = prepared.take() {
                last = frame
                stepsAhead -= 1
                continue
            }
            switch current?.source.video.first {
            case .frame(let frame):
                guard take(frame) else { continue }
                last = frame
                stepsAhead -= 1
            case .end:
                _ = current?.source.video.popIfAny()
                current?.videoHasEnded = true
                stepsAhead = 0
            case nil:
                if current?.videoHasEnded != false { stepsAhead = 0 }
                guard let last else { return }
                // As far as it goes for now; the rest follows when it is decoded.
                return land(on: last)
            }
        }
        if let last { land(on: last) }
    }

    private func land(on frame: VideoFrame) {
        show(frame, due: MonotonicTime.now)
        clock.set(frame.presentationTime, host: MonotonicTime.now)
        current?.needsResync = true
        unseenChange = .jump
        core.tell(.timeJumped)
    }
}

extension SeekRequest.Precision {
    /// Whether a seek to `time` that shows `frame` has gone to the frame's own time.
    func mayLand(on frame: VideoFrame, at time: Int64) -> Bool {
        switch self {
        case .exact: false
        case .keyframe: true
        case .near: !(frame.presentationTime...(frame.presentationTime + max(0, frame.duration))).contains(time)
        }
    }
}
