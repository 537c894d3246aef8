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
            if let audible = snapshot.settings.selection.criteria[.audible] {
                choice.audioLanguages = audible.preferredLanguages
            }
            if let legible = snapshot.settings.selection.criteria[.legible] {
                choice.subtitleLanguages = legible.preferredLanguages
            }
        }
        for (kind, pick) in item.selection.withLock({ $0.trackSelections }) { choice.picks[kind] = pick }
        if !core.configuration.playsVideo { choice.picks.video = .off }
        if audio == nil, !core.configuration.isUntimed, core.configuration.audioChecksumTap == nil {
            choice.picks.audio = .off
        }
        return choice
    }

    /// Records the selected tracks once the item's source is open.
    func beginTracks(_ info: MediaInfo) {
        guard let c = current else { return }
        current?.tracks.begin(
            video: info.video?.streamIndex, audio: info.audio?.streamIndex, choice: trackChoice(for: c.item),
            among: info.tracks)
        guard let selected = current?.tracks.selected else { return }
        c.reportTracks { state in
            state.tracks = info.tracks
            state.playingTracks = selected
        }
        if let subtitle = selected.subtitle { showSubtitles(subtitle) }
    }

    /// Removes the tracks and subtitles of an item that is no longer current.
    func endTracks(of old: PlayingItem) {
        core.currentLayer?.router.setOverlays(nil)
        old.reportTracks { state in
            (state.onChange, state.presenter, state.source) = (nil, nil, nil)
            state.playingTracks = .none
        }
        old.subtitles?.close()
    }

    /// Applies track changes that the program has requested since the last call: carries out the decisions of
    /// ``TrackSelection``.
    func changeTracksIfRequested() {
        guard let info = current?.info, let phase = current?.phase,
            current?.tracks.takeRequest(in: phase) == true, let c = current
        else { return }
        let hasAddedFiles = addSubtitleFiles(to: c)
        c.subtitles?.set(core.snapshot.withLock { $0.settings.selection.subtitleStyle })
        let requested = c.tracks.requestedTracks(
            by: trackChoice(for: c.item), among: c.item.selection.withLock { $0.tracks }, hasAudioOutput: audio != nil)
        guard requested != c.tracks.selected || hasAddedFiles else { return }
        perform(c.tracks.change(to: requested, audio: c.audio, isSeekable: info.isSeekable), to: requested, info)
        if requested.subtitle != c.tracks.selected.subtitle {
            current?.tracks.select(subtitle: requested.subtitle)
            showSubtitles(requested.subtitle)
        }
        publishTracks()
    }

    /// Adds tracks for the subtitle files that the program has added.
    ///
    /// - Returns: Whether the program had added files.
    private func addSubtitleFiles(to c: PlayingItem) -> Bool {
        let added =
            c.reportTracks { state -> [(path: String, isChosen: Bool)] in
                defer { state.newSubtitleFiles = [] }
                return state.newSubtitleFiles
            } ?? []
        for (path, isChosen) in added {
            let track = c.source.addSubtitleFile(path)
            c.reportTracks { state in
                state.tracks.append(track)
                if isChosen { state.trackSelections[.subtitle] = .id(track.id) }
            }
        }
        return !added.isEmpty
    }

    /// Changes the video and audio tracks in the given way.
    private func perform(_ change: TrackSelection.Change, to requested: SelectedTracks, _ info: MediaInfo) {
        switch change {
        case .none: break
        case .inPlace: changeAudio(to: requested, info)
        case .seek: changeBySeek(to: requested, info)
        case .refuse: core.notify(.warning("cannot change tracks: the item is not seekable"))
        }
    }

    /// Publishes the selected tracks and notifies observers.
    private func publishTracks() {
        guard let c = current else { return }
        c.reportTracks { $0.playingTracks = c.tracks.selected }
        c.updateItem { $0.info = c.info }
        core.currentLayer?.itemChanged()
        core.notify(.mediaSelectionChanged(c.item))
    }

    // MARK: Audio and video

    /// Changes the audio track during playback, or by a seek if that is not possible.
    private func changeAudio(to requested: SelectedTracks, _ info: MediaInfo) {
        guard var c = current else { return }
        let now = MonotonicTime.now
        let generation = c.generations.next
        let otherwise = c.tracks.changeBySeek(isSeekable: info.isSeekable)
        do throws(MediaError) {
            guard try c.source.selectAudio(requested.audio, from: max(0, clock.time(at: now)), generation: generation)
            else { return perform(otherwise, to: requested, info) }
        } catch { return core.notify(.warning("\(error)")) }
        c.generations.beginAudio(generation)
        c.tracks.select(audio: requested.audio)
        c.info?.audio = info.audio(ofTrack: requested.audio)
        let accepted = c.audio.acceptedAudio
        if requested.audio == nil { c.audio.select(hasTrack: false) }
        current = c
        if requested.audio == nil {
            flushAudio()
        } else if accepted.flatMap({ audio?.continueAudio($0.number, generation: generation) }) != true {
            perform(otherwise, to: requested, info)
        }
    }

    /// Seeks to the current time and continues there with the requested video and audio tracks.
    private func changeBySeek(to requested: SelectedTracks, _ info: MediaInfo) {
        guard var c = current else { return }
        if requested.video != c.tracks.selected.video || c.info?.video?.streamIndex != requested.video {
            c.source.selectAtNextSeek(.video, track: requested.video)
            c.info?.video = info.tracks.first { $0.id == requested.video }.map { MediaInfo.Video($0) }
            if requested.video == nil {
                c.video.removePicture()
                core.currentLayer?.router.removeImage()
                core.currentLayer?.setReadyForDisplay(false)
            }
        }
        let time = max(0, clock.time(at: MonotonicTime.now))
        c.source.selectAtNextSeek(.audio, track: requested.audio)
        c.info?.audio = info.audio(ofTrack: requested.audio)
        let hadAudio = c.audio.usesDevice
        c.audio.select(hasTrack: c.info?.audio != nil && audioOutput == .device)
        c.tracks.selectBySeek(requested)
        c.run.hasReportedEnd = false
        current = c
        if let audio = c.info?.audio, c.audio.usesDevice, !hadAudio { openDevice(for: audio) }
        begin(SeekCommand(time: time))
    }

    // MARK: Subtitles

    /// Shows the subtitles of a track; nil for none.
    private func showSubtitles(_ track: Int?) {
        guard let c = current else { return }
        do {
            if let presenter = c.subtitles { return try presenter.select(track) }
            guard track != nil else { return }
            let core = core
            let created = try SubtitlePresenter(
                source: c.source, style: core.snapshot.withLock { $0.settings.selection.subtitleStyle }
            ) { [weak core] in
                core?.currentLayer?.router.overlayMayHaveChanged()
            }
            current?.subtitles = created
            c.reportTracks { $0.presenter = created }
            core.currentLayer?.router.setOverlays(created)
            try created.select(track)
        } catch { core.notify(.warning("no subtitles: \(error)")) }
    }
}

extension MediaInfo {
    /// Returns the audio track with number `id`.
    fileprivate func audio(ofTrack id: Int?) -> MediaInfo.Audio? {
        tracks.first { $0.id == id }.map { MediaInfo.Audio($0) }
    }
}
