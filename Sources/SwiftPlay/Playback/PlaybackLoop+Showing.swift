import MediaPipeline
import SharedFrames
import SystemCalls

/// Frames on their way from the decoder's queue to the presenter, and the presenter's reports.
extension PlaybackLoop {
    /// Returns whether both the frame and its successor, which is already decoded, are overdue.
    func isOver(_ frame: VideoFrame) -> Bool {
        guard !core.configuration.isUntimed, case .frame(let next)? = current?.source.video.first,
            let due = clock.hostTime(of: frame.presentationTime),
            let successorDue = clock.hostTime(of: next.presentationTime)
        else { return false }
        return FramePacing.isOver(
            due: due - display.lead, successorDue: successorDue - display.lead, now: MonotonicTime.now)
    }

    /// Removes a frame from the queue.
    ///
    /// - Returns: false if the frame belongs to an older seek.
    func take(_ frame: VideoFrame) -> Bool {
        _ = current?.source.video.popIfAny()
        guard frame.generation == current?.generations.picture else { return false }
        reporter.statistics.framesDecoded += 1
        for output in current?.outputs ?? [] { output.take(frame) }
        core.configuration.frameTap?(frame)
        return true
    }

    /// Shows a frame as soon as possible, without waiting for the clock.
    func show(_ frame: VideoFrame, due: Int64) {
        display.prepared = nil
        let router = layer?.router
        router?.show(frame, due: due)
        commit(frame)
        if router == nil { noteShown(frame, due: due, shown: MonotonicTime.now, isScheduled: false) }
    }

    /// Drops a frame. Its successor keeps its own due time.
    func drop(_ frame: VideoFrame) {
        reporter.statistics.framesDropped += 1
        current?.video.passed(frame)
    }

    /// Handles the presenter's reports.
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

    /// Withdraws the scheduled frame while the clock stands. A frame that the display is about to show counts as shown.
    func holdPicture() {
        notePictures()
        guard let frame = display.prepared, core.currentLayer?.router.hold()?.id == frame.id else { return }
        display.prepared = nil
        commit(frame)
    }

    /// Records a frame as the visible one.
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

    /// Counts a frame that was passed to the display.
    func noteShown(_ frame: VideoFrame, due: Int64, shown: Int64, isScheduled: Bool) {
        reporter.statistics.framesPresented += 1
        guard clock.rate > 0, isScheduled else { return }
        if shown - due > FramePacing.tolerance { reporter.statistics.framesLate += 1 }
        measureSync(frame, shown: shown)
    }

    /// Returns the frame limit of the queue: one frame fewer than fit in 8 MB, at least 1 (1080p and above), at
    /// most 8. Two more frames exist outside the queue: one is prepared for the display, the other is in the decoder.
    static func frameLimit(frameBytes: Int) -> Int { min(max((8 << 20) / max(frameBytes, 1) - 1, 1), 8) }
}
