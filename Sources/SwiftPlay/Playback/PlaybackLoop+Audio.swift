import AudioOutput
import MediaPipeline
import SharedFrames
import SystemCalls

/// The current item's audio: the audio pipeline, its reports, and the clock that follows the device.
extension PlaybackLoop {
    /// Records the end of audio that is discarded instead of played.
    func checkDiscardedAudioEnd() {
        guard let item = currentItem, item.audio.isDiscarded, case .end? = item.source.audio.popIfAny() else { return }
        currentItem?.audio.didReachEndOfDiscardedAudio()
    }

    /// Passes the item's audio to the audio pipeline once the start time and the device's format are known.
    func passAudioToPipeline() {
        guard let item = currentItem, item.audio.bufferingDeadline != nil, deviceState.isOpen,
            item.phase == .ready || item.phase == .playing,
            let audioPipeline
        else { return }
        // While paused, stretch the audio for the rate at which playback is likely to start.
        let speed = Double(
            rate == 0
                ? seekState.preroll?.rate ?? core.snapshot.withLock { max($0.settings.defaultRate, 0.01) }
                : max(rate, 0.01))
        let number = audioPipeline.beginItemAudio(
            from: item.source, generation: item.generations.audio, start: item.stateSinceSeek.startTime,
            end: item.playerItem.state.withLock { $0.end },
            speed: speed,
            keepsPitch: item.playerItem.audioTimePitchAlgorithm.keepsPitch,
            startHostTime: rate == 0 ? nil : seekState.scheduledPlayback?.hostTime
        )
        currentItem?.audio.didAccept(AudioProgress.AcceptedAudio(number: number, speed: speed))
    }

    /// Corrects the clock by the device's reported position.
    func followAudio(now: Int64) {
        guard let item = currentItem, item.phase == .playing, item.audio.isUnfinished,
            let acceptedAudio = item.audio.acceptedAudio
        else {
            return
        }
        let lastPlayed = audioPipeline?.lastPlayedPosition(acceptedAudio.number)
        let correction = currentItem?.audio.update(
            lag: lastPlayed.map { clock.time(at: $0.hostTime) - $0.mediaTime }, now: now,
            canSeek: item.info?.isSeekable == true)
        guard let lastPlayed else {
            // The device has stalled: correct the clock slowly later, so that a late position does not make the picture
            // jump.
            if currentItem?.audio.firstPositionDeadline == nil, audioPipeline?.isUnreliable == true {
                deviceState.correctSlowly(now: now)
            }
            return
        }
        switch correction {
        case .start: clock.start(at: lastPlayed.mediaTime, hostTime: lastPlayed.hostTime, rate: clock.rate)
        case .follow:
            clock.follow(
                mediaTime: lastPlayed.mediaTime, hostTime: lastPlayed.hostTime,
                avoidsJump: now < deviceState.slowCorrectionEnd)
        case .seekToClock: begin(SeekCommand(time: clock.time(at: now)))
        case .some(.none), nil: break
        }
    }

    /// Records the offset between audio and video for the statistics.
    func recordAudioOffset(_ frame: VideoFrame, shownTime: Int64) {
        guard let item = currentItem, item.audio.isUnfinished, let acceptedAudio = item.audio.acceptedAudio,
            let lastPlayed = audioPipeline?.lastPlayedPosition(acceptedAudio.number)
        else { return }
        let audibleMediaTime =
            lastPlayed.mediaTime
            + Int64(Double(shownTime + displayProgress.leadTime - lastPlayed.hostTime) * clock.rate)
        reporter.statistics.synchronisation.record(
            Double(audibleMediaTime - frame.presentationTime) / 1e9, afterFrames: reporter.statistics.framesPresented)
    }

    /// Handles a report of the audio pipeline.
    func handle(_ report: AudioPipeline.Report) {
        switch report {
        case .deviceOpened(let isNullDevice):
            deviceState.didOpen(isNullDevice: isNullDevice)
            guard let format = audioPipeline?.format else { return }
            core.snapshot.withLock { $0.published.deviceFormat = format }
            if !isNullDevice { playerAudioSession?.reportOpenedDevice() }
            currentItem?.source.setAudioFormat(
                PCMFormat(
                    rate: format.rate, channels: format.channels, speakers: format.speakers.map(\.rawValue)))
            passAudioToPipeline()
        case .openFailed(let reason): core.notify(.warning("no sound: \(reason)"))
        case .deviceLost(let reason, let isFirst):
            if isFirst { core.notify(.warning("no sound until the device returns: \(reason)")) }
            deviceState.correctSlowly(now: MonotonicTime.now)
        case .deviceReturned:
            // The player may become audible only now: on a null device it has not activated the audio session.
            if deviceState.didReturn(now: MonotonicTime.now) { applyVolume() }
        case .recoveryFailed:
            let attemptLimit = DeviceRecovery.attemptLimit
            let message =
                "no sound: the device could not be opened in \(attemptLimit) attempts; "
                + "starting playback or connecting a device tries again"
            core.notify(.warning(message))
        case .unavailable(let reason):
            if deviceState.didBecomeUnavailable() { core.notify(.warning("no sound: \(reason)")) }
            currentItem?.audio.fail()
            currentItem?.source.setAudioFormat(nil)
            itemQueue.disconnectNextItemAudio()
        case .deviceSwitched(let device):
            deviceState.correctSlowly(now: MonotonicTime.now)
            core.snapshot.withLock { $0.published.device = device }
            core.notify(.settingChanged)
            playerAudioSession?.reportMove(to: device)
        case .switchFailed(let reason): core.notify(.warning("the audio device was not changed: \(reason)"))
        case .deviceNotReleased(let reason): core.notify(.warning(reason))
        case .audioPrimed(let number):
            guard currentItem?.audio.didPrime(number) == true else { return }
            if let warning = currentItem?.pendingProblems.warning.take() { core.notify(.warning(warning)) }
        // No action: the report has only woken the loop, which then reads the start time of the next item.
        case .nextAudioBegan: break
        case .audioEnded(let number): currentItem?.audio.didPlayToEnd(number)
        }
    }

    /// The destination of decoded audio.
    var audioOutput: AudioProgress.Output {
        audioPipeline == nil ? .none : deviceState.isUnavailable ? .unavailable : .device
    }

    /// Opens the device in the source's format, unless the program prefers another format.
    func openDevice(for track: MediaInfo.Audio) {
        let preferences = playerAudioSession?.preferences ?? AudioSession.DevicePreferences()
        audioPipeline?.open(preferences.applied(to: Self.deviceFormat(for: track)), period: preferences.period)
    }

    /// Returns the device format for a track: the track's own speakers if their positions are known, else mono or
    /// stereo.
    static func deviceFormat(for audio: MediaInfo.Audio) -> AudioFormat {
        let speakers = audio.speakers.compactMap(Speaker.init(rawValue:))
        let hasKnownSpeakers = speakers.count == audio.channels && !speakers.isEmpty
        return AudioFormat(
            rate: audio.sampleRate,
            speakers: hasKnownSpeakers
                ? speakers : Speaker.defaultLayout(channels: min(max(audio.channels, 1), 2)) ?? [])
    }
}
