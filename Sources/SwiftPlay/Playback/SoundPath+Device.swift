import AudioOutput
import SystemCalls

/// The device: opening it, losing it, and having it back. On the thread "sound", which is never in one of the device's calls itself.
extension SoundPath {
    func openDevice(_ wanted: AudioFormat, _ work: Workspace) {
        if let old = state.withLock({ $0.renderer == nil ? nil : $0.openedFor }), old == wanted { return report(.opened(isSilent: work.silence != nil)) }
        if work.recovery == nil, work.opening?.wanted == wanted { return }
        work.opening?.abandon()
        work.recovery = nil
        let old = state.update { state in
            if let old = state.renderer { state.figures.add(old) }
            return state.renderer.take()
        }
        old?.beginClosing()
        work.opening = open(wanted, channels, after: old ?? work.lost.take())
        if work.opening == nil { report(.unavailable("cannot start a thread")) }
    }

    private func open(_ wanted: AudioFormat, _ channels: ChannelChoice, after old: AudioRenderer?) -> RendererOpening? {
        let (backend, period) = state.withLock { ($0.backend, $0.period) }
        return try? RendererOpening(
            backend: backend, wanted: wanted, channels: channels, period: period, name: "sound out", session: session, after: old)
    }

    /// Takes a device that has been opened by now.
    func takeOpened(_ work: Workspace) {
        guard let opening = work.opening, let outcome = opening.take() else { return }
        work.opening = nil
        guard work.recovery == nil else { return takeBack(outcome, work) }
        switch outcome {
        case .success(let made):
            install(made)
            work.silence = nil
            state.update { $0.openedFor = opening.wanted }
            report(.opened(isSilent: false))
        case .failure(let error): standIn(for: opening.wanted, "\(error)", work)
        }
    }

    /// Nothing plays in the place of a device that cannot be had: the item takes its time as if it were heard, and the device is tried again.
    private func standIn(for wanted: AudioFormat, _ reason: String, _ work: Workspace) {
        // Decoded into what every device takes: it cannot be changed when there is one.
        let form = wanted.channels > 2 ? AudioFormat(rate: wanted.rate, channels: 2) : wanted
        do {
            let stand = try AudioRenderer(backend: .null, wanted: form, name: "sound out")
            install(stand)
            state.update { $0.openedFor = wanted }
            work.recovery = DeviceRecovery(lostAt: MonotonicTime.now)
            work.lostFormat = stand.format
            tellSilent(reason, work)
            report(.opened(isSilent: true))
        } catch { report(.unavailable(reason)) }
    }

    private func tellSilent(_ reason: String, _ work: Workspace) {
        if reason != work.silence { report(.silent(reason)) }
        work.silence = reason
    }

    private func install(_ made: AudioRenderer) {
        let (volume, muted) = state.update { state in
            state.renderer = made
            return (state.volume, state.isMuted)
        }
        if volume != 1 || muted { made.setVolume(volume, muted: muted, ramp: 0) }
    }

    // MARK: a device that hangs

    /// Between seeing a device hang and believing it: after this process was stopped itself, its threads come back one after the other.
    private static let secondLook: Int64 = 100_000_000

    /// Notices a device that does not come back from a call, which it cannot tell itself.
    func watchDevice(_ work: Workspace) {
        let now = MonotonicTime.now
        guard let renderer = state.withLock({ $0.renderer }), renderer.due < now else { return work.hangsSince = nil }
        let since = work.hangsSince ?? now
        work.hangsSince = since
        guard now - since >= Self.secondLook else { return }
        work.hangsSince = nil
        lose(renderer, "the device does not come back from a call. Check that the sound server runs (`pactl info`)", work)
    }

    /// When that is to be looked at, host time.
    func nextLook(at renderer: AudioRenderer?, _ work: Workspace) -> Int64? {
        if let since = work.hangsSince { return since + Self.secondLook }
        guard let due = renderer?.due, due != .max else { return nil }
        return due + 1_000_000
    }

    // MARK: a device that goes and comes back

