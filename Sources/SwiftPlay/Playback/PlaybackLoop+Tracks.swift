import MediaPipeline
import SharedFrames
import SystemCalls

/// The selected tracks of the current item.
extension PlaybackLoop {
    /// Returns the track choice for an item: tracks that the program selected for the item take precedence over the
    /// player's criteria.
    func trackChoice(for item: PlayerItem) -> TrackChoice {
        var choice = core.configuration.tracks
        core.snapshot.withLock { snapshot in
            guard snapshot.settings.selection.appliesCriteria else { return }
            if let audibleCriteria = snapshot.settings.selection.criteria[.audible] {
                choice.audioLanguages = audibleCriteria.preferredLanguages
            }
            if let legible = snapshot.settings.selection.criteria[.legible] {
                choice.subtitleLanguages = legible.preferredLanguages
            }
        }
        for (kind, pick) in item.selection.withLock({ $0.trackSelections }) { choice.selections[kind] = pick }
        if !core.configuration.playsVideo { choice.selections.video = .off }
        if audioPipeline == nil, !core.configuration.isUntimed, core.configuration.audioChecksumTap == nil {
            choice.selections.audio = .off
        }
        return choice
    }

    /// Records the selected tracks once the item's source is open.
    func beginTracks(_ info: MediaInfo) {
        guard let item = currentItem else { return }
        currentItem?.trackSelection.begin(
            video: info.video?.streamIndex, audio: info.audio?.streamIndex, choice: trackChoice(for: item.playerItem),
            among: info.tracks)
        guard let selectedTracks = currentItem?.trackSelection.selectedTracks else { return }
        item.updateItemSelection { $0.playingTracks = selectedTracks }
        if let subtitle = selectedTracks.subtitle { showSubtitles(subtitle, layer: .primary) }
    }

    /// Removes the tracks and subtitles of an item that is no longer current.
    func endTracks(of oldItem: PlayingItem) {
        core.currentLayer?.router.setOverlays(nil)
        oldItem.updateItemSelection { state in
            (state.onChange, state.subtitles, state.source) = (nil, nil, nil)
            (state.playingTracks, state.playingSecondarySubtitles) = (.none, nil)
        }
        oldItem.subtitles?.close()
    }

    /// Applies track changes that the program has requested since the last call: carries out the decisions of
    /// ``TrackSelection``.
    func changeTracksIfRequested() {
        guard let info = currentItem?.info, let phase = currentItem?.phase,
            currentItem?.trackSelection.takeChangeRequest(in: phase) == true, let item = currentItem
        else { return }
        let hasAddedFiles = addSubtitleFiles(to: item), hasRemovedTracks = changeAudioFiles(of: item)
        item.subtitles?.set(core.snapshot.withLock { $0.settings.selection.subtitleStyle })
        let requestedTracks = item.trackSelection.requestedTracks(
            by: trackChoice(for: item.playerItem), among: item.playerItem.selection.withLock { $0.tracks },
            hasAudioOutput: audioPipeline != nil)
        let hasChangedSecondary = changeSecondarySubtitles(of: item, primary: requestedTracks.subtitle)
        guard
            requestedTracks != item.trackSelection.selectedTracks || hasAddedFiles || hasRemovedTracks
                || hasChangedSecondary
        else { return }
        let change = item.trackSelection.change(to: requestedTracks, audio: item.audio, isSeekable: info.isSeekable)
        perform(change, to: requestedTracks, info)
        if requestedTracks.subtitle != item.trackSelection.selectedTracks.subtitle {
            currentItem?.trackSelection.select(subtitle: requestedTracks.subtitle)
            showSubtitles(requestedTracks.subtitle, layer: .primary)
        }
        publishTracks()
    }

    /// Adds tracks for the subtitle files that the program has added.
    ///
    /// - Returns: Whether the program had added files.
    private func addSubtitleFiles(to item: PlayingItem) -> Bool {
        let addedFiles =
            item.updateItemSelection { state -> [(file: SubtitleFinder.File, isChosen: Bool)] in
                defer { state.newSubtitleFiles = [] }
                return state.newSubtitleFiles
            } ?? []
        for (file, isChosen) in addedFiles {
            let track = item.source.addSubtitleFile(file)
            item.updateItemSelection { state in
                state.tracks.append(track)
                if isChosen { state.trackSelections[.subtitle] = .id(track.id) }
            }
        }
        return !addedFiles.isEmpty
    }

