import MediaPipeline
import SharedFrames
import SystemCalls

extension PlaybackLoop {
    /// What is wanted of an item: by hand, else by the player's criteria.
    func choice(for item: PlayerItem) -> TrackChoice {
        var choice = core.configuration.tracks
        core.snapshot.withLock { snapshot in
            guard snapshot.settings.selection.appliesCriteria else { return }
            if let audible = snapshot.settings.selection.criteria[.audible] { choice.audioLanguages = audible.preferredLanguages }
            if let legible = snapshot.settings.selection.criteria[.legible] { choice.subtitleLanguages = legible.preferredLanguages }
        }
        for (kind, pick) in item.selection.withLock({ $0.picks }) { choice.picks[kind] = pick }
        if !core.configuration.playsVideo { choice.picks.video = .off }
        if sound == nil, !core.configuration.isUntimed, core.configuration.soundTap == nil { choice.picks.audio = .off }
        return choice
    }

    /// The item is open: what plays of it is known.
    func beginTracks(_ info: MediaInfo) {
        guard let c = current else { return }
        var selected = SelectedTracks(video: info.video?.streamIndex, audio: info.audio?.streamIndex, subtitle: nil)
        selected.subtitle = choice(for: c.item).choose(.subtitle, among: info.tracks)?.id
        current?.tracks.selected = selected
        c.reportTracks { state in
            state.tracks = info.tracks
            state.playing = selected
        }
        if let subtitle = selected.subtitle { showSubtitles(subtitle) }
        // What was chosen while it was being opened.
        current?.tracks.isChangeWanted = true
    }

    func endTracks(of old: PlayingItem) {
        core.currentLayer?.router.setOverlays(nil)
        old.reportTracks { state in
            (state.changed, state.presenter, state.source) = (nil, nil, nil)
            state.playing = .none
        }
        old.tracks.subtitles?.close()
    }

    /// Makes the choice that was asked for, once the item stands or plays.
    func changeTracksIfWanted() {
        guard let c = current, c.tracks.isChangeWanted, let info = c.info, c.phase == .ready || c.phase == .playing else { return }
        current?.tracks.isChangeWanted = false
        let added = c.reportTracks { state -> [(path: String, isChosen: Bool)] in
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
        c.tracks.subtitles?.set(core.snapshot.withLock { $0.settings.selection.subtitleStyle })
        let choice = choice(for: c.item), tracks = c.item.selection.withLock { $0.tracks }
        var wanted = c.tracks.selected
        for kind in MediaTrack.Kind.allCases where kind != .audio || sound != nil {
            // What plays by itself stays until somebody wants something else.
            if choice.picks[kind] == .automatic, kind != .subtitle, c.tracks.selected[kind] != nil, !isReselected(kind, choice) { continue }
            wanted[kind] = choice.choose(kind, among: tracks, usual: c.tracks.selected[kind])?.id
        }
        guard wanted != c.tracks.selected || !added.isEmpty else { return }
        if wanted.video != c.tracks.selected.video {
            changeWithSeek(to: wanted, info)
        } else if wanted.audio != c.tracks.selected.audio {
            changeSound(to: wanted, info)
        }
        if wanted.subtitle != c.tracks.selected.subtitle {
            current?.tracks.selected.subtitle = wanted.subtitle
            showSubtitles(wanted.subtitle)
        }
        publishTracks()
    }

    /// Languages are preferred that what plays may not be in.
    private func isReselected(_ kind: MediaTrack.Kind, _ choice: TrackChoice) -> Bool { kind == .audio && !choice.audioLanguages.isEmpty }

    private func publishTracks() {
        guard let c = current else { return }
        c.reportTracks { $0.playing = c.tracks.selected }
        c.report { $0.info = c.info }
        core.currentLayer?.itemChanged()
        core.tell(.mediaSelectionChanged(c.item))
    }

    // MARK: sound and picture

    private func changeSound(to wanted: SelectedTracks, _ info: MediaInfo) {
        guard var c = current else { return }
        let now = MonotonicTime.now
        let generation = c.generations.next
        // What is on its way to the device is heard still; the new track joins it there, and the picture knows nothing of it.
        let canGoOn = c.audio.isPrimed && c.audio.isUnfinished && c.tracks.selected.audio != nil
        guard wanted.audio == nil || canGoOn else { return changeWithSeek(to: wanted, info) }
        do throws(MediaError) {
            guard try c.source.selectSound(wanted.audio, from: max(0, clock.time(at: now)), generation: generation) else {
                return changeWithSeek(to: wanted, info)
            }
        } catch { return core.tell(.warning("\(error)")) }
        c.generations.beginAudio(generation)
        c.tracks.selected.audio = wanted.audio
        c.info?.audio = wanted.audio.flatMap { id in Self.audio(info.tracks.first { $0.id == id }) }
        let feed = c.audio.feed
        if wanted.audio == nil { c.audio.select(hasTrack: false) }
        current = c
        if wanted.audio == nil {
            flushSound()
        } else if feed.flatMap({ sound?.goOn($0.number, generation: generation) }) != true {
            changeWithSeek(to: wanted, info)
        }
    }

    /// Another picture, or sound where there was none: everything begins anew at the moment that is now.
    private func changeWithSeek(to wanted: SelectedTracks, _ info: MediaInfo) {
        guard var c = current else { return }
        guard info.isSeekable else { return core.tell(.warning("another track cannot be chosen in what cannot be sought in")) }
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
        c.info?.audio = Self.audio(info.tracks.first { $0.id == wanted.audio })
        let hadSound = c.audio.isForDevice
        c.audio.select(hasTrack: c.info?.audio != nil && audioOutput == .device)
        c.tracks.selected = SelectedTracks(video: wanted.video, audio: wanted.audio, subtitle: c.tracks.selected.subtitle)
        c.run.hasReportedEnd = false
        current = c
        if let audio = c.info?.audio, c.audio.isForDevice, !hadSound { openDevice(for: audio) }
        begin(SeekCommand(time: time))
    }

    private static func audio(_ track: MediaTrack?) -> MediaInfo.Audio? {
        track.map { MediaInfo.Audio($0) }
    }

    // MARK: subtitles

    private func showSubtitles(_ track: Int?) {
        guard let c = current else { return }
        do {
            if let presenter = c.tracks.subtitles { return try presenter.select(track) }
            guard track != nil else { return }
            let core = core
            let made = try SubtitlePresenter(source: c.source, style: core.snapshot.withLock { $0.settings.selection.subtitleStyle }) { [weak core] in
                core?.currentLayer?.router.overlayMayHaveChanged()
            }
            current?.tracks.subtitles = made
            c.reportTracks { $0.presenter = made }
            core.currentLayer?.router.setOverlays(made)
            try made.select(track)
        } catch { core.tell(.warning("no subtitles: \(error)")) }
    }
}
