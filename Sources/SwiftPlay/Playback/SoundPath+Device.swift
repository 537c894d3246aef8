import AudioOutput
import SystemCalls

/// Opening a device, losing it, and reopening it. Runs on the thread "sound", which never calls the device itself: a
/// device may block in a call.
extension SoundPath {
    func openDevice(_ wanted: AudioFormat, _ work: inout Workspace) {
        let present = state.withLock { $0.device.renderer == nil ? nil : $0.device.openedFor }
        if present == wanted { return report(.opened(isSilent: work.keeper.silence != nil)) }
        if work.keeper.recovery == nil, work.keeper.opening?.wanted == wanted { return }
        work.keeper.opening?.abandon()
        work.keeper.recovery = nil
        let old = state.update { state in
            state.device.figures = state.device.allFigures
            return state.device.renderer.take()
        }
        old?.beginClosing()
        work.keeper.opening = open(wanted, channels, after: old ?? work.keeper.lost.take())
        if work.keeper.opening == nil { report(.unavailable("cannot start a thread")) }
    }

    private func open(_ wanted: AudioFormat, _ channels: ChannelChoice, after old: AudioRenderer?) -> RendererOpening? {
        let (backend, period) = state.withLock { ($0.device.backend, $0.requests.period) }
        return try? RendererOpening(
            backend: backend, wanted: wanted, channels: channels, period: period, name: "sound out", session: session,
            after: old)
    }

    /// Installs the device that has been opened in the background, or handles the error.
    func takeOpened(_ work: inout Workspace) {
        guard let opening = work.keeper.opening, let outcome = opening.take() else { return }
        work.keeper.opening = nil
        guard work.keeper.recovery == nil else { return takeBack(outcome, &work) }
        switch outcome {
        case .success(let made):
            install(made)
            work.keeper.silence = nil
            state.update { $0.device.openedFor = opening.wanted }
            report(.opened(isSilent: false))
        case .failure(let error): standIn(for: opening.wanted, "\(error)", &work)
        }
    }

    /// Installs a null device because the real one could not be opened. The item keeps its pace as if it were audible,
    /// and the real device is retried.
    private func standIn(for wanted: AudioFormat, _ reason: String, _ work: inout Workspace) {
        // Decode to stereo, which every device accepts: the format stays the same when a real device is opened later.
        let form = wanted.channels > 2 ? AudioFormat(rate: wanted.rate, channels: 2) : wanted
        do {
            let stand = try AudioRenderer(backend: .null, wanted: form, name: "sound out")
            install(stand)
            state.update { $0.device.openedFor = wanted }
            work.keeper.recovery = DeviceRecovery(lostAt: MonotonicTime.now)
            work.keeper.lostFormat = stand.format
            tellSilent(reason, &work)
            report(.opened(isSilent: true))
        } catch { report(.unavailable(reason)) }
    }

    private func tellSilent(_ reason: String, _ work: inout Workspace) {
        if reason != work.keeper.silence { report(.silent(reason)) }
        work.keeper.silence = reason
    }

    private func install(_ made: AudioRenderer) {
        let (volume, muted) = state.update { state in
            state.device.renderer = made
            return (state.requests.volume, state.requests.isMuted)
        }
        if volume != 1 || muted { made.setVolume(volume, muted: muted, ramp: 0) }
    }

    // MARK: A device that hangs

    /// How long a device must be overdue before it counts as hanging, nanoseconds. When this process itself was
    /// stopped, its threads resume one after the other.
    private static let secondLook: Int64 = 100_000_000

    /// The delay after which an overdue device is checked, nanoseconds.
    private static let dueMargin: Int64 = 1_000_000

    /// Detects a device that does not return from a call. The device's own thread cannot detect this.
    func watchDevice(_ work: inout Workspace) {
        let now = MonotonicTime.now
        guard let renderer = state.withLock({ $0.device.renderer }), renderer.due < now else {
            return work.keeper.hangsSince = nil
        }
        let since = work.keeper.hangsSince ?? now
        work.keeper.hangsSince = since
        guard now - since >= Self.secondLook else { return }
        work.keeper.hangsSince = nil
        lose(
            renderer, "the device does not return from a call. Check that the sound server runs (`pactl info`)",
            &work)
    }

    /// Host time of the next call of ``watchDevice(_:)``; nil without a deadline.
    func nextLook(at renderer: AudioRenderer?, _ keeper: DeviceKeeper) -> Int64? {
        if let since = keeper.hangsSince { return since + Self.secondLook }
        guard let due = renderer?.due, due != .max else { return nil }
        return due + Self.dueMargin
    }

