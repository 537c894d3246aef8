import AudioOutput
import MediaPipeline
import SystemCalls

extension SoundPath {
    /// What the thread "sound" alone works with.
    final class Workspace {
        /// Of the feed that the rest belongs to; nil before the first.
        var epoch: UInt32?
        /// Frames taken from the source since the last flush: the item's own time, whatever the speed.
        var taken: Int64 = 0
        var stretcher: TimeStretcher?
        /// Samples that found no room yet.
        var pending: ArraySlice<Float> = []
        var endsAfterPending = false
        /// A block whose silence before it is still being written.
        var held: PCMBlock?
    }

    /// Moves one block on.
    ///
    /// - Returns: false when there is nothing to move or no room: wait.
    func fill(_ work: Workspace) -> Bool {
        guard let (feed, epoch, renderer) = state.withLock({ state in
            state.feed.flatMap { feed in state.renderer.map { (feed, state.epoch, $0) } }
        }) else { return false }
        if work.epoch != epoch {
            work.epoch = epoch
            work.taken = 0
            work.pending = []
            work.endsAfterPending = false
            work.held = nil
            let format = renderer.format
            work.stretcher = feed.speed == 1 ? nil : TimeStretcher(rate: format.rate, channels: format.channels, speed: feed.speed)
        }
        guard flushPending(work, renderer) else {
            prime(epoch)
            return false
        }
        if work.endsAfterPending {
            work.endsAfterPending = false
            finish(epoch, renderer)
            return true
        }
        if let block = work.held.take() {
            take(block, feed, work)
            return true
        }
        guard let item = feed.source.audio.popIfAny() else { return false }
        switch item {
        case .end:
            if let rest = work.stretcher?.process([], isFinal: true) { work.pending = rest[...] }
            work.endsAfterPending = true
        case .block(let block): if block.generation == feed.generation { take(block, feed, work) }
        }
        return true
    }

    /// Lines a block up with the item's time: silence where there is a gap, a cut where blocks overlap.
    private func take(_ block: PCMBlock, _ feed: Feed, _ work: Workspace) {
        let channels = max(block.channels, 1), rate = Int64(max(block.rate, 1))
        let origin: Int64? = state.withLock { state in
            guard state.epoch == work.epoch else { return nil }
            let origin = state.origin ?? feed.start ?? block.presentationTime
            state.origin = origin
            return origin
        }
        // A flush came in between: the block belongs to nobody.
        guard let origin else { return }
        // In two parts, so that days of sound do not overflow.
        let expected = origin + work.taken / rate * 1_000_000_000 + work.taken % rate * 1_000_000_000 / rate
        let gap = Double(block.presentationTime - expected) * Double(rate) / 1e9
        let tolerance = work.taken == 0 ? 0.5 : Double(rate) * 0.02
        var samples = block.samples[...]
        if gap > tolerance {
            // A second at most at once, and the block after the last: sound may begin late, and a stamp may lie.
            let silence = min(Int(min(gap, 1e9).rounded()), Int(rate))
            if Double(silence) < gap - tolerance { work.held = block }
            samples = ([Float](repeating: 0, count: silence * channels) + (work.held == nil ? samples : []))[...]
        } else if gap < -tolerance {
            samples = samples.dropFirst(Int(min((-gap).rounded(), Double(samples.count))) * channels)
        }
        work.taken += Int64(samples.count / channels)
        work.pending = work.stretcher.map { $0.process(samples)[...] } ?? samples
    }

    /// Writes what is pending as far as there is room.
    ///
    /// - Returns: true when nothing is left.
    private func flushPending(_ work: Workspace, _ renderer: AudioRenderer) -> Bool {
        guard !work.pending.isEmpty, let epoch = work.epoch else { return true }
        let channels = max(renderer.format.channels, 1)
        let total: Int64? = state.withLock { state in
            guard state.epoch == epoch else { return nil }
            let taken = work.pending.withUnsafeBufferPointer { renderer.write($0) }
            work.pending = work.pending.dropFirst(taken * channels)
            state.written += Int64(taken)
            return state.written
        }
        guard let total else {
            work.pending = []
            return true
        }
        if total >= Self.primingNanoseconds * Int64(renderer.format.rate) / 1_000_000_000 { prime(epoch) }
        return work.pending.isEmpty
    }

    /// All of the item's sound is on its way to the device.
    private func finish(_ epoch: UInt32, _ renderer: AudioRenderer) {
        renderer.markEndOfStream()
        prime(epoch)
        if state.withLock({ $0.origin == nil }) { reportEnd() }
    }

    /// Tells once an epoch that there is enough to begin with.
    private func prime(_ epoch: UInt32) {
        let isNew = state.withLock { state in
            guard state.epoch == epoch, !state.isPrimed else { return false }
            state.isPrimed = true
            return true
        }
        if isNew { report(.primed(epoch: epoch)) }
    }
}