    /// Changes the video and audio tracks in the given way.
    private func perform(_ change: TrackSelection.Change, to requestedTracks: SelectedTracks, _ info: MediaInfo) {
        switch change {
        case .none: break
        case .inPlace: changeAudio(to: requestedTracks, info)
        case .seek: changeBySeek(to: requestedTracks, info)
        case .refuse: core.notify(.warning("cannot change tracks: the item is not seekable"))
        }
    }

    /// Publishes the selected tracks and notifies observers.
    private func publishTracks() {
        guard let item = currentItem else { return }
        item.updateItemSelection { $0.playingTracks = item.trackSelection.selectedTracks }
        item.updateItemState { $0.info = item.info }
        core.currentLayer?.handleItemChange()
        core.notify(.mediaSelectionChanged(item.playerItem))
    }

    // MARK: Audio and video

    /// Changes the audio track during playback, or by a seek if that is not possible.
    private func changeAudio(to requestedTracks: SelectedTracks, _ info: MediaInfo) {
        guard var item = currentItem else { return }
        let now = MonotonicTime.now
        let generation = item.generations.nextGeneration
        let fallback = item.trackSelection.changeBySeek(isSeekable: info.isSeekable)
        do throws(MediaError) {
            guard
                try item.source.selectAudio(
                    requestedTracks.audio, from: max(0, clock.time(at: now)), generation: generation)
            else { return perform(fallback, to: requestedTracks, info) }
        } catch { return core.notify(.warning("\(error)")) }
        item.generations.beginAudioTrack(generation)
        item.trackSelection.select(audio: requestedTracks.audio)
        item.info?.audio = info.audio(ofTrack: requestedTracks.audio)
        let acceptedAudio = item.audio.acceptedAudio
        if requestedTracks.audio == nil { item.audio.select(hasTrack: false) }
        currentItem = item
        if requestedTracks.audio == nil {
            flushAudio()
        } else if acceptedAudio.flatMap({ audioPipeline?.continueAudio($0.number, generation: generation) }) != true {
            perform(fallback, to: requestedTracks, info)
        }
    }

    /// Seeks to the current time and continues there with the requested video and audio tracks.
    private func changeBySeek(to requestedTracks: SelectedTracks, _ info: MediaInfo) {
        guard var item = currentItem else { return }
        if requestedTracks.video != item.trackSelection.selectedTracks.video
            || item.info?.video?.streamIndex != requestedTracks.video
        {
            item.source.selectAtNextSeek(.video, track: requestedTracks.video)
            item.info?.video = info.tracks.first { $0.id == requestedTracks.video }.map { MediaInfo.Video($0) }
            if requestedTracks.video == nil {
                item.video.removeLastFrame()
                core.currentLayer?.router.removeImage()
                core.currentLayer?.setReadyForDisplay(false)
            }
        }
        let time = max(0, clock.time(at: MonotonicTime.now))
        item.source.selectAtNextSeek(.audio, track: requestedTracks.audio)
        item.info?.audio = info.audio(ofTrack: requestedTracks.audio)
        let hadAudio = item.audio.usesDevice
        item.audio.select(hasTrack: item.info?.audio != nil && audioOutput == .device)
        item.trackSelection.selectBySeek(requestedTracks)
        item.stateSinceSeek.hasReportedEnd = false
        currentItem = item
        if let audio = item.info?.audio, item.audio.usesDevice, !hadAudio { openDevice(for: audio) }
        begin(SeekCommand(time: time))
    }
}

extension MediaInfo {
    /// Returns the audio track with number `id`.
    fileprivate func audio(ofTrack id: Int?) -> MediaInfo.Audio? {
        tracks.first { $0.id == id }.map { MediaInfo.Audio($0) }
    }
}
