import SystemCalls

/// The player's claim to the process's audio session: carries out the decisions of ``AudioHold``.
extension PlaybackLoop {
    /// Whether the item has audio that would be audible. A muted player never interrupts others.
    private var isAudible: Bool {
        guard claim != nil, current?.audio.isUnfinished == true, !device.isStandIn else { return false }
        return core.snapshot.withLock { !$0.settings.isMuted && $0.settings.volume > 0 }
    }

    private func situation(now: Int64) -> AudioHold.Situation {
        AudioHold.Situation(now: now, rate: rate, isPlaying: current?.phase == .playing, isAudible: isAudible)
    }

    /// Returns whether playback may start.
    func permission(now: Int64) -> AudioHold.Permission {
        notePatience()
        let (permission, actions) = hold.permission(situation(now: now))
        perform(actions, now: now)
        return permission
    }

    /// Sets the device's volume; a player without permission is silent.
    func applyVolume() {
        notePatience()
        let now = MonotonicTime.now, situation = situation(now: now)
        perform(hold.audibilityChanged(situation), now: now)
        let (volume, muted) = core.snapshot.withLock { ($0.settings.volume, $0.settings.isMuted) }
        sound?.setVolume(volume, muted: muted || hold.mutes(situation))
    }

    /// Updates the timeout for the compositor's next answer.
    private func notePatience() {
        hold.answerPatience = claim?.isStarting == true ? AudioHold.startPatience : AudioHold.patience
    }

    func handle(_ event: PlayerClaim.Event) {
        let now = MonotonicTime.now
        perform(hold.handle(event, situation(now: now)), now: now)
    }

    /// Notifies the session whether the player is audible, and releases it after the end.
    ///
    /// - Returns: Host time at which to call again; nil without a deadline.
    func attendSession(now: Int64) -> Int64? {
        guard claim != nil else { return nil }
        let plays = current?.phase == .playing && current?.audio.isUnfinished == true
        let isOver = current.map { $0.phase == .failed || $0.run.hasReportedEnd && $0.phase != .playing } ?? true
        let (actions, deadline) = hold.attend(plays: plays, isOver: isOver, now: now)
        perform(actions, now: now)
        return deadline
    }

    func releaseSession() { perform(hold.release(), now: MonotonicTime.now) }

    private func perform(_ actions: [AudioHold.Effect], now: Int64) {
        for action in actions {
            switch action {
            case .request(let hasGesture): claim?.ask(hasGesture: hasGesture)
            case .release: claim?.giveBack()
            case .setRunning(let isRunning): claim?.setRunning(isRunning)
            case .applyVolume: applyVolume()
            case .warn(let text): core.tell(.warning(text))
            case .setRate(let rate): changeRateByItself(to: rate)
            case .returnToLastHeard: returnToLastHeard(now: now)
            case .standStill: standStill(now: now)
            case .retryDevice: sound?.tryAgain()
            }
        }
    }

    /// Changes the requested rate as a program does; observers are notified once.
    private func changeRateByItself(to rate: Float) {
        core.snapshot.withLock { $0.rate = rate }
        rateChanged(rate)
    }

    /// The range of inaudible playback that is repeated, nanoseconds. Shorter gaps are not noticed, and during longer
    /// ones the user watched without audio.
    private static let returnedTime: Range<Int64> = 50_000_001..<10_000_000_000

    /// Seeks back over what played without a device before the interruption was known, because it was not audible.
    private func returnToLastHeard(now: Int64) {
        guard let c = current, c.phase == .ready, c.info?.isSeekable == true, let feed = c.audio.feed,
            let heard = sound?.heardUntil(feed.number), Self.returnedTime.contains(clock.time(at: now) - heard)
        else { return }
        begin(SeekCommand(time: heard))
    }

    /// Stops playback without pausing the player: it waits.
    private func standStill(now: Int64) {
        guard current?.phase == .playing else { return }
        halt(now: now)
        setStatus(.waitingToPlayAtSpecifiedRate, .evaluatingBufferingRate)
    }
}
