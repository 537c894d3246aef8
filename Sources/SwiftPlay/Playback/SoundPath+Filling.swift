import AudioOutput
import MediaPipeline
import SystemCalls

extension SoundPath {
    /// Writes the next block, or part of it, to the device.
    ///
    /// - Returns: false if there is no block or no space in the ring; the caller waits.
    func fill(_ writer: inout Writer) -> Bool {
        guard
            let (feed, epoch, renderer) = state.withLock({ state in
                state.timeline.feed.flatMap { feed in state.device.renderer.map { (feed, state.timeline.epoch, $0) } }
            })
        else { return false }
        if writer.epoch != epoch || writer.number != feed.number { writer.begin(feed, epoch, renderer) }
        guard flushPending(&writer, renderer) else {
            prime(epoch)
            return false
        }
        if let time = writer.startsAt { return lineUp(feed, with: time, epoch, renderer, &writer) }
        if writer.isFinished { return join(feed, epoch, renderer, &writer) }
        if writer.endsAfterPending {
            writer.endsAfterPending = false
            writer.isFinished = true
            if !join(feed, epoch, renderer, &writer) { finish(epoch, renderer) }
            return true
        }
        if let block = writer.aligner.takeHeld() {
            take(block, feed, &writer)
            return true
        }
        guard let item = feed.source.audio.popIfAny() else { return false }
        switch item {
        case .end: writer.end()
        case .block(let block):
            guard block.generation == feed.generation else { break }
            writer.aligner.expect(block.generation)
            take(block, feed, &writer)
        }
        return true
    }

    /// The length of the silence that keeps the device running until it reports which of its frames is audible at which
    /// time, nanoseconds.
    private static let warmUp: Int64 = 100_000_000

    /// Writes silence before a feed that is to be audible at a host time. If the feed is too late for that, its
    /// beginning is skipped.
    ///
    /// - Returns: false if the position is not known yet; the caller waits.
    private func lineUp(
        _ feed: Feed, with time: Int64, _ epoch: UInt32, _ renderer: AudioRenderer, _ writer: inout Writer
    ) -> Bool {
        let rate = renderer.format.rate, channels = renderer.format.channels
        let step = renderer.format.frames(in: Self.warmUp) / 2
        guard let reading = renderer.reading, reading.isRunning else {
            guard renderer.queuedFrames < step * 2 else { return false }
            writer.setSilence(frames: step, channels: channels)
            return true
        }
        let wanted = Double(reading.position) + Double(time - reading.hostTime) * Double(rate) / 1e9
        let missing = state.withLock {
            $0.timeline.lineUp(feed, at: wanted, rate: rate, limit: step, epoch: epoch)
        }
        // The timeline was flushed in between.
        guard let missing else { return true }
        if missing < Double(step) { writer.startsAt = nil }
        writer.setSilence(frames: Int(min(max(missing.rounded(), 0), Double(step))), channels: channels)
        return true
    }

    /// Continues with the next feed.
    ///
    /// - Returns: false if no feed follows.
    private func join(_ feed: Feed, _ epoch: UInt32, _ renderer: AudioRenderer, _ writer: inout Writer) -> Bool {
        let reached = writer.aligner.reached, format = renderer.format
        let joined = state.withLock {
            $0.timeline.join(after: feed, reached: reached, rate: format.rate, epoch: epoch)
        }
        guard let (next, silence) = joined else { return false }
        writer.begin(next, epoch, renderer)
        writer.setSilence(frames: silence, channels: format.channels)
        report(.joined(feed: next.number))
        return true
    }

    /// Aligns a block with the item's time.
    private func take(_ block: PCMBlock, _ feed: Feed, _ writer: inout Writer) {
        let epoch = writer.epoch
        // After a flush the block is obsolete.
        guard
            let origin = state.withLock({
                $0.timeline.origin(of: feed, epoch: epoch, firstBlock: block.presentationTime)
            })
        else { return }
        let aligned = writer.aligner.align(block, from: origin, to: feed.end)
        writer.pending = writer.stretcher.map { $0.process(aligned.samples)[...] } ?? aligned.samples
        if aligned.isLast { writer.end() }
    }

    /// Writes pending samples as far as there is space in the ring.
    ///
    /// - Returns: true if no samples are left.
    private func flushPending(_ writer: inout Writer, _ renderer: AudioRenderer) -> Bool {
        guard !writer.pending.isEmpty, let epoch = writer.epoch else { return true }
        let channels = max(renderer.format.channels, 1)
        let total: Int64? = state.withLock { state in
            guard state.timeline.epoch == epoch else { return nil }
            let taken = writer.pending.withUnsafeBufferPointer { renderer.write($0) }
            if taken > 0 { tap?(writer.pending.prefix(taken * channels)) }
            writer.pending = writer.pending.dropFirst(taken * channels)
            state.timeline.wrote(taken)
            return state.timeline.written
        }
        guard let total else {
            writer.pending = []
            return true
        }
        if total >= Self.primingNanoseconds * Int64(renderer.format.rate) / 1_000_000_000 { prime(epoch) }
        return writer.pending.isEmpty
    }

    /// Marks the end of the stream after the last block of the item was written.
    private func finish(_ epoch: UInt32, _ renderer: AudioRenderer) {
        renderer.markEndOfStream()
        prime(epoch)
        if state.withLock({ $0.timeline.written == 0 }) { reportEnd() }
    }

    /// Reports, once per epoch, that there is enough audio to start.
    private func prime(_ epoch: UInt32) {
        if let number = state.withLock({ $0.timeline.prime(epoch: epoch) }) { report(.primed(feed: number)) }
    }
}
