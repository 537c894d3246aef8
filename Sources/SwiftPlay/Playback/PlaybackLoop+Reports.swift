import MediaPipeline
import SharedFrames
import SystemCalls

/// Events of the current item's source.
extension PlaybackLoop {
    func handleSourceEvents() {
        while let event = current?.source.events.popIfAny() {
            guard var c = current else { return }
            switch event {
            case .opened(let info):
                c.opened(info, output: audioOutput)
                current = c
                let pending = seeking.takeRunning()
                beginTracks(info)
                if let audio = info.audio, c.audio.isForDevice {
                    openDevice(for: audio)
                } else if !c.audio.isDiscarded,
                    sound == nil || device.isUnavailable || !info.tracks.contains(where: { $0.kind == .audio })
                {
                    c.source.setSoundFormat(nil)
                }
                core.currentLayer?.itemChanged()
                for warning in info.warnings { core.tell(.warning(warning)) }
                if c.item.presentationSize != .zero { core.tell(.presentationSizeChanged(c.item)) }
                core.tell(.itemReady(c.item))
                if let failed = c.problems.failedTrack { trackFailed(failed.track, failed.error) }
                if let pending {
                    // The duration was unknown when the seek was requested.
                    if let end = info.duration, pending.time > end {
                        seeking.dropAppointment()
                        pending.completion(false)
                    } else {
                        begin(pending)
                    }
                }
            case .failed(let error):
                c.phase = .failed
                current = c
                fail(c.item, PlaybackError(error))
            case .seekFailed(let generation, let error):
                core.tell(.warning("\(error)"))
                reporter.logError(c, error)
                if generation == c.generations.picture {
                    seeking.dropAppointment()
                    let seek = seeking.takeRunning()
                    if seek != nil { c.run.start = nil }
                    current = c
                    seek?.completion(false)
                    _ = beginQueuedSeek()
                }
            case .durationKnown(let length):
                current?.info?.duration = length
                c.report { $0.info?.duration = length }
            case .warning(let error):
                core.tell(.warning("\(error)"))
                reporter.logError(c, error)
            case .readingStopped(let error):
                core.tell(.warning("\(error)"))
                reporter.logError(c, error)
                c.run.readError = error
                current = c
            case .soundDecoded(let checksum): core.configuration.soundTap?(checksum)
            case .trackFailed(let track, let error):
                reporter.logError(c, error)
                trackFailed(track, error)
            }
        }
    }

    /// Handles the failure of a track. The other tracks keep playing; if no track is left, the item fails.
    private func trackFailed(_ track: MediaEvent.Track, _ error: MediaError) {
        guard var c = current else { return }
        guard c.info != nil else {
            // The `opened` event follows; only then are the other tracks known.
            current?.problems.failedTrack = (track, error)
            return
        }
        let wasPrimed = c.audio.isPrimed
        switch track {
        case .video: c.video.hasEnded = true
        case .audio: c.audio.fail()
        }
        let isHopeless = c.video.lastFrame == nil && c.audio.hasEnded && !c.audio.isForDevice && c.video.hasEnded
        if isHopeless { c.phase = .failed }
        let isUnproven = !isHopeless && c.video.lastFrame == nil && !wasPrimed
        // Until a picture or audio is available, the failure may concern the whole item; the warning is withheld.
        if isUnproven { c.problems.warning = "\(error)" }
        current = c
        if isHopeless { return fail(c.item, PlaybackError(error)) }
        if !isUnproven { core.tell(.warning("\(error)")) }
    }

    func fail(_ item: PlayerItem, _ error: PlaybackError) {
        item.state.withLock { state in
            guard state.source === current?.source else { return }
            state.status = .failed
            state.error = error
            state.log.failed(uri: item.location, code: error.code.rawValue, error.message)
        }
        endPreroll(false)
        seeking.cancelSeeks().answer()
        setRequestedRate(0)
        setStatus(.paused, nil)
        core.currentLayer?.itemChanged()
        core.tell(.errorLogged(item))
        core.tell(.itemFailed(item, error))
    }
}
