import AudioOutput
import MediaPipeline
import SharedFrames
import SystemCalls

/// The current item's audio: the audio pipeline, its reports, and the clock that follows the device.
extension PlaybackLoop {
    /// Records the end of audio that is discarded instead of played.
    func checkDiscardedAudioEnd() {
        guard let c = current, c.audio.isDiscarded, case .end? = c.source.audio.popIfAny() else { return }
        current?.audio.discardedAudioEnded()
    }

    /// Passes the item's audio to the audio pipeline once the start time and the device's format are known.
    func passAudioToPipeline() {
        guard let c = current, c.audio.deadline != nil, device.isOpen, c.phase == .ready || c.phase == .playing,
            let audio
        else { return }
        // While paused, stretch the audio for the rate at which playback is likely to start.
        let speed = Double(
            rate == 0
                ? seeking.preroll?.rate ?? core.snapshot.withLock { max($0.settings.defaultRate, 0.01) }
                : max(rate, 0.01))
        let number = audio.beginItemAudio(
            from: c.source, generation: c.generations.audio, start: c.run.start, end: c.item.state.withLock { $0.end },
            speed: speed,
            keepsPitch: c.item.audioTimePitchAlgorithm.keepsPitch,
            startHostTime: rate == 0 ? nil : seeking.scheduledPlayback?.host
        )
        current?.audio.begin(AudioProgress.AcceptedAudio(number: number, speed: speed))
    }

    /// Corrects the clock by the device's reported position.
    func followAudio(now: Int64) {
        guard let c = current, c.phase == .playing, c.audio.isUnfinished, let accepted = c.audio.acceptedAudio else {
            return
        }
        let lastPlayed = audio?.lastPlayedPosition(accepted.number)
        let correction = current?.audio.update(
            lag: lastPlayed.map { clock.time(at: $0.host) - $0.media }, now: now, canSeek: c.info?.isSeekable == true)
        guard let lastPlayed else {
            // The device has stalled: correct the clock slowly later, so that a late position does not make the picture
            // jump.
            if current?.audio.positionDeadline == nil, audio?.isUnreliable == true { device.correctSlowly(now: now) }
            return
        }
        switch correction {
        case .start: clock.start(at: lastPlayed.media, host: lastPlayed.host, rate: clock.rate)
        case .follow:
            clock.follow(
                media: lastPlayed.media, host: lastPlayed.host, avoidsJump: now < device.slowCorrectionEnd)
        case .seekToClock: begin(SeekCommand(time: clock.time(at: now)))
        case .some(.none), nil: break
        }
    }

    /// Records the offset between audio and video for the statistics.
    func recordAudioOffset(_ frame: VideoFrame, shown: Int64) {
        guard let c = current, c.audio.isUnfinished, let accepted = c.audio.acceptedAudio,
            let lastPlayed = audio?.lastPlayedPosition(accepted.number)
        else { return }
        let media = lastPlayed.media + Int64(Double(shown + display.leadTime - lastPlayed.host) * clock.rate)
        reporter.statistics.synchronisation.record(
            Double(media - frame.presentationTime) / 1e9, afterFrames: reporter.statistics.framesPresented)
    }

    /// Handles a report of the audio pipeline.
    func handle(_ report: AudioPipeline.Report) {
        switch report {
        case .opened(let isSilent):
            device.opened(isNullDevice: isSilent)
            guard let format = audio?.format else { return }
            if !isSilent { playerSession?.deviceOpened() }
            current?.source.setAudioFormat(
                PCMFormat(
                    rate: format.rate, channels: format.channels, speakers: format.speakers.map(\.rawValue)))
            passAudioToPipeline()
        case .openFailed(let reason): core.notify(.warning("no sound: \(reason)"))
        case .lost(let reason, let isFirst):
            if isFirst { core.notify(.warning("no sound until the device returns: \(reason)")) }
            device.correctSlowly(now: MonotonicTime.now)
        case .returned:
            // The player may become audible only now: on a null device it has not activated the audio session.
            if device.returned(now: MonotonicTime.now) { applyVolume() }
        case .recoveryFailed:
            let attempts = DeviceRecovery.attemptLimit
            let message =
                "no sound: the device could not be opened in \(attempts) attempts; "
                + "starting playback or connecting a device tries again"
            core.notify(.warning(message))
        case .unavailable(let reason):
            if device.failed() { core.notify(.warning("no sound: \(reason)")) }
            current?.audio.fail()
            current?.source.setAudioFormat(nil)
            queue.deviceUnavailable()
        case .moved(let device):
            self.device.correctSlowly(now: MonotonicTime.now)
            core.snapshot.withLock { $0.published.device = device }
            core.notify(.settingChanged)
            playerSession?.moved(to: device)
        case .switchFailed(let reason): core.notify(.warning("the audio device was not changed: \(reason)"))
        case .deviceNotReleased(let reason): core.notify(.warning(reason))
        case .primed(let number):
            guard current?.audio.primed(number) == true else { return }
            if let warning = current?.problems.warning.take() { core.notify(.warning(warning)) }
        // No action: the report has only woken the loop, which then reads the start time of the next item.
        case .joined: break
        case .ended(let number): current?.audio.ended(number)
        }
    }

    /// The destination of decoded audio.
    var audioOutput: AudioProgress.Output { audio == nil ? .none : device.isUnavailable ? .unavailable : .device }

    /// Opens the device in the source's format, unless the program prefers another format.
    func openDevice(for track: MediaInfo.Audio) {
        let preferences = playerSession?.preferences ?? AudioSession.DevicePreferences()
        audio?.open(preferences.applied(to: Self.deviceFormat(for: track)), period: preferences.period)
    }

    /// Returns the device format for a track: the track's own speakers if their positions are known, else mono or
    /// stereo.
    static func deviceFormat(for audio: MediaInfo.Audio) -> AudioFormat {
        let speakers = audio.speakers.compactMap(Speaker.init(rawValue:))
        let isKnown = speakers.count == audio.channels && !speakers.isEmpty
        return AudioFormat(
            rate: audio.sampleRate,
            speakers: isKnown ? speakers : Speaker.defaultLayout(channels: min(max(audio.channels, 1), 2)) ?? [])
    }
}
