import AudioOutput
import MediaPipeline
import SharedFrames
import SystemCalls

/// The current item's audio: the audio path, its reports, and the clock that follows the device.
extension PlaybackLoop {
    /// Notes the end of audio that is decoded but not played.
    func dropDiscardedAudio() {
        guard let c = current, c.audio.isDiscarded, case .end? = c.source.audio.popIfAny() else { return }
        current?.audio.discardedLast()
    }

    /// Passes the item's audio to the audio path once the start time and the device's format are known.
    func feedAudio() {
        guard let c = current, c.audio.deadline != nil, device.isOpen, c.phase == .ready || c.phase == .playing,
            let sound
        else { return }
        // While paused, use the speed at which playback is likely to start.
        let speed = Double(
            rate == 0
                ? seeking.preroll?.rate ?? core.snapshot.withLock { max($0.settings.defaultRate, 0.01) }
                : max(rate, 0.01))
        let number = sound.feed(
            from: c.source, generation: c.generations.audio, start: c.run.start, end: c.item.state.withLock { $0.end },
            speed: speed,
            keepsPitch: c.item.audioTimePitchAlgorithm.keepsPitch, startsAt: rate == 0 ? nil : seeking.appointment?.host
        )
        current?.audio.begin(AudioProgress.Feed(number: number, speed: speed))
    }

    /// Corrects the clock by the device's reported position.
    func followAudio(now: Int64) {
        guard let c = current, c.phase == .playing, c.audio.isUnfinished, let feed = c.audio.feed else { return }
        let heard = sound?.heard(feed.number)
        let correction = current?.audio.update(
            lag: heard.map { clock.time(at: $0.host) - $0.media }, now: now, canSeek: c.info?.isSeekable == true)
        guard let heard else {
            // The device stalls: a late position must not make the picture jump.
            if current?.audio.positionDeadline == nil, sound?.isFaltering == true { device.disturbed(now: now) }
            return
        }
        switch correction {
        case .start: clock.start(at: heard.media, host: heard.host, rate: clock.rate)
        case .follow: clock.follow(media: heard.media, host: heard.host, isCalm: now < device.calmUntil)
        case .rejoin: begin(SeekCommand(time: clock.time(at: now)))
        case .some(.none), nil: break
        }
    }

    /// Records the offset between audio and video.
    func measureSync(_ frame: VideoFrame, shown: Int64) {
        guard let c = current, c.audio.isUnfinished, let feed = c.audio.feed, let heard = sound?.heard(feed.number)
        else { return }
        let media = heard.media + Int64(Double(shown + display.lead - heard.host) * clock.rate)
        reporter.statistics.synchronisation.record(
            Double(media - frame.presentationTime) / 1e9, afterFrames: reporter.statistics.framesPresented)
    }

    func handle(_ report: SoundPath.Report) {
        switch report {
        case .opened(let isSilent):
            device.opened(isStandIn: isSilent)
            guard let format = sound?.format else { return }
            if !isSilent { claim?.deviceOpened() }
            current?.source.setSoundFormat(
                PCMFormat(
                    rate: format.rate, channels: format.channels, speakers: format.speakers.map(\.rawValue)))
            feedAudio()
        case .silent(let reason): core.tell(.warning("no sound: \(reason)"))
        case .lost(let reason, let isNews):
            if isNews { core.tell(.warning("no sound until the device is back: \(reason)")) }
            device.disturbed(now: MonotonicTime.now)
        case .returned:
            // A player on a null device has not activated the audio session yet.
            if device.returned(now: MonotonicTime.now) { applyVolume() }
        case .givenUp:
            let tries = DeviceRecovery.limit
            let message =
                "no sound: the device could not be opened in \(tries) attempts; "
                + "playing, or plugging in a device, tries again"
            core.tell(.warning(message))
        case .unavailable(let reason):
            if device.failed() { core.tell(.warning("no sound: \(reason)")) }
            current?.audio.fail()
            current?.source.setSoundFormat(nil)
            queue.deviceFailed()
        case .moved(let device):
            self.device.disturbed(now: MonotonicTime.now)
            core.snapshot.withLock { $0.published.device = device }
            core.tell(.settingChanged)
            claim?.moved(to: device)
        case .stayed(let reason): core.tell(.warning("the audio device was not changed: \(reason)"))
        case .left(let what): core.tell(.warning(what))
        case .primed(let feed):
            guard current?.audio.primed(feed) == true else { return }
            if let warning = current?.problems.warning.take() { core.tell(.warning(warning)) }
        // The time at which the next item starts is known now; running the loop again is enough.
        case .joined: break
        case .ended(let feed): current?.audio.ended(feed)
        }
    }

    /// The destination of decoded audio.
    var audioOutput: AudioProgress.Output { sound == nil ? .none : device.isUnavailable ? .unavailable : .device }

    /// Opens the device in the source's format, unless the program prefers another.
    func openDevice(for audio: MediaInfo.Audio) {
        let preferences = claim?.preferences ?? AudioSession.DevicePreferences()
        sound?.open(preferences.applied(to: Self.deviceFormat(for: audio)), period: preferences.period)
    }

    /// Returns the device format for a track: the track's own speakers if their positions are known, else mono or
    /// stereo.
    static func deviceFormat(for audio: MediaInfo.Audio) -> AudioFormat {
        let speakers = audio.speakers.compactMap(Speaker.init(rawValue:))
        let isKnown = speakers.count == audio.channels && !speakers.isEmpty
        return AudioFormat(
            rate: audio.sampleRate, speakers: isKnown ? speakers : Speaker.usual(min(max(audio.channels, 1), 2)) ?? [])
    }
}
