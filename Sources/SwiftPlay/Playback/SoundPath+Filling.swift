import AudioOutput
import MediaPipeline
import SystemCalls

extension SoundPath {
    /// What the thread "sound" alone works with.
    final class Workspace {
        /// Of the feed that the rest belongs to; nil before the first.
        var epoch: UInt32?
        var number: UInt32 = 0
        /// Frames taken from the source since the last flush: the item's own time, whatever the speed.
        var taken: Int64 = 0
        var stretcher: TimeStretcher?
        /// Samples that found no room yet.
        var pending: ArraySlice<Float> = []
        var endsAfterPending = false
        /// A block whose silence before it is still being written.
        var held: PCMBlock?
        /// All of the feed is written.
        var isFinished = false
        /// Host time at which the feed is to be heard, until it is known which of the device's frames that is.
        var startsAt: Int64?
        /// Media time of the feed at which what was taken ends; nil before the first block.
        var reached: Int64?
        /// Of the track that blocks come from; the first one of another is lined up to the sample.
        var generation: UInt32?
        var mustAlign = false
        /// A device that is being opened.
        var opening: RendererOpening?
        /// Another device that is being opened, and its name.
        var move: (device: String, opening: RendererOpening)?
        /// Set from a device's loss on, or since none could be opened.
        var recovery: DeviceRecovery?
        /// What the lost device was opened as, and is to be again.
        var lostFormat: AudioFormat?
        /// Why nothing is heard, since no device could be opened; nil once one was.
        var silence: String?
        /// The lost device, which may hang: given back by the thread that opens it anew.
        var lost: AudioRenderer?
        /// Host time since which the device has been seen hanging in a call.
        var hangsSince: Int64?

        /// Begins anew on a device.
        func restart(renderer: AudioRenderer, _ feed: Feed?) {
            taken = 0
            pending = []
            held = nil
            reached = nil
            stretcher = feed?.stretcher(for: renderer.format)
        }
    }

    /// Moves one block on.
    ///
    /// - Returns: false when there is nothing to move or no room: wait.
    func fill(_ work: Workspace) -> Bool {
        guard let (feed, epoch, renderer) = state.withLock({ state in
            state.feed.flatMap { feed in state.renderer.map { (feed, state.epoch, $0) } }
        }) else { return false }
        if work.epoch != epoch || work.number != feed.number { begin(feed, epoch, renderer, work) }
        guard flushPending(work, renderer) else {
            prime(epoch)
            return false
        }
        if let time = work.startsAt { return lineUp(feed, with: time, epoch, renderer, work) }
        if work.isFinished { return join(feed, epoch, renderer, work) }
        if work.endsAfterPending {
            work.endsAfterPending = false
            work.isFinished = true
            if !join(feed, epoch, renderer, work) { finish(epoch, renderer) }
            return true
        }
        if let block = work.held.take() {
            take(block, feed, work)
            return true
        }
        guard let item = feed.source.audio.popIfAny() else { return false }
        switch item {
        case .end: end(work)
        case .block(let block):
            guard block.generation == feed.generation else { break }
            if work.generation != block.generation { (work.generation, work.mustAlign) = (block.generation, true) }
            take(block, feed, work)
        }
        return true
    }

    private func begin(_ feed: Feed, _ epoch: UInt32, _ renderer: AudioRenderer, _ work: Workspace) {
        work.epoch = epoch
        work.number = feed.number
        work.taken = 0
        work.pending = []
        work.endsAfterPending = false
        work.isFinished = false
        work.held = nil
        work.reached = nil
        work.startsAt = feed.startsAt
        work.stretcher = feed.stretcher(for: renderer.format)
    }

    /// Silence that the device runs on until it has said which of its frames is heard when, nanoseconds.
    private static let warmUp: Int64 = 100_000_000

    /// Puts silence before a feed that is to be heard at a host time. What is too late by then begins where it would be.
    ///
    /// - Returns: false when there is nothing to be done yet: wait.
    private func lineUp(_ feed: Feed, with time: Int64, _ epoch: UInt32, _ renderer: AudioRenderer, _ work: Workspace) -> Bool {
        let rate = Double(renderer.format.rate), channels = max(renderer.format.channels, 1)
        let step = renderer.format.frames(in: Self.warmUp) / 2
        guard let reading = renderer.reading, reading.isRunning else {
            guard renderer.queuedFrames < step * 2 else { return false }
            work.pending = ArraySlice(repeating: 0, count: step * channels)
            return true
        }
        let wanted = Double(reading.position) + Double(time - reading.hostTime) * rate / 1e9
        let missing: Double? = state.withLock { state in
            guard state.epoch == epoch, let last = state.segments.indices.last else { return nil }
            let missing = wanted - Double(state.written)
            guard missing < Double(step) else { return missing }
            let late = max(-missing, 0) / rate * feed.speed * 1e9
            state.segments[last].firstFrame = state.written + Int64(max(missing, 0).rounded())
            state.segments[last].origin = (feed.start ?? 0) + Int64(min(late, 4e18))
            return missing
        }
        // A flush came in between.
        guard let missing else { return true }
        if missing < Double(step) { work.startsAt = nil }
        work.pending = ArraySlice(repeating: 0, count: Int(min(max(missing.rounded(), 0), Double(step))) * channels)
        return true
    }

