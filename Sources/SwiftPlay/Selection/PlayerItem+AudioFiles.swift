import MediaPipeline

extension PlayerItem {
    /// Adds the audio tracks of a separate file, which plays in sync with the item: the start of the file is played at
    /// the start of the item.
    ///
    /// A file that cannot be opened causes a warning. Of files that are added before the item is played, the first one
    /// is selected unless the program selects another track. Later files are opened during playback.
    ///
    /// - Parameters:
    ///   - location: A path, or an http or https address.
    ///   - selecting: Whether the file's first track is selected, if the item is being played.
    ///   - title: The title of the tracks; nil uses the titles in the file, or its name.
    ///   - language: The language of the tracks; nil uses the languages in the file.
    public func addAudio(location: String, selecting: Bool = true, title: String? = nil, language: String? = nil) {
        let file = AudioFile(location: location, title: title, language: language, isSelected: selecting)
        let onChange = selection.withLock { state in
            if state.onChange == nil, state.tracks.isEmpty {
                state.audioFiles.append(file)
            } else {
                state.audioFileChanges.append(.add(file))
            }
            return state.onChange
        }
        onChange?()
    }

    /// Removes a track of a separate file. If the track is playing, no track of its kind is selected. All tracks of an
    /// audio file are removed together.
    ///
    /// - Parameter id: The identifier of the track.
    /// - Returns: false if there is no such track in a separate file.
    package func removeExternalTrack(_ id: Int) -> Bool {
        let (isRemoved, onChange) = selection.withLock { state in
            guard let track = state.tracks.first(where: { $0.id == id && $0.isExternal }) else {
                return (false, (@Sendable () -> Void)?.none)
            }
            let ids = state.tracks.filter { $0.isInSameFile(as: track) }.map(\.id)
            state.replaceTrackNumbers(of: track.kind)
            state.tracks.removeAll { ids.contains($0.id) }
            // If the program has just selected another track, the playing track does not count.
            let selectedTrack: Int? =
                switch state.trackSelections[track.kind] ?? .automatic {
                case .id(let id): id
                case .automatic: state.playingTracks[track.kind]
                case .off, .number: nil
                }
            if selectedTrack.map({ ids.contains($0) }) == true { state.trackSelections[track.kind] = .off }
            if ids.contains(where: { state.secondarySubtitles == .id($0) }) { state.secondarySubtitles = .off }
            state.removedTracks += ids
            if track.kind == .audio { state.audioFileChanges.append(.remove(track: id)) }
            return (true, state.onChange)
        }
        onChange?()
        return isRemoved
    }

    /// Passes the item's separate audio files to the configuration of its source.
    func configureAudioFiles(_ configuration: inout MediaSourceConfiguration) {
        selection.withLock { state in
            // Files that were added while the item was open are not opened again.
            if case .id(let id)? = state.trackSelections[.audio], !state.hasAudioTrack(id) {
                state.trackSelections[.audio] = nil
            }
            // Files that were added after the item was closed are opened now.
            for case .add(let file) in state.audioFileChanges { state.audioFiles.append(file) }
            (state.audioFileChanges, state.removedTracks) = ([], [])
            configuration.audioFiles = state.audioFiles
        }
    }
}

extension SelectionState {
    /// Replaces selections by number with selections of the same tracks by identifier, because the numbers of tracks
    /// change when a track is removed.
    fileprivate mutating func replaceTrackNumbers(of kind: MediaTrack.Kind) {
        let ids = tracks.filter { $0.kind == kind }.map(\.id)
        func byIdentifier(_ trackSelection: TrackChoice.Selection) -> TrackChoice.Selection {
            guard case .number(let number) = trackSelection, ids.indices.contains(number - 1) else {
                return trackSelection
            }
            return .id(ids[number - 1])
        }
        trackSelections[kind] = trackSelections[kind].map(byIdentifier)
        if kind == .subtitle { secondarySubtitles = byIdentifier(secondarySubtitles) }
    }

    /// Returns whether an audio track is in the item's own file, or in an audio file that was added before the item was
    /// opened.
    func hasAudioTrack(_ id: Int) -> Bool {
        id < MediaTrack.firstAudioFileID + audioFiles.count * MediaTrack.tracksPerAudioFile
    }
}

extension MediaTrack {
    /// Returns whether two tracks belong to the same separate file.
    fileprivate func isInSameFile(as other: MediaTrack) -> Bool {
        guard kind == other.kind else { return false }
        return kind == .audio && isExternal
            ? id / MediaTrack.tracksPerAudioFile == other.id / MediaTrack.tracksPerAudioFile : id == other.id
    }
}
