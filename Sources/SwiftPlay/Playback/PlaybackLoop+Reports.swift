import AudioOutput
import MediaPipeline
import SharedFrames
import SystemCalls

/// What the file's threads and the sound's report.
extension PlaybackLoop {
    func handleSourceEvents() {
        while let event = current?.source.events.popIfAny() {
            guard var c = current else { return }
            switch event {
            case .opened(let info):
                c.opened(info, soundIsWanted: soundIsWanted)
                let pending = c.seek.take()
                current = c
                beginTracks(info)
                if let audio = info.audio, c.hasSound {
                    openDevice(for: audio)
                } else if !c.soundIsUnheard, sound == nil || soundIsUnavailable || !info.tracks.contains(where: { $0.kind == .audio }) {
                    c.source.setSoundFormat(nil)
                }
                core.currentLayer?.itemChanged()
                for warning in info.warnings { core.tell(.warning(warning)) }
                core.tell(.itemReady(c.item))
                if let (track, error) = c.failedEarly { trackFailed(track, error) }
                if let pending {
                    // Asked for when nobody knew how long the item is.
                    if let end = info.duration, pending.time > end {
                        appointment = nil
                        pending.completion(false)
                    } else { begin(pending) }
                }
            case .failed(let error):
                c.phase = .failed
                current = c
                fail(c.item, PlaybackError(error))
            case .seekFailed(let generation, let error):
                core.tell(.warning("\(error)"))
                logError(c, error)
                if generation == c.generation {
                    appointment = nil
                    let seek = c.seek.take()
                    if seek != nil { c.start = nil }
                    current = c
                    seek?.completion(false)
                    _ = beginQueuedSeek()
                }
            case .durationKnown(let length):
                current?.info?.duration = length
                c.report { $0.info?.duration = length }
            case .warning(let error):
                core.tell(.warning("\(error)"))
                logError(c, error)
            case .readingStopped(let error):
                core.tell(.warning("\(error)"))
                logError(c, error)
                c.readError = error
                current = c
            case .trackFailed(let track, let error):
                logError(c, error)
                trackFailed(track, error)
            }
        }
    }

    /// Nothing more comes of a track. What else plays, plays on; nothing at all is a failure.
    private func trackFailed(_ track: MediaEvent.Track, _ error: MediaError) {
        guard var c = current else { return }
        guard c.info != nil else {
            // The item's facts come later in the queue: then it is known what is left.
            current?.failedEarly = (track, error)
            return
        }
        switch track {
        case .video: c.videoHasEnded = true
        case .audio:
            c.hasSound = false
            c.soundHasEnded = true
        }
        let isHopeless = c.lastFrame == nil && c.soundHasEnded && !c.hasSound && c.videoHasEnded
        if isHopeless { c.phase = .failed }
        let isUnproven = !isHopeless && c.lastFrame == nil && !c.soundIsPrimed
        // Until there is a picture or sound nobody knows whether this is a warning or half of a failure.
        if isUnproven { c.heldWarning = "\(error)" }
        current = c
        if isHopeless { return fail(c.item, PlaybackError(error)) }
        if !isUnproven { core.tell(.warning("\(error)")) }
    }

    func handle(_ report: SoundPath.Report) {
        switch report {
        case .opened(let isSilent):
            (soundIsOpen, soundIsSilent) = (true, isSilent)
            guard let format = sound?.format else { return }
            if !isSilent { claim?.deviceOpened() }
            current?.source.setSoundFormat(PCMFormat(
                rate: format.rate, channels: format.channels, speakers: format.speakers.map(\.rawValue)))
            feedSound()
        case .silent(let reason): core.tell(.warning("no sound: \(reason)"))
        case .lost(let reason, let isNews):
            if isNews { core.tell(.warning("no sound until the device is back: \(reason)")) }
            calmUntil = MonotonicTime.now + Self.calm
        case .returned:
            calmUntil = MonotonicTime.now + Self.calm
            guard soundIsSilent else { return }
            soundIsSilent = false
            // What could not be heard has claimed nothing yet.
            applyVolume()
        case .givenUp:
            let tries = DeviceRecovery.limit
            core.tell(.warning("no sound: the device is not there after \(tries) tries, and is tried again when playing is asked for"))
        case .unavailable(let reason):
            if !soundIsUnavailable { core.tell(.warning("no sound: \(reason)")) }
            soundIsUnavailable = true
            current?.hasSound = false
            current?.soundHasEnded = true
            current?.source.setSoundFormat(nil)
            next?.hasSound = false
            next?.soundHasEnded = true
            next?.isJoined = false
            next?.source.setSoundFormat(nil)
        case .moved(let device):
            calmUntil = MonotonicTime.now + Self.calm
            core.snapshot.withLock { $0.device = device }
            core.tell(.settingChanged)
            claim?.moved(to: device)
        case .stayed(let reason): core.tell(.warning("the sound stays where it is: \(reason)"))
        case .left(let what): core.tell(.warning(what))
        case .primed(let feed):
            guard feed == current?.soundFeed else { return }
            current?.soundIsPrimed = true
            if let warning = current?.heldWarning.take() { core.tell(.warning(warning)) }
        // That it is known now when the next item's turn comes is reason enough to look.
        case .joined: break
        case .ended(let feed):
            if feed == current?.soundFeed {
                current?.soundHasEnded = true
                current?.soundIsPrimed = true
            }
        }
    }

    /// nil: it goes nowhere; false: its device cannot be had.
    var soundIsWanted: Bool? { sound == nil ? nil : !soundIsUnavailable }

    /// What the device is asked for: the sound's own channels.
    /// Opens the device in the source's form, but for what the program prefers.
    func openDevice(for audio: MediaInfo.Audio) {
        let preferences = claim?.preferences ?? AudioSession.DevicePreferences()
        sound?.open(preferences.applied(to: Self.deviceFormat(for: audio)), period: preferences.period)
    }

    static func deviceFormat(for audio: MediaInfo.Audio) -> AudioFormat {
        let speakers = audio.speakers.compactMap(Speaker.init(rawValue:))
        let isKnown = speakers.count == audio.channels && !speakers.isEmpty
        return AudioFormat(rate: audio.sampleRate, speakers: isKnown ? speakers : Speaker.usual(min(max(audio.channels, 1), 2)) ?? [])
    }

    func fail(_ item: PlayerItem, _ error: PlaybackError) {
        item.state.withLock { state in
            guard state.source === current?.source else { return }
            state.status = .failed
            state.error = error
            state.log.failed(uri: item.location, code: error.code.rawValue, error.message)
        }
        endPreroll(false)
        current?.seek.take()?.completion(false)
        current?.queuedSeek.take()?.completion(false)
        setRequestedRate(0)
        setStatus(.paused, nil)
        core.currentLayer?.itemChanged()
        core.tell(.errorLogged(item))
        core.tell(.itemFailed(item, error))
    }
}
