import MediaPipeline
import SharedFrames
import SystemCalls

extension PlaybackLoop {
    /// Returns the track choice for an item: tracks chosen by hand take precedence over the player's criteria.
    func choice(for item: PlayerItem) -> TrackChoice {
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
        for (kind, pick) in item.selection.withLock({ $0.picks }) { choice.picks[kind] = pick }
        if !core.configuration.playsVideo { choice.picks.video = .off }
        if sound == nil, !core.configuration.isUntimed, core.configuration.soundTap == nil { choice.picks.audio = .off }
        return choice
    }

    /// Records the selected tracks once the item's source is open.
    func beginTracks(_ info: MediaInfo) {
        guard let c = current else { return }
        current?.tracks.begin(
            video: info.video?.streamIndex, audio: info.audio?.streamIndex, choice: choice(for: c.item),
            among: info.tracks)
        guard let selected = current?.tracks.selected else { return }
        c.reportTracks { state in
            state.tracks = info.tracks
            state.playing = selected
        }
        if let subtitle = selected.subtitle { showSubtitles(subtitle) }
    }

    func endTracks(of old: PlayingItem) {
        core.currentLayer?.router.setOverlays(nil)
        old.reportTracks { state in
            (state.changed, state.presenter, state.source) = (nil, nil, nil)
            state.playing = .none
        }
        old.subtitles?.close()
    }

    /// Applies track changes that the program has requested since the last call: carries out the decisions of
    /// ``TrackSelection``.
    func changeTracksIfWanted() {
        guard let info = current?.info, let phase = current?.phase,
            current?.tracks.takeRequest(in: phase) == true, let c = current
        else { return }
        let hasAdded = addSubtitleFiles(to: c)
        c.subtitles?.set(core.snapshot.withLock { $0.settings.selection.subtitleStyle })
        let wanted = c.tracks.wanted(
            by: choice(for: c.item), among: c.item.selection.withLock { $0.tracks }, hasAudioOutput: sound != nil)
        guard wanted != c.tracks.selected || hasAdded else { return }
        perform(c.tracks.change(to: wanted, audio: c.audio, isSeekable: info.isSeekable), to: wanted, info)
        if wanted.subtitle != c.tracks.selected.subtitle {
            current?.tracks.select(subtitle: wanted.subtitle)
            showSubtitles(wanted.subtitle)
        }
        publishTracks()
    }

    /// Adds tracks for the subtitle files that the program has added.
    ///
    /// - Returns: Whether there were any.
    private func addSubtitleFiles(to c: PlayingItem) -> Bool {
        let added =
            c.reportTracks { state -> [(path: String, isChosen: Bool)] in
                defer { state.newFiles = [] }
                return state.newFiles
            } ?? []
        for (path, isChosen) in added {
            let track = c.source.addSubtitleFile(path)
            c.reportTracks { state in
                state.tracks.append(track)
                if isChosen { state.picks[.subtitle] = .id(track.id) }
            }
        }
        return !added.isEmpty
    }

    private func perform(_ change: TrackSelection.Change, to wanted: SelectedTracks, _ info: MediaInfo) {
        switch change {
        case .none: break
        case .inPlace: changeAudio(to: wanted, info)
        case .seek: changeBySeek(to: wanted, info)
        case .refuse: core.tell(.warning("cannot change tracks: the item is not seekable"))
        }
    }

    private func publishTracks() {
        guard let c = current else { return }
        c.reportTracks { $0.playing = c.tracks.selected }
        c.report { $0.info = c.info }
        core.currentLayer?.itemChanged()
        core.tell(.mediaSelectionChanged(c.item))
    }

    // MARK: Audio and video

    /// Changes the audio track during playback, or by a seek if that is not possible.
    private func changeAudio(to wanted: SelectedTracks, _ info: MediaInfo) {
        guard var c = current else { return }
        let now = MonotonicTime.now
        let generation = c.generations.next
        let otherwise = c.tracks.changeBySeek(isSeekable: info.isSeekable)
        do throws(MediaError) {
            guard try c.source.selectSound(wanted.audio, from: max(0, clock.time(at: now)), generation: generation)
            else { return perform(otherwise, to: wanted, info) }
        } catch { return core.tell(.warning("\(error)")) }
        c.generations.beginAudio(generation)
        c.tracks.select(audio: wanted.audio)
        c.info?.audio = info.audio(ofTrack: wanted.audio)
        let feed = c.audio.feed
        if wanted.audio == nil { c.audio.select(hasTrack: false) }
        current = c
        if wanted.audio == nil {
            flushSound()
        } else if feed.flatMap({ sound?.goOn($0.number, generation: generation) }) != true {
            perform(otherwise, to: wanted, info)
        }
    }

    /// Seeks to the current time and continues there with the wanted video and audio tracks.
    private func changeBySeek(to wanted: SelectedTracks, _ info: MediaInfo) {
        guard var c = current else { return }
        if wanted.video != c.tracks.selected.video || c.info?.video?.streamIndex != wanted.video {
            c.source.selectAtNextSeek(.video, track: wanted.video)
            c.info?.video = info.tracks.first { $0.id == wanted.video }.map { MediaInfo.Video($0) }
            if wanted.video == nil {
                c.video.removePicture()
                core.currentLayer?.router.removeImage()
                core.currentLayer?.setReadyForDisplay(false)
            }
        }
        let time = max(0, clock.time(at: MonotonicTime.now))
        c.source.selectAtNextSeek(.audio, track: wanted.audio)
        c.info?.audio = info.audio(ofTrack: wanted.audio)
        let hadAudio = c.audio.isForDevice
        c.audio.select(hasTrack: c.info?.audio != nil && audioOutput == .device)
        c.tracks.selectBySeek(wanted)
        c.run.hasReportedEnd = false
        current = c
        if let audio = c.info?.audio, c.audio.isForDevice, !hadAudio { openDevice(for: audio) }
        begin(SeekCommand(time: time))
    }

    // MARK: Subtitles

    private func showSubtitles(_ track: Int?) {
        guard let c = current else { return }
        do {
            if let presenter = c.subtitles { return try presenter.select(track) }
            guard track != nil else { return }
            let core = core
            let made = try SubtitlePresenter(
                source: c.source, style: core.snapshot.withLock { $0.settings.selection.subtitleStyle }
            ) { [weak core] in
                core?.currentLayer?.router.overlayMayHaveChanged()
            }
            current?.subtitles = made
            c.reportTracks { $0.presenter = made }
            core.currentLayer?.router.setOverlays(made)
            try made.select(track)
        } catch { core.tell(.warning("no subtitles: \(error)")) }
    }
}

extension MediaInfo {
    /// Returns the audio track with number `id`.
    fileprivate func audio(ofTrack id: Int?) -> MediaInfo.Audio? {
        tracks.first { $0.id == id }.map { MediaInfo.Audio($0) }
    }
}
