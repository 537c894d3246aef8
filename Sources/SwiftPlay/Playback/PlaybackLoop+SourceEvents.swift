import MediaPipeline
import SharedFrames
import SystemCalls

/// Events of the current item's source.
extension PlaybackLoop {
    /// Handles the events of the current item's source.
    func handleSourceEvents() {
        while let event = current?.source.events.popIfAny() {
            guard var c = current else { return }
            switch event {
            case .opened(let info):
                c.opened(info, output: audioOutput)
                current = c
                let pending = seeking.takeRunning()
                beginTracks(info)
                if let audio = info.audio, c.audio.usesDevice {
                    openDevice(for: audio)
                } else if !c.audio.isDiscarded,
                    audio == nil || device.isUnavailable || !info.tracks.contains(where: { $0.kind == .audio })
                {
                    c.source.setAudioFormat(nil)
                }
                core.currentLayer?.itemChanged()
                for warning in info.warnings { core.notify(.warning(warning)) }
                if c.item.presentationSize != .zero { core.notify(.presentationSizeChanged(c.item)) }
                core.notify(.itemReady(c.item))
                if let failed = c.problems.failedTrack { trackFailed(failed.track, failed.error) }
                if let pending {
                    // Check the target now: the duration was unknown when the seek was requested.
                    if let end = info.duration, pending.time > end {
                        seeking.clearScheduledPlayback()
                        pending.completion(false)
                    } else {
                        begin(clampedToLiveStream(pending))
                    }
                }
            case .failed(let error):
                c.phase = .failed
                current = c
                fail(c.item, PlaybackError(error))
            case .seekFailed(let generation, let error):
                core.notify(.warning("\(error)"))
                reporter.logError(c, error)
                if generation == c.generations.picture {
                    seeking.clearScheduledPlayback()
                    let seek = seeking.takeRunning()
                    if seek != nil { c.run.start = nil }
                    current = c
                    seek?.completion(false)
                    _ = beginQueuedSeek()
                }
            case .durationKnown(let length):
                current?.info?.duration = length
                c.updateItem { $0.info?.duration = length }
            case .fellBehind(let time, let isImmediate): fellBehind(c, resumingAt: time, isImmediate: isImmediate)
            case .warning(let error):
                core.notify(.warning("\(error)"))
                reporter.logError(c, error)
            case .readingStopped(let error):
                core.notify(.warning("\(error)"))
                reporter.logError(c, error)
                c.run.readError = error
                current = c
            case .requestFailed(let failure): reporter.logFailure(c, failure)
            case .variantChanged: reporter.updateLog(of: c, clock)
            case .audioDecoded(let checksum): core.configuration.audioChecksumTap?(checksum)
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
            // The source's event `opened` follows; only then are the other tracks known.
            current?.problems.failedTrack = (track, error)
            return
        }
        let wasPrimed = c.audio.isPrimed
        switch track {
        case .video: c.video.hasEnded = true
        case .audio: c.audio.fail()
        }
        let cannotRecover = c.video.lastFrame == nil && c.audio.hasEnded && !c.audio.usesDevice && c.video.hasEnded
        if cannotRecover { c.phase = .failed }
        let hasNotPlayed = !cannotRecover && c.video.lastFrame == nil && !wasPrimed
        // Until a picture or audio is available, the failure may concern the whole item; the warning is withheld.
        if hasNotPlayed { c.problems.warning = "\(error)" }
        current = c
        if cannotRecover { return fail(c.item, PlaybackError(error)) }
        if !hasNotPlayed { core.notify(.warning("\(error)")) }
    }

    /// Marks an item as failed, cancels its seeks and its preroll, pauses the player, and notifies observers.
    func fail(_ item: PlayerItem, _ error: PlaybackError) {
        item.state.withLock { state in
            guard state.source === current?.source else { return }
            state.status = .failed
            state.error = error
            state.log.failed(uri: item.location, code: error.code.rawValue, error.message)
        }
        endPreroll(false)
        seeking.cancelSeeks().complete()
        setRequestedRate(0)
        setStatus(.paused, nil)
        core.currentLayer?.itemChanged()
        core.notify(.errorLogged(item))
        core.notify(.itemFailed(item, error))
    }
}