    // MARK: Loss and recovery of a device

    /// Replaces a lost device by a null device of the same format and pace, so that picture and source continue
    /// undisturbed.
    ///
    /// - Parameters:
    ///   - hasWrongClock: Whether the device was closed because its clock runs at a wrong rate.
    func lose(_ old: AudioRenderer, _ reason: String, hasWrongClock: Bool = false, _ work: inout Workspace) {
        let now = MonotonicTime.now
        old.beginClosing()
        work.keeper.lost = old
        state.update { state in
            state.device.figures.add(old)
            state.device.figures.losses += 1
            state.heard.deviceLost()
        }
        do {
            replace(old, by: try AudioRenderer(backend: .null, wanted: old.format, name: "sound out"), &work)
        } catch {
            state.update { $0.device.renderer = nil }
            return report(.unavailable(reason))
        }
        let isNews = work.keeper.recovery?.lost(at: now, hasWrongClock: hasWrongClock) ?? true
        work.keeper.recovery = work.keeper.recovery ?? DeviceRecovery(lostAt: now, hasWrongClock: hasWrongClock)
        work.keeper.lostFormat = old.format
        report(.lost(reason, isNews: isNews))
        if work.keeper.recovery?.isGivenUp == true { report(.givenUp) }
    }

    /// Starts a new attempt to open the lost device if one is due.
    ///
    /// - Parameter hasReason: Whether an external event, such as a hot-plugged device, justifies attempts after the
    ///   recovery was given up.
    func bringBack(_ work: inout Workspace, hasReason: Bool) {
        guard work.keeper.recovery != nil, work.keeper.opening == nil, let format = work.keeper.lostFormat
        else { return }
        let now = MonotonicTime.now
        if hasReason { work.keeper.recovery?.renew(at: now) }
        guard let next = work.keeper.recovery?.next, now >= next else { return }
        work.keeper.recovery?.begin()
        state.update { $0.device.figures.tries += 1 }
        // Open it in the format into which everything is decoded.
        work.keeper.opening = open(
            format, format.speakers.isEmpty ? channels : .layouts([format.speakers]), after: work.keeper.lost.take())
        if work.keeper.opening == nil { fail(&work) }
    }

    private func takeBack(_ outcome: RendererOpening.Outcome, _ work: inout Workspace) {
        let made: AudioRenderer
        switch outcome {
        case .success(let renderer): made = renderer
        case .failure(let error):
            // The error may differ from that of the previous attempt.
            if work.keeper.silence != nil { tellSilent("\(error)", &work) }
            return fail(&work)
        }
        guard made.format == work.keeper.lostFormat, let stand = state.withLock({ $0.device.renderer }) else {
            // The format differs from that into which everything is decoded.
            made.beginClosing()
            work.keeper.lost = made
            return fail(&work)
        }
        work.keeper.recovery?.succeeded(at: MonotonicTime.now)
        work.keeper.silence = nil
        state.update { state in
            state.device.figures.returns += 1
            state.heard.deviceReturned()
        }
        replace(stand, by: made, &work)
        stand.close()
        report(.returned)
    }

    private func fail(_ work: inout Workspace) {
        work.keeper.recovery?.failed(at: MonotonicTime.now)
        if work.keeper.recovery?.isGivenUp == true { report(.givenUp) }
    }

    /// Replaces the device and continues at the current media time. Audio that the old device had queued is skipped.
    private func replace(_ old: AudioRenderer, by new: AudioRenderer, _ work: inout Workspace) {
        install(new)
        let isPlaying = state.update { state in
            let feed = state.timeline.feed, isPlaying = state.requests.isPlaying
            if let feed {
                let heard = state.heard.media(
                    of: feed.number, at: MonotonicTime.now, isPlaying: isPlaying, speed: feed.speed)
                state.timeline.restart(at: work.writer.startsAt == nil ? heard ?? feed.start : nil)
            } else {
                state.timeline.restart(at: nil)
            }
            work.writer.restart(feed, new)
            return isPlaying
        }
        if work.writer.isFinished { new.markEndOfStream() }
        if isPlaying { new.start() }
    }

    /// Closes devices that are still being opened or closed; called when the thread ends.
    func letGo(_ keeper: inout DeviceKeeper) {
        keeper.opening?.abandon()
        keeper.move?.opening.abandon()
        if keeper.lost?.close() == false { report(.left(Self.leftBehind)) }
    }
}
