import MediaPipeline
import SystemCalls

/// The tracks of an item and the program's selection.
struct SelectionState {
    /// The tracks that the program has selected; the player selects tracks of other kinds automatically.
    var trackSelections: [MediaTrack.Kind: TrackChoice.Selection] = [:]
    /// All tracks, including those of subtitle files.
    var tracks: [MediaTrack] = []
    /// The tracks that play now.
    var playingTracks = SelectedTracks.none
    /// The secondary subtitles that the program has selected.
    var secondarySubtitles = TrackChoice.Selection.off
    /// The track of the secondary subtitles that are shown now.
    var playingSecondarySubtitles: Int?
    /// The subtitle files that were added before the item was opened.
    var subtitleFiles: [SubtitleFinder.File] = []
    /// The subtitle files that were added while the item was open and that the player has not opened yet.
    var newSubtitleFiles: [(file: SubtitleFinder.File, isChosen: Bool)] = []
    /// The audio files that were added before the item was opened.
    var audioFiles: [AudioFile] = []
    /// The changes of the audio files that were made while the item was open and that the player has not handled yet.
    var audioFileChanges: [AudioFileChange] = []
    /// The identifiers of the tracks that were removed and that the player has not handled yet.
    var removedTracks: [Int] = []
    /// The rule that selects subtitle files in the item's folder.
    var subtitleSearch = SubtitleFinder.Search.no
    /// The rule that selects the character set of subtitle files.
    var subtitleCharacterSet = SubtitleCharacterSet.automatic
    /// The source of the tracks: see ``PlayerItem/State/source``.
    weak var source: (any MediaSource)?
    /// The closure that is called after the program has changed the selection; nil while no player has opened the item.
    var onChange: (@Sendable () -> Void)?
    /// The object that draws the subtitles; nil until a subtitle track is selected.
    var subtitles: ItemSubtitles?

    /// The part of the state that ``PlayerItem/copy()`` copies.
    var settings: SelectionState {
        var copy = SelectionState()
        copy.subtitleFiles = subtitleFiles
        copy.audioFiles = audioFiles
        if case .id(let id) = secondarySubtitles, id >= MediaTrack.firstFileID + subtitleFiles.count {
            copy.secondarySubtitles = .off
        } else {
            copy.secondarySubtitles = secondarySubtitles
        }
        copy.subtitleSearch = subtitleSearch
        copy.subtitleCharacterSet = subtitleCharacterSet
        // Omit selected files that were added while the item was open: they are not copied, so their track numbers are
        // not valid.
        copy.trackSelections = trackSelections.filter { kind, trackSelection in
            guard case .id(let id) = trackSelection else { return true }
            return kind == .audio ? hasAudioTrack(id) : id < MediaTrack.firstFileID + subtitleFiles.count
        }
        return copy
    }
}

extension PlayerItem {
    /// Returns the group of a kind of tracks (AVAsset.loadMediaSelectionGroup(for:)).
    ///
    /// - Parameter characteristic: `.audible`, `.legible` or `.visual`.
    /// - Returns: The group; nil until the item is ready, and if it has no such track.
    public func mediaSelectionGroup(forMediaCharacteristic characteristic: MediaCharacteristic) -> MediaSelectionGroup?
    {
        guard let kind = characteristic.kind else { return nil }
        let options = selection.withLock { $0.tracks }.filter { $0.kind == kind && !$0.isAttachedPicture }.map(
            MediaSelectionOption.init)
        guard !options.isEmpty else { return nil }
        let defaultOption =
            kind == .subtitle ? options.first(where: \.isDefault) : options.first(where: \.isDefault) ?? options.first
        return MediaSelectionGroup(characteristic: characteristic, options: options, defaultOption: defaultOption)
    }

    /// Selects an option of a group (AVPlayerItem.select(_:in:)). Takes effect a moment later, without a seek if
    /// possible.
    ///
    /// The selection stays until ``selectMediaOptionAutomatically(in:)``.
    ///
    /// - Parameters:
    ///   - option: The option; nil to play no track of the group. An option of another group, or one that cannot be
    ///     decoded, is ignored.
    ///   - group: A group of this item.
    public func select(_ option: MediaSelectionOption?, in group: MediaSelectionGroup) {
        guard let kind = group.characteristic.kind else { return }
        if let option {
            guard group.options.contains(option), option.isPlayable else { return }
        } else if !group.allowsEmptySelection {
            return
        }
        pick(option.map { .id($0.track.id) } ?? .off, kind)
    }

