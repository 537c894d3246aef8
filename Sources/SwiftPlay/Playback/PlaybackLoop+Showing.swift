import MediaPipeline
import SharedFrames
import SystemCalls

/// Passing frames from the decoder's queue to the presenter, and handling the presenter's reports.
extension PlaybackLoop {
    /// Returns whether both the frame and its successor, which is already decoded, are overdue.
    func isExpired(_ frame: VideoFrame) -> Bool {
        guard !core.configuration.isUntimed, case .frame(let nextFrame)? = currentItem?.source.video.first,
            let due = clock.hostTime(of: frame.presentationTime),
            let successorDue = clock.hostTime(of: nextFrame.presentationTime)
        else { return false }
        return FramePacing.isExpired(
            due: due - displayProgress.leadTime, successorDue: successorDue - displayProgress.leadTime,
            now: MonotonicTime.now)
    }

    /// Removes `frame`, the first frame of the decoder's queue, and passes it to the item's outputs.
    ///
    /// - Returns: The frame, with the rotation and the aspect ratio that the user has set; nil if the frame belongs to
    ///   an older seek.
    func takeFrameFromQueue(_ frame: VideoFrame) -> VideoFrame? {
        _ = currentItem?.source.video.popIfAny()
        guard frame.generation == currentItem?.generations.video else { return nil }
        reporter.statistics.framesDecoded += 1
        for output in currentItem?.outputs ?? [] { output.enqueue(frame) }
        core.configuration.frameTap?(frame)
        return frame.displayed(with: pictureTransform)
    }

    /// Shows a frame as soon as possible, without waiting for the clock.
    func show(_ frame: VideoFrame, due: Int64) {
        displayProgress.preparedFrame = nil
        let router = layer?.router
        router?.show(frame, due: due)
        recordVisibleFrame(frame)
        if router == nil { didShow(frame, due: due, shownTime: MonotonicTime.now, isScheduled: false) }
    }

    /// Drops a frame. Its successor keeps its own due time.
    func drop(_ frame: VideoFrame) {
        reporter.statistics.framesDropped += 1
        currentItem?.video.didDrop(frame)
    }

    /// Handles the presenter's reports about shown and dropped frames.
    func recordPresentedFrames() {
        guard let reports = core.currentLayer?.router.takeReports() else { return }
        for report in reports.display {
            reporter.presentTimes.record(nanoseconds: report.shownTime - report.submittedTime)
            if report.isSynchronised {
                displayProgress.leadTime = FramePacing.correctedLeadTime(
                    after: displayProgress.leadTime, delay: report.shownTime - report.submittedTime)
            }
        }
        for report in reports.frames {
            let isPrepared = report.frame.id == displayProgress.preparedFrame?.id
            if isPrepared { displayProgress.preparedFrame = nil }
            if let shownTime = report.shownTime {
                if isPrepared { recordVisibleFrame(report.frame) }
                didShow(report.frame, due: report.due, shownTime: shownTime, isScheduled: report.isScheduled)
            } else if isPrepared {
                drop(report.frame)
            }
        }
    }

    /// Withdraws the scheduled frame while the clock is stopped. A frame that the layer's output is about to show
    /// counts as shown.
    func withdrawScheduledFrame() {
        recordPresentedFrames()
        guard let frame = displayProgress.preparedFrame, core.currentLayer?.router.unschedule()?.id == frame.id else {
            return
        }
        displayProgress.preparedFrame = nil
        recordVisibleFrame(frame)
    }

    /// Records a frame as the visible frame, and notifies observers.
    func recordVisibleFrame(_ frame: VideoFrame) {
        reporter.statistics.lastFrameID = frame.id
        let isFirst = currentItem?.video.lastFrame == nil
        if isFirst { currentItem?.source.video.setLimit(Self.frameLimit(frameBytes: frame.wholeByteCount)) }
        let changesSize = currentItem?.video.lastFrame?.format.displaySize != frame.format.displaySize
        currentItem?.video.didShow(frame)
        if isFirst, let warning = currentItem?.pendingProblems.warning.take() { core.notify(.warning(warning)) }
        if changesSize, let currentItem, currentItem.updatePresentationSize(frame.format.displaySize) {
            core.notify(.presentationSizeChanged(currentItem.playerItem))
        }
        if isFirst, let playerItem = currentItem?.playerItem {
            if reporter.statistics.firstFrameHostTime == nil {
                reporter.statistics.firstFrameHostTime = Timebase.hostTime
            }
            updateLayer()
            core.notify(.firstFrame(playerItem))
        }
        core.notify(.framePresented(frame))
    }

    /// Counts a frame that was passed to the layer's output.
    func didShow(_ frame: VideoFrame, due: Int64, shownTime: Int64, isScheduled: Bool) {
        reporter.statistics.framesPresented += 1
        guard clock.rate > 0, isScheduled else { return }
        if shownTime - due > FramePacing.tolerance { reporter.statistics.framesLate += 1 }
        recordAudioOffset(frame, shownTime: shownTime)
    }

    /// Returns the maximum number of frames in the decoder's queue: one frame fewer than fit in 8 MB, at least 1 (1080p
    /// and above), at most 8. Two more frames exist outside the queue: the frame that is prepared for the screen and
    /// the frame in the decoder.
    static func frameLimit(frameBytes: Int) -> Int { min(max((8 << 20) / max(frameBytes, 1) - 1, 1), 8) }
}
