import MediaPipeline
import SystemCalls

/// What an item knows of its tracks, and what is wanted of them.
struct SelectionState {
    /// By hand; a kind that is not there is chosen automatically.
    var picks: [MediaTrack.Kind: TrackChoice.Pick] = [:]
    var tracks: [MediaTrack] = []
    var playing = SelectedTracks.none
    /// Files of subtitles: named before it was opened, and since; and which of these are to be shown at once.
    var files: [String] = []
    var newFiles: [(path: String, isChosen: Bool)] = []
    var search = SubtitleFinder.Search.no
    /// What the tracks are those of: see ``PlayerItem/State/source``.
    weak var source: (any MediaSource)?
    /// Tells the player that plays it.
    var changed: (@Sendable () -> Void)?
    var presenter: SubtitlePresenter?

    /// What holds for another item of the same place too.
    var settings: SelectionState {
        var copy = SelectionState()
        copy.files = files
        copy.search = search
        // Files that were added later have no such name there.
        copy.picks = picks.filter { _, pick in
            if case .id(let id) = pick { id < MediaTrack.externalBase + files.count } else { true }
        }
        return copy
    }
}

extension PlayerItem {
    /// The group of what is heard (`.audible`), read (`.legible`) or seen (`.visual`); nil until the item is ready, and
    /// where there is none.
    public func mediaSelectionGroup(forMediaCharacteristic characteristic: MediaCharacteristic) -> MediaSelectionGroup?
    {
        guard let kind = characteristic.kind else { return nil }
        let options = selection.withLock { $0.tracks }.filter { $0.kind == kind && !$0.isAttachedPicture }.map(
            MediaSelectionOption.init)
        guard !options.isEmpty else { return nil }
        let first =
            kind == .subtitle ? options.first(where: \.isDefault) : options.first(where: \.isDefault) ?? options.first
        return MediaSelectionGroup(characteristic: characteristic, options: options, defaultOption: first)
    }

    /// Plays `option` in place of the group's other ones; nil: none of them. One that is not in the group changes
    /// nothing.
    ///
    /// Takes effect a moment later, without a seek where it can. What is chosen by hand stays until
    /// ``selectMediaOptionAutomatically(in:)``.
    public func select(_ option: MediaSelectionOption?, in group: MediaSelectionGroup) {
        guard let kind = group.characteristic.kind else { return }
        if let option {
            guard group.options.contains(option), option.isPlayable else { return }
        } else if !group.allowsEmptySelection {
            return
        }
        pick(option.map { .id($0.track.id) } ?? .off, kind)
    }

    /// Lets the player's criteria choose in the group.
    public func selectMediaOptionAutomatically(in group: MediaSelectionGroup) {
        if let kind = group.characteristic.kind { pick(.automatic, kind) }
    }

    /// What is chosen now.
    public var currentMediaSelection: MediaSelection {
        selection.withLock { state in
            var chosen: [MediaCharacteristic: MediaSelectionOption] = [:]
            for kind in MediaTrack.Kind.allCases {
                guard let id = state.playing[kind], let track = state.tracks.first(where: { $0.id == id }) else {
                    continue
                }
                chosen[MediaCharacteristic(kind)] = MediaSelectionOption(track: track)
            }
            let automatic = MediaTrack.Kind.allCases.filter { (state.picks[$0] ?? .automatic) == .automatic }.map {
                MediaCharacteristic($0)
            }
            return MediaSelection(chosen: chosen, automatic: Set(automatic))
        }
    }

    /// All tracks, the ones of files beside it too; empty until the item is ready.
    public var tracks: [PlayerItemTrack] {
        selection.withLock { $0.tracks }.map { PlayerItemTrack(item: self, track: $0) }
    }

    /// Which files beside a local one are taken for its subtitles.
    public enum SubtitleSearch: String, Sendable {
        /// No files beside the item are used.
        case no
        /// Those of the same name, with a language at most: `film.srt`, `film.en.srt`.
        case exact
        /// Those whose name holds that of the item.
        case fuzzy
        /// All in the folder.
        case all
    }

    /// Set it before the item is played. Without it none are looked for.
    public var subtitleSearch: SubtitleSearch {
        get { selection.withLock { SubtitleSearch(rawValue: $0.search.rawValue) ?? .no } }
        set { selection.withLock { $0.search = SubtitleFinder.Search(rawValue: newValue.rawValue) ?? .no } }
    }

    /// Adds a subtitle file as a track.
    ///
    /// - Parameters:
    ///   - location: A path, or an http or https address.
    ///   - selecting: Whether its subtitles are shown at once.
    public func addSubtitles(location: String, selecting: Bool = true) {
        let changed = selection.withLock { state in
            if state.changed == nil, state.tracks.isEmpty {
                state.files.append(location)
                if selecting { state.picks[.subtitle] = .id(MediaTrack.externalBase + state.files.count - 1) }
            } else {
                state.newFiles.append((location, selecting))
            }
            return state.changed
        }
        changed?()
    }

    package func pick(_ pick: TrackChoice.Pick, _ kind: MediaTrack.Kind) {
        let changed = selection.withLock { state in
            state.picks[kind] = pick
            return state.changed
        }
        changed?()
    }

    /// The tracks, and which of them play.
    package var trackFacts: (tracks: [MediaTrack], playing: [MediaTrack.Kind: Int]) {
        selection.withLock { state in
            let playing = MediaTrack.Kind.allCases.compactMap { kind in state.playing[kind].map { (kind, $0) } }
            return (state.tracks, Dictionary(uniqueKeysWithValues: playing))
        }
    }
}

extension MediaCharacteristic {
    var kind: MediaTrack.Kind? {
        switch self {
        case .audible: .audio
        case .legible: .subtitle
        case .visual: .video
        default: nil
        }
    }

    init(_ kind: MediaTrack.Kind) {
        self =
            switch kind {
            case .audio: .audible
            case .subtitle: .legible
            case .video: .visual
            }
    }
}
