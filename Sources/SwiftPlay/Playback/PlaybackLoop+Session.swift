import SystemCalls

/// The player's use of the process's audio session: carries out the decisions of ``AudioSessionPlan``.
extension PlaybackLoop {
    /// Whether the item has audio that would be audible. A muted player never interrupts other programs.
    private var isAudible: Bool {
        guard playerSession != nil, current?.audio.isUnfinished == true, !device.isNullDevice else { return false }
        return core.snapshot.withLock { !$0.settings.isMuted && $0.settings.volume > 0 }
    }

    /// The values on which the decisions about the audio session depend.
    private func situation(now: Int64) -> AudioSessionPlan.Situation {
        AudioSessionPlan.Situation(now: now, rate: rate, isPlaying: current?.phase == .playing, isAudible: isAudible)
    }

    /// Requests the audio session's permission to start playback.
    func permission(now: Int64) -> AudioSessionPlan.Permission {
        updateAnswerTimeout()
        let (permission, actions) = sessionState.permission(situation(now: now))
        perform(actions, now: now)
        return permission
    }

    /// Sets the device's volume; a player without the audio session's permission is silent.
    func applyVolume() {
        updateAnswerTimeout()
        let now = MonotonicTime.now, situation = situation(now: now)
        perform(sessionState.audibilityChanged(situation), now: now)
        let (volume, muted) = core.snapshot.withLock { ($0.settings.volume, $0.settings.isMuted) }
        audio?.setVolume(volume, muted: muted || sessionState.mutes(situation))
    }

    /// Updates the time limit for the compositor's answer to the next session request.
    private func updateAnswerTimeout() {
        sessionState.answerTimeout =
            playerSession?.isStarting == true ? AudioSessionPlan.startTimeout : AudioSessionPlan.answerTimeLimit
    }

    /// Handles an event of the audio session.
    func handle(_ event: PlayerAudioSession.Event) {
        let now = MonotonicTime.now
        perform(sessionState.handle(event, situation(now: now)), now: now)
    }

    /// Notifies the audio session whether the player is audible, and releases the session after the end of playback.
    ///
    /// - Returns: Host time at which to call again; nil without a deadline.
    func updateSession(now: Int64) -> Int64? {
        guard playerSession != nil else { return nil }
        let plays = current?.phase == .playing && current?.audio.isUnfinished == true
        let hasEnded = current.map { $0.phase == .failed || $0.run.hasReportedEnd && $0.phase != .playing } ?? true
        let (actions, deadline) = sessionState.update(plays: plays, hasEnded: hasEnded, now: now)
        perform(actions, now: now)
        return deadline
    }

    /// Releases the audio session.
    func releaseSession() { perform(sessionState.release(), now: MonotonicTime.now) }

    /// Performs actions of ``AudioSessionPlan``, in order.
    private func perform(_ actions: [AudioSessionPlan.Effect], now: Int64) {
        for action in actions {
            switch action {
            case .request(let hasGesture): playerSession?.request(hasGesture: hasGesture)
            case .release: playerSession?.release()
            case .setRunning(let isRunning): playerSession?.setRunning(isRunning)
            case .applyVolume: applyVolume()
            case .warn(let text): core.notify(.warning(text))
            case .setRate(let rate): changeRate(to: rate)
            case .returnToLastPlayed: returnToLastPlayed(now: now)
            case .holdPosition: holdPosition(now: now)
            case .retryDevice: audio?.retryLostDevice()
            }
        }
    }

    /// Changes the requested rate as a program does; observers are notified once.
    private func changeRate(to rate: Float) {
        core.snapshot.withLock { $0.rate = rate }
        rateChanged(rate)
    }

    /// How long video must have played inaudibly for playback to seek back to the last audible time, nanoseconds. A
    /// shorter silence is not noticed; during a longer silence the user watched the video without audio.
    private static let inaudibleDurationsToRepeat: Range<Int64> = 50_000_001..<10_000_000_000

    /// Seeks back to the last audible time, if the device was lost some time before the interruption was known.
    private func returnToLastPlayed(now: Int64) {
        guard let c = current, c.phase == .ready, c.info?.isSeekable == true, let accepted = c.audio.acceptedAudio,
            let lastPlayed = audio?.lastAudibleTime(accepted.number),
            Self.inaudibleDurationsToRepeat.contains(clock.time(at: now) - lastPlayed)
        else { return }
        begin(SeekCommand(time: lastPlayed))
    }

    /// Stops the device and the clock. The player's status becomes waiting, not paused.
    private func holdPosition(now: Int64) {
        guard current?.phase == .playing else { return }
        haltPlayback(now: now)
        setStatus(.waitingToPlayAtSpecifiedRate, .evaluatingBufferingRate)
    }
}