    /// Lets the player's criteria select the option of a group
    /// (AVPlayerItem.selectMediaOptionAutomatically(in:)).
    ///
    /// - Parameter group: A group of this item.
    public func selectMediaOptionAutomatically(in group: MediaSelectionGroup) {
        if let kind = group.characteristic.kind { pick(.automatic, kind) }
    }

    /// The current selection (AVPlayerItem.currentMediaSelection).
    public var currentMediaSelection: MediaSelection {
        selection.withLock { state in
            var selectedOptions: [MediaCharacteristic: MediaSelectionOption] = [:]
            for kind in MediaTrack.Kind.allCases {
                guard let id = state.playingTracks[kind], let track = state.tracks.first(where: { $0.id == id }) else {
                    continue
                }
                selectedOptions[MediaCharacteristic(kind)] = MediaSelectionOption(track: track)
            }
            let automaticKinds = MediaTrack.Kind.allCases.filter {
                (state.trackSelections[$0] ?? .automatic) == .automatic
            }
            return MediaSelection(
                selectedOptions: selectedOptions,
                automaticCharacteristics: Set(automaticKinds.map { MediaCharacteristic($0) }))
        }
    }

    /// All tracks, including those of subtitle files (AVPlayerItem.tracks); empty until the item is ready.
    public var tracks: [PlayerItemTrack] {
        selection.withLock { $0.tracks }.map { PlayerItemTrack(item: self, track: $0) }
    }

    /// The rule that selects files in a local file's folder as its subtitles (mpv's `--sub-auto`).
    public enum SubtitleSearch: String, Sendable {
        /// No files in the folder are used.
        case no
        /// Files with the same name, and optionally a language: `film.srt`, `film.en.srt`.
        case exact
        /// Files whose name contains the name of the item.
        case fuzzy
        /// All subtitle files of the folder.
        case all
    }

    /// The search for subtitle files; `.no` by default. Set it before the item is played.
    public var subtitleSearch: SubtitleSearch {
        get { selection.withLock { SubtitleSearch(rawValue: $0.subtitleSearch.rawValue) ?? .no } }
        set { selection.withLock { $0.subtitleSearch = SubtitleFinder.Search(rawValue: newValue.rawValue) ?? .no } }
    }

    /// Selects a track of a kind, no track, or the track that the player chooses.
    package func pick(_ trackSelection: TrackChoice.Selection, _ kind: MediaTrack.Kind) {
        let onChange = selection.withLock { state in
            state.trackSelections[kind] = trackSelection
            return state.onChange
        }
        onChange?()
    }

    /// The tracks that the program has selected in the item's own file, as numbers from 1 or none; without the kinds
    /// that are selected automatically.
    package var numberedTrackSelections: [MediaTrack.Kind: TrackChoice.Selection] {
        selection.withLock { state in
            var selections: [MediaTrack.Kind: TrackChoice.Selection] = [:]
            for (kind, trackSelection) in state.trackSelections {
                let tracks = state.tracks.filter { $0.kind == kind }
                let index: Int?
                switch trackSelection {
                case .off:
                    selections[kind] = .off
                    continue
                case .automatic: continue
                case .number(let number): index = tracks.indices.contains(number - 1) ? number - 1 : nil
                case .id(let id): index = tracks.firstIndex { $0.id == id }
                }
                if let index, !tracks[index].isExternal { selections[kind] = .number(index + 1) }
            }
            return selections
        }
    }

    /// All tracks, and the numbers of the tracks that play, by kind.
    package var trackState: (tracks: [MediaTrack], playingTracks: [MediaTrack.Kind: Int]) {
        selection.withLock { state in
            let playingTracks = MediaTrack.Kind.allCases.compactMap { kind in
                state.playingTracks[kind].map { (kind, $0) }
            }
            return (state.tracks, Dictionary(uniqueKeysWithValues: playingTracks))
        }
    }
}

extension MediaCharacteristic {
    /// The kind of track that has this characteristic; nil for other characteristics.
    var kind: MediaTrack.Kind? {
        switch self {
        case .audible: .audio
        case .legible: .subtitle
        case .visual: .video
        default: nil
        }
    }

    /// Creates the characteristic of a kind of track.
    init(_ kind: MediaTrack.Kind) {
        self =
            switch kind {
            case .audio: .audible
            case .subtitle: .legible
            case .video: .visual
            }
    }
}
