import SystemCalls

/// The player's use of the process's audio session: carries out the decisions of ``AudioSessionPlan``.
extension PlaybackLoop {
    /// Whether the item has audio that would be audible. A muted player never interrupts other programs.
    private var isAudible: Bool {
        guard playerAudioSession != nil, currentItem?.audio.isUnfinished == true, !deviceState.isNullDevice else {
            return false
        }
        return core.snapshot.withLock { !$0.settings.isMuted && $0.settings.volume > 0 }
    }

    /// The values on which the decisions about the audio session depend.
    private func audioSessionSituation(now: Int64) -> AudioSessionPlan.Situation {
        AudioSessionPlan.Situation(
            now: now, rate: rate, isPlaying: currentItem?.phase == .playing, isAudible: isAudible)
    }

    /// Requests the audio session's permission to start playback.
    func playbackPermission(now: Int64) -> AudioSessionPlan.Permission {
        updateSessionRequestTimeout()
        let (permission, effects) = audioSessionPlan.permission(audioSessionSituation(now: now))
        perform(effects, now: now)
        return permission
    }

    /// Sets the device's volume; a player without the audio session's permission is silent.
    func applyVolume() {
        updateSessionRequestTimeout()
        let now = MonotonicTime.now, situation = audioSessionSituation(now: now)
        perform(audioSessionPlan.audibilityDidChange(situation), now: now)
        let (volume, muted, delay) = core.snapshot.withLock {
            ($0.settings.volume, $0.settings.isMuted, $0.settings.audioDelay)
        }
        audioPipeline?.setDelay(delay)
        audioPipeline?.setVolume(volume, muted: muted || audioSessionPlan.mustMute(in: situation))
    }

    /// Updates the time limit for the compositor's answer to the next session request.
    private func updateSessionRequestTimeout() {
        audioSessionPlan.requestTimeout =
            playerAudioSession?.isStarting == true
            ? AudioSessionPlan.requestTimeoutWithCompositorStart : AudioSessionPlan.defaultRequestTimeout
    }

    /// Handles an event of the audio session.
    func handle(_ event: PlayerAudioSession.Event) {
        let now = MonotonicTime.now
        perform(audioSessionPlan.handle(event, audioSessionSituation(now: now)), now: now)
    }

    /// Notifies the audio session whether the player is audible, and releases the session after the end of playback.
    ///
    /// - Returns: The host time at which to call this method again; nil without a deadline.
    func updateAudioSession(now: Int64) -> Int64? {
        guard playerAudioSession != nil else { return nil }
        let playsAudio = currentItem?.phase == .playing && currentItem?.audio.isUnfinished == true
        let hasEnded =
            currentItem.map { $0.phase == .failed || $0.stateSinceSeek.hasReportedEnd && $0.phase != .playing } ?? true
        let (effects, deadline) = audioSessionPlan.update(playsAudio: playsAudio, hasEnded: hasEnded, now: now)
        perform(effects, now: now)
        return deadline
    }

    /// Releases the audio session.
    func releaseSession() { perform(audioSessionPlan.release(), now: MonotonicTime.now) }

    /// Performs effects of ``AudioSessionPlan``, in order.
    private func perform(_ effects: [AudioSessionPlan.Effect], now: Int64) {
        for effect in effects {
            switch effect {
            case .request(let hasGesture): playerAudioSession?.request(hasGesture: hasGesture)
            case .release: playerAudioSession?.release()
            case .setRunning(let isRunning): playerAudioSession?.setRunning(isRunning)
            case .applyVolume: applyVolume()
            case .warn(let text): core.notify(.warning(text))
            case .setRate(let rate): changeRate(to: rate)
            case .seekToLastAudibleTime: seekToLastAudibleTime(now: now)
            case .holdPosition: holdPosition(now: now)
            case .retryDevice: audioPipeline?.retryLostDevice()
            }
        }
    }

    /// Changes the requested rate as a program does; observers are notified once.
    private func changeRate(to rate: Float) {
        core.snapshot.withLock { $0.rate = rate }
        applyRequestedRate(rate)
    }

    /// The durations of inaudible playback after which the player seeks back to the last audible time, in nanoseconds.
    /// A shorter silence is not noticed; during a longer silence the user watched the video without audio.
    private static let inaudibleDurationsToRepeat: Range<Int64> = 50_000_001..<10_000_000_000

    /// Seeks back to the last audible time, if the device was lost some time before the interruption was known.
    private func seekToLastAudibleTime(now: Int64) {
        guard let item = currentItem, item.phase == .ready, item.info?.isSeekable == true,
            let acceptedAudio = item.audio.acceptedAudio,
            let lastPlayed = audioPipeline?.lastAudibleTime(acceptedAudio.number),
            Self.inaudibleDurationsToRepeat.contains(clock.time(at: now) - lastPlayed)
        else { return }
        begin(SeekCommand(time: lastPlayed))
    }

    /// Stops the device and the clock. The player's status becomes waiting, not paused.
    private func holdPosition(now: Int64) {
        guard currentItem?.phase == .playing else { return }
        haltPlayback(now: now)
        setStatus(.waitingToPlayAtSpecifiedRate, .evaluatingBufferingRate)
    }
}