    /// No more of the feed is taken.
    private func end(_ work: Workspace) {
        if let rest = work.stretcher?.process([], isFinal: true) { work.pending += rest }
        work.endsAfterPending = true
    }

    /// Goes on with the feed that follows, if there is one.
    private func join(_ feed: Feed, _ epoch: UInt32, _ renderer: AudioRenderer, _ work: Workspace) -> Bool {
        let joined: (number: UInt32, silence: Int)? = state.withLock { state in
            guard state.epoch == epoch, !state.hasEnded, let (next, pictureEnd) = state.following else { return nil }
            let format = renderer.format
            // The picture of the first may be longer than its sound. Less than half a frame of it is not waited for.
            var silence = 0
            if let pictureEnd = feed.end.map({ end in pictureEnd.map { min($0, end) } }) ?? pictureEnd,
                let reached = work.reached ?? feed.start, pictureEnd - reached > 15_000_000 {
                let missing = Double(min(pictureEnd - reached, 60_000_000_000)) / feed.speed
                silence = Int(missing * Double(format.rate) / 1e9)
            }
            state.feed = next
            state.following = nil
            state.segments.append(Segment(
                number: next.number, firstFrame: state.written + Int64(silence), origin: next.start, speed: next.speed))
            if state.segments.count > 4 { state.segments.removeFirst() }
            return (next.number, silence)
        }
        guard let joined, let next = state.withLock({ $0.feed }), next.number == joined.number else { return false }
        begin(next, epoch, renderer, work)
        work.pending = ArraySlice(repeating: 0, count: joined.silence * max(renderer.format.channels, 1))
        report(.joined(feed: joined.number))
        return true
    }

    /// Lines a block up with the item's time: silence where there is a gap, a cut where blocks overlap.
    private func take(_ block: PCMBlock, _ feed: Feed, _ work: Workspace) {
        let channels = max(block.channels, 1), rate = Int64(max(block.rate, 1))
        let origin: Int64? = state.withLock { state in
            guard state.epoch == work.epoch, let last = state.segments.indices.last, state.segments[last].number == feed.number else {
                return nil
            }
            let origin = state.segments[last].origin ?? feed.start ?? block.presentationTime
            state.segments[last].origin = origin
            return origin
        }
        // A flush came in between: the block belongs to nobody.
        guard let origin else { return }
        // In two parts, so that days of sound do not overflow.
        let expected = origin + work.taken / rate * 1_000_000_000 + work.taken % rate * 1_000_000_000 / rate
        let gap = Double(block.presentationTime - expected) * Double(rate) / 1e9
        let tolerance = work.taken == 0 || work.mustAlign ? 0.5 : Double(rate) * 0.02
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
        if !samples.isEmpty { work.mustAlign = false }
        let reached = origin &+ work.taken / rate * 1_000_000_000 + work.taken % rate * 1_000_000_000 / rate
        let isLast = feed.end.map { reached >= $0 } ?? false
        if isLast, let end = feed.end {
            // Rounded to the nearest sample, for a time that came of samples.
            let surplus = Int(min((Double(reached - end) * Double(rate) / 1e9).rounded(), Double(samples.count / channels)))
            samples = samples.dropLast(max(0, surplus) * channels)
        }
        work.reached = isLast ? feed.end : reached
        work.pending = work.stretcher.map { $0.process(samples)[...] } ?? samples
        if isLast {
            work.held = nil
            end(work)
        }
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
            if taken > 0 { tap?(work.pending.prefix(taken * channels)) }
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
        if state.withLock({ $0.written == 0 }) { reportEnd() }
    }

    /// Tells once an epoch that there is enough to begin with.
    private func prime(_ epoch: UInt32) {
        let number: UInt32? = state.withLock { state in
            guard state.epoch == epoch, !state.isPrimed, let feed = state.feed else { return nil }
            state.isPrimed = true
            return feed.number
        }
        if let number { report(.primed(feed: number)) }
    }
}
