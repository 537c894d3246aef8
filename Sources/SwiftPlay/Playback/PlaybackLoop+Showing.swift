import MediaPipeline
import SharedFrames
import SystemCalls

/// Frames on their way from the decoder's queue to the layer.
extension PlaybackLoop {
    /// Its time has passed, and that of the one after it, which is there to be shown in its stead.
    func isOver(_ frame: VideoFrame) -> Bool {
        guard !core.configuration.isUntimed, case .frame(let next)? = current?.source.video.first,
            let due = clock.hostTime(of: frame.presentationTime), let successorDue = clock.hostTime(of: next.presentationTime)
        else { return false }
        return FramePacing.isOver(due: due - display.lead, successorDue: successorDue - display.lead, now: MonotonicTime.now)
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

    /// Shows a frame at once, prepared or not.
    func show(_ frame: VideoFrame, due: Int64) {
        layer?.router.prepare(frame)
        display.prepared = frame
        present(frame, due: due)
    }

    func present(_ frame: VideoFrame, due: Int64) {
        takeFeedback()
        let shown = layer?.router.present(due: due) ?? MonotonicTime.now
        display.prepared = nil
        reporter.statistics.framesPresented += 1
        reporter.statistics.lastFrameID = frame.id
        if clock.rate > 0 {
            if shown - due > FramePacing.tolerance { reporter.statistics.framesLate += 1 }
            measureSync(frame, shown: shown)
        }
        let isFirst = current?.video.lastFrame == nil
        if isFirst { current?.source.video.setLimit(Self.frameLimit(frameBytes: frame.buffer.slot.size)) }
        let changesSize = current?.video.lastFrame?.format.displaySize != frame.format.displaySize
        current?.video.shown(frame)
        if isFirst, let warning = current?.problems.warning.take() { core.tell(.warning(warning)) }
        if changesSize, let current, current.report(frame.format.displaySize) {
            core.tell(.presentationSizeChanged(current.item))
        }
        if isFirst, let item = current?.item {
            if reporter.statistics.firstFrameHostTime == nil { reporter.statistics.firstFrameHostTime = Double(shown) / 1e9 }
            redraw()
            core.tell(.firstFrame(item))
        }
        core.tell(.framePresented(frame))
    }

    /// What became of the frames before.
    private func takeFeedback() {
        for report in core.currentLayer?.router.takeFeedback() ?? [] {
            reporter.presentTimes.record(nanoseconds: report.shown - report.given)
            if report.isSynchronised { display.lead = FramePacing.lead(after: display.lead, delay: report.shown - report.given) }
        }
    }

    /// How many frames the queue holds: 8 MB worth less one, 1 at least (1080p and above), 8 at most. Two more are always ahead: the one
    /// made ready for the display, and the one that the decoder holds in its hand.
    static func frameLimit(frameBytes: Int) -> Int { min(max((8 << 20) / max(frameBytes, 1) - 1, 1), 8) }
}
