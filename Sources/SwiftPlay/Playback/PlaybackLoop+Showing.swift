import MediaPipeline
import SharedFrames
import SystemCalls

/// Frames on their way from the decoder's queue to the presenter, and what it reports of them.
extension PlaybackLoop {
    /// Its time has passed, and that of the one after it, which is there to be shown in its stead.
    func isOver(_ frame: VideoFrame) -> Bool {
        guard !core.configuration.isUntimed, case .frame(let next)? = current?.source.video.first,
            let due = clock.hostTime(of: frame.presentationTime),
            let successorDue = clock.hostTime(of: next.presentationTime)
        else { return false }
        return FramePacing.isOver(
            due: due - display.lead, successorDue: successorDue - display.lead, now: MonotonicTime.now)
    }

    /// Takes a frame out of the queue.
    ///
    /// - Returns: false for one that belongs to an older seek.
    func take(_ frame: VideoFrame) -> Bool {
        _ = current?.source.video.popIfAny()
        guard frame.generation == current?.generations.picture else { return false }
        reporter.statistics.framesDecoded += 1
        for output in current?.outputs ?? [] { output.take(frame) }
        core.configuration.frameTap?(frame)
        return true
    }

    /// Shows a frame as soon as possible.
    func show(_ frame: VideoFrame, due: Int64) {
        display.prepared = nil
        let router = layer?.router
        router?.show(frame, due: due)
        commit(frame)
        if router == nil { noteShown(frame, due: due, shown: MonotonicTime.now, isScheduled: false) }
    }

    /// Leaves a frame out. What comes after it is due all the same.
    func drop(_ frame: VideoFrame) {
        reporter.statistics.framesDropped += 1
        current?.video.passed(frame)
    }

    /// Takes what the presenter reports of the frames before.
    func notePictures() {
        guard let reports = core.currentLayer?.router.takeReports() else { return }
        for report in reports.display {
            reporter.presentTimes.record(nanoseconds: report.shown - report.given)
            if report.isSynchronised {
                display.lead = FramePacing.lead(after: display.lead, delay: report.shown - report.given)
            }
        }
        for report in reports.frames {
            let isPrepared = report.frame.id == display.prepared?.id
            if isPrepared { display.prepared = nil }
            if let shown = report.shown {
                if isPrepared { commit(report.frame) }
                noteShown(report.frame, due: report.due, shown: shown, isScheduled: report.isScheduled)
            } else if isPrepared {
                drop(report.frame)
            }
        }
    }

    /// Stops the scheduled frame from being shown while the clock stands. A frame that is about to be seen counts as
    /// shown.
    func holdPicture() {
        notePictures()
        guard let frame = display.prepared, core.currentLayer?.router.hold()?.id == frame.id else { return }
        display.prepared = nil
        commit(frame)
    }

    /// Makes a frame the one that is seen.
    func commit(_ frame: VideoFrame) {
        reporter.statistics.lastFrameID = frame.id
        let isFirst = current?.video.lastFrame == nil
        if isFirst { current?.source.video.setLimit(Self.frameLimit(frameBytes: frame.buffer.slot.size)) }
        let changesSize = current?.video.lastFrame?.format.displaySize != frame.format.displaySize
        current?.video.shown(frame)
        if isFirst, let warning = current?.problems.warning.take() { core.tell(.warning(warning)) }
        if changesSize, let current, current.report(frame.format.displaySize) {
            core.tell(.presentationSizeChanged(current.item))
        }
        if isFirst, let item = current?.item {
            if reporter.statistics.firstFrameHostTime == nil {
                reporter.statistics.firstFrameHostTime = Timebase.hostTime
            }
            redraw()
            core.tell(.firstFrame(item))
        }
        core.tell(.framePresented(frame))
    }

    /// Counts a frame that was given to the display.
    func noteShown(_ frame: VideoFrame, due: Int64, shown: Int64, isScheduled: Bool) {
        reporter.statistics.framesPresented += 1
        guard clock.rate > 0, isScheduled else { return }
        if shown - due > FramePacing.tolerance { reporter.statistics.framesLate += 1 }
        measureSync(frame, shown: shown)
    }

    /// How many frames the queue holds: 8 MB worth less one, 1 at least (1080p and above), 8 at most. Two more are
    /// always ahead: the one made ready for the display, and the one that the decoder holds in its hand.
    static func frameLimit(frameBytes: Int) -> Int { min(max((8 << 20) / max(frameBytes, 1) - 1, 1), 8) }
}
