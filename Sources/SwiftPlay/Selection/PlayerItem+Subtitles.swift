import MediaPipeline

extension PlayerItem {
    /// The rule that selects the character set of subtitle files (mpv's `--sub-codepage`).
    public enum SubtitleCharacterSet: Sendable, Hashable {
        /// UTF-8 if the text is valid UTF-8, otherwise the character set that is detected.
        case automatic
        /// UTF-8 if the text is valid UTF-8, otherwise the character set with this name, such as `windows-1251`.
        case fallback(String)
        /// The character set with this name, also if the text is valid UTF-8.
        case forced(String)

        /// Whether the C library can convert the character set. A file in another character set causes a warning.
        public var isSupported: Bool { rule.isSupported }

        /// The rule as a value of the media pipeline.
        fileprivate var rule: MediaPipeline.SubtitleCharacterSet {
            switch self {
            case .automatic: .automatic
            case .fallback(let name): .fallback(name)
            case .forced(let name): .forced(name)
            }
        }

        /// Creates the rule that equals a value of the media pipeline.
        fileprivate init(_ rule: MediaPipeline.SubtitleCharacterSet) {
            switch rule {
            case .automatic: self = .automatic
            case .fallback(let name): self = .fallback(name)
            case .forced(let name): self = .forced(name)
            }
        }
    }

    /// Shows a second subtitle track at the upper edge of the picture, without its formatting (mpv's
    /// `--secondary-sid`). Takes effect a moment later.
    ///
    /// - Parameter option: An option of this item's legible group; nil shows no second track. The track that is
    ///   selected in the group is not shown a second time.
    public func selectSecondarySubtitles(_ option: MediaSelectionOption?) {
        guard option?.mediaType ?? .subtitle == .subtitle else { return }
        pickSecondarySubtitles(option.map { .id($0.track.id) } ?? .off)
    }

    /// Selects the track of the secondary subtitles. `.automatic` selects none.
    package func pickSecondarySubtitles(_ trackSelection: TrackChoice.Selection) {
        let onChange = selection.withLock { state in
            state.secondarySubtitles = trackSelection
            return state.onChange
        }
        onChange?()
    }

    /// The identifier of the track whose subtitles are shown as secondary subtitles; nil for none.
    package var secondarySubtitleTrack: Int? { selection.withLock { $0.playingSecondarySubtitles } }

    /// The character set of subtitle files without a byte order mark; `.automatic` by default. It applies to files that
    /// are opened or added from then on.
    public var subtitleCharacterSet: SubtitleCharacterSet {
        get { SubtitleCharacterSet(selection.withLock { $0.subtitleCharacterSet }) }
        set { selection.withLock { $0.subtitleCharacterSet = newValue.rule } }
    }

    /// Adds a subtitle file as a track.
    ///
    /// - Parameters:
    ///   - location: A path, or an http or https address.
    ///   - selecting: Whether the new track is selected.
    ///   - title: The title of the track; nil uses the name of the file.
    ///   - language: The language of the track as a tag of BCP 47; nil if it is not known.
    public func addSubtitles(location: String, selecting: Bool = true, title: String? = nil, language: String? = nil) {
        var file = SubtitleFinder.File(path: location, title: title, language: language)
        let onChange = selection.withLock { state in
            if state.onChange == nil, state.tracks.isEmpty {
                state.subtitleFiles.append(file)
                if selecting {
                    state.trackSelections[.subtitle] = .id(MediaTrack.firstFileID + state.subtitleFiles.count - 1)
                }
            } else {
                file.characterSet = state.subtitleCharacterSet
                state.newSubtitleFiles.append((file, selecting))
            }
            return state.onChange
        }
        onChange?()
    }

    /// Passes the item's subtitle files to the configuration of its source.
    func configureSubtitles(_ configuration: inout MediaSourceConfiguration) {
        selection.withLock { state in
            // Files that were added after the item was closed are opened now, and each time that it is opened again.
            for (file, isChosen) in state.newSubtitleFiles {
                state.subtitleFiles.append(file)
                if isChosen {
                    state.trackSelections[.subtitle] = .id(MediaTrack.firstFileID + state.subtitleFiles.count - 1)
                }
            }
            state.newSubtitleFiles = []
            configuration.subtitleFiles = state.subtitleFiles
            configuration.subtitleSearch = state.subtitleSearch
            configuration.subtitleCharacterSet = state.subtitleCharacterSet
        }
    }
}