    /// Nothing plays in the lost device's place, at its pace: the picture and the source notice nothing.
    func lose(_ old: AudioRenderer, _ reason: String, hasWrongClock: Bool = false, _ work: Workspace) {
        let now = MonotonicTime.now
        old.beginClosing()
        work.lost = old
        state.update { state in
            state.figures.add(old)
            state.figures.losses += 1
            state.heardBeforeLoss = state.heardBeforeLoss ?? state.lastHeard
        }
        do {
            replace(old, by: try AudioRenderer(backend: .null, wanted: old.format, name: "sound out"), work)
        } catch {
            state.update { $0.renderer = nil }
            return report(.unavailable(reason))
        }
        let isNews = work.recovery?.lost(at: now, hasWrongClock: hasWrongClock) ?? true
        work.recovery = work.recovery ?? DeviceRecovery(lostAt: now, hasWrongClock: hasWrongClock)
        work.lostFormat = old.format
        report(.lost(reason, isNews: isNews))
        if work.recovery?.isGivenUp == true { report(.givenUp) }
    }

    /// Tries to open the device again when that is due.
    func bringBack(_ work: Workspace, hasReason: Bool) {
        guard work.recovery != nil, work.opening == nil, let format = work.lostFormat else { return }
        let now = MonotonicTime.now
        if hasReason { work.recovery?.renew(at: now) }
        guard let next = work.recovery?.next, now >= next else { return }
        work.recovery?.begin()
        state.update { $0.figures.tries += 1 }
        // In the form that everything is decoded into.
        work.opening = open(format, format.speakers.isEmpty ? channels : .layouts([format.speakers]), after: work.lost.take())
        if work.opening == nil { fail(work) }
    }

    private func takeBack(_ outcome: RendererOpening.Outcome, _ work: Workspace) {
        let made: AudioRenderer
        switch outcome {
        case .success(let renderer): made = renderer
        case .failure(let error):
            // Another device may have another reason.
            if work.silence != nil { tellSilent("\(error)", work) }
            return fail(work)
        }
        guard made.format == work.lostFormat, let stand = state.withLock({ $0.renderer }) else {
            // Another form than everything is decoded into.
            made.beginClosing()
            work.lost = made
            return fail(work)
        }
        work.recovery?.succeeded(at: MonotonicTime.now)
        work.silence = nil
        state.update { state in
            state.figures.returns += 1
            state.heardBeforeLoss = nil
        }
        replace(stand, by: made, work)
        stand.close()
        report(.returned)
    }

    private func fail(_ work: Workspace) {
        work.recovery?.failed(at: MonotonicTime.now)
        if work.recovery?.isGivenUp == true { report(.givenUp) }
    }

    /// Goes on with another device from the moment that is now: what the old one had queued is over.
    private func replace(_ old: AudioRenderer, by new: AudioRenderer, _ work: Workspace) {
        install(new)
        let isPlaying = state.update { state in
            let now = MonotonicTime.now
            if let feed = state.feed {
                var origin = feed.start
                if let last = state.lastHeard, last.feed == feed.number {
                    let passed = state.isPlaying ? Double(min(now - last.host, 60_000_000_000)) * feed.speed : 0
                    origin = last.media &+ Int64(passed)
                }
                if work.startsAt != nil { origin = nil }
                state.segments = [Segment(number: feed.number, firstFrame: 0, origin: origin, speed: feed.speed)]
            }
            state.written = 0
            work.restart(renderer: new, state.feed)
            return state.isPlaying
        }
        if work.isFinished { new.markEndOfStream() }
        if isPlaying { new.start() }
    }

    /// The thread ends.
    func letGo(_ work: Workspace) {
        work.opening?.abandon()
        work.move?.opening.abandon()
        if work.lost?.close() == false { report(.left(Self.leftBehind)) }
    }
}

extension SoundPath.Figures {
    /// Takes in what a device counted.
    mutating func add(_ renderer: AudioRenderer) {
        underruns += renderer.underruns
        recoveries += renderer.recoveries
    }
}
