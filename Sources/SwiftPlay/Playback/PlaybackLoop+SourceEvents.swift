import MediaPipeline
import SharedFrames
import SystemCalls

/// Events of the current item's source.
extension PlaybackLoop {
    /// Handles the events of the current item's source.
    func handleSourceEvents() {
        while let event = currentItem?.source.events.popIfAny() {
            guard var item = currentItem else { return }
            switch event {
            case .opened(let info):
                item.didOpen(info, output: audioOutput)
                currentItem = item
                let pendingSeek = seekState.takeRunningSeek()
                beginTracks(info)
                item.publishReadiness(info)
                if let audio = info.audio, item.audio.usesDevice {
                    openDevice(for: audio)
                } else if !item.audio.isDiscarded, audioPipeline == nil || deviceState.isUnavailable {
                    item.source.setAudioFormat(nil)
                }
                core.currentLayer?.handleItemChange()
                for warning in info.warnings { core.notify(.warning(warning)) }
                if item.playerItem.presentationSize != .zero { core.notify(.presentationSizeChanged(item.playerItem)) }
                core.notify(.itemReady(item.playerItem))
                if let failed = item.pendingProblems.failedTrack { handleTrackFailure(failed.track, failed.error) }
                if let pendingSeek {
                    // Check the target now: the duration was unknown when the seek was requested.
                    if let end = info.duration, pendingSeek.time > end {
                        seekState.clearScheduledPlayback()
                        pendingSeek.completion(false)
                    } else {
                        begin(clampedToLiveStream(pendingSeek))
                    }
                }
            case .failed(let error):
                item.phase = .failed
                currentItem = item
                fail(item.playerItem, PlaybackError(error))
            case .seekFailed(let generation, let error):
                core.notify(.warning("\(error)"))
                reporter.logError(item, error)
                if generation == item.generations.video {
                    seekState.clearScheduledPlayback()
                    let seek = seekState.takeRunningSeek()
                    if seek != nil { item.stateSinceSeek.startTime = nil }
                    currentItem = item
                    seek?.completion(false)
                    _ = beginQueuedSeek()
                }
            case .durationKnown(let duration):
                currentItem?.info?.duration = duration
                item.updateItemState { $0.info?.duration = duration }
            case .fellBehind(let time, let isImmediate):
                handleFallingBehind(item, resumingAt: time, isImmediate: isImmediate)
            case .warning(let error):
                core.notify(.warning("\(error)"))
                reporter.logError(item, error)
            case .readingStopped(let error):
                core.notify(.warning("\(error)"))
                reporter.logError(item, error)
                item.stateSinceSeek.readError = error
                currentItem = item
            case .requestFailed(let failure): reporter.logFailure(item, failure)
            case .variantChanged: reporter.updateLog(of: item, clock)
            case .audioFileAdded(let tracks, let isSelected): didAddAudioFile(tracks, isSelected: isSelected)
            case .audioDecoded(let checksum): core.configuration.audioChecksumTap?(checksum)
            case .trackFailed(let track, let error):
                reporter.logError(item, error)
                handleTrackFailure(track, error)
            }
        }
    }

    /// Handles the failure of a track. The other tracks keep playing; if no track is left, the item fails.
    private func handleTrackFailure(_ track: MediaEvent.Track, _ error: MediaError) {
        guard var item = currentItem else { return }
        guard item.info != nil else {
            // The source's event `opened` follows; only then are the other tracks known.
            currentItem?.pendingProblems.failedTrack = (track, error)
            return
        }
        let wasPrimed = item.audio.isPrimed
        switch track {
        case .video: item.video.hasEnded = true
        case .audio: item.audio.fail()
        }
        let cannotRecover =
            item.video.lastFrame == nil && item.audio.hasEnded && !item.audio.usesDevice && item.video.hasEnded
        if cannotRecover { item.phase = .failed }
        let hasNotPlayed = !cannotRecover && item.video.lastFrame == nil && !wasPrimed
        // Until a picture or audio is available, the failure may concern the whole item; the warning is withheld.
        if hasNotPlayed { item.pendingProblems.warning = "\(error)" }
        currentItem = item
        if cannotRecover { return fail(item.playerItem, PlaybackError(error)) }
        if !hasNotPlayed { core.notify(.warning("\(error)")) }
    }

    /// Marks an item as failed, cancels its seeks and its preroll, pauses the player, and notifies observers.
    func fail(_ item: PlayerItem, _ error: PlaybackError) {
        item.state.withLock { state in
            guard state.source === currentItem?.source else { return }
            state.status = .failed
            state.error = error
            state.log.recordError(uri: item.location, code: error.code.rawValue, error.message)
        }
        endPreroll(false)
        seekState.cancelSeeks().complete()
        setRequestedRate(0)
        setStatus(.paused, nil)
        core.currentLayer?.handleItemChange()
        core.notify(.errorLogged(item))
        core.notify(.itemFailed(item, error))
    }
}
