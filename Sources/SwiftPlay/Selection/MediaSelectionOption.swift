import FoundationEssentials
import MediaPipeline

/// One of the things that can be chosen: a track of sound, of subtitles, of pictures (AVMediaSelectionOption). A value.
public struct MediaSelectionOption: Sendable, Hashable {
    let track: MediaTrack

    public static func == (a: Self, b: Self) -> Bool {
        a.track.id == b.track.id && a.track.kind == b.track.kind && a.track.location == b.track.location
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(track.id) }

    /// The track's number within its item.
    public var trackID: Int { track.id }

    /// The kind of data in the track.
    public var mediaType: MediaType {
        switch track.kind {
        case .video: .video
        case .audio: .audio
        case .subtitle: .subtitle
        }
    }

    /// What a menu shows: the track's title, else its language, else its number.
    public var displayName: String {
        if let title = track.title { return title }
        return extendedLanguageTag ?? "\(track.kind.rawValue) \(track.id)"
    }

    /// The language by BCP 47, `de` or `pt-BR`; nil where the container says nothing.
    public var extendedLanguageTag: String? { track.language.map(LanguageTag.extended) }
    /// The language as a locale; nil if the container does not state it.
    public var locale: Locale? { extendedLanguageTag.map(Locale.init(identifier:)) }

    /// FFmpeg's name of the codec.
    public var codec: String { track.codec }
    /// Can it be decoded here?
    public var isPlayable: Bool { track.isPlayable }
    /// The container marks it as the one to begin with.
    public var isDefault: Bool { track.isDefault }
    /// It comes from a file of its own: its path.
    public var externalLocation: String? { track.location }

    /// Returns whether the track has a characteristic.
    public func hasMediaCharacteristic(_ characteristic: MediaCharacteristic) -> Bool {
        switch characteristic {
        case .audible: track.kind == .audio
        case .legible: track.kind == .subtitle
        case .visual: track.kind == .video
        case .containsOnlyForcedSubtitles: track.kind == .subtitle && track.isForced
        case .describesMusicAndSoundForAccessibility: track.kind == .subtitle && track.isForHearingImpaired
        case .describesVideoForAccessibility: track.kind == .audio && track.isForVisualImpaired
        case .isAuxiliaryContent: track.isCommentary
        default: false
        }
    }
}

/// The options of which one at most is played (AVMediaSelectionGroup). A value.
public struct MediaSelectionGroup: Sendable, Hashable {
    /// What the options of the group have in common.
    public let characteristic: MediaCharacteristic
    /// The options, in the order of the container.
    public let options: [MediaSelectionOption]
    /// What the container would begin with; nil: nothing.
    public let defaultOption: MediaSelectionOption?
    /// None of them may be chosen.
    public var allowsEmptySelection: Bool { true }

    /// Returns the options that can be decoded.
    public static func playableMediaSelectionOptions(from options: [MediaSelectionOption]) -> [MediaSelectionOption] {
        options.filter(\.isPlayable)
    }

    /// Those in one of the languages, in the languages' order.
    public static func mediaSelectionOptions(
        from options: [MediaSelectionOption], filteredAndSortedAccordingToPreferredLanguages languages: [String]
    ) -> [MediaSelectionOption] {
        languages.reduce(into: []) { result, wanted in
            result += options.filter { option in
                !result.contains(option)
                    && option.track.language.map { LanguageTag.matches($0, wanted: wanted) } ?? false
            }
        }
    }

    /// Returns the options in the language of `locale`.
    public static func mediaSelectionOptions(from options: [MediaSelectionOption], with locale: Locale)
        -> [MediaSelectionOption]
    {
        mediaSelectionOptions(from: options, filteredAndSortedAccordingToPreferredLanguages: [locale.identifier])
    }

    /// Returns the options that have all of the given characteristics.
    public static func mediaSelectionOptions(
        from options: [MediaSelectionOption], withMediaCharacteristics characteristics: [MediaCharacteristic]
    ) -> [MediaSelectionOption] {
        options.filter { option in characteristics.allSatisfy { option.hasMediaCharacteristic($0) } }
    }

    /// Returns the options that have none of the given characteristics.
    public static func mediaSelectionOptions(
        from options: [MediaSelectionOption], withoutMediaCharacteristics characteristics: [MediaCharacteristic]
    ) -> [MediaSelectionOption] {
        options.filter { option in !characteristics.contains { option.hasMediaCharacteristic($0) } }
    }
}

/// What is chosen in each group at one moment (AVMediaSelection). A value.
public struct MediaSelection: Sendable, Equatable {
    let chosen: [MediaCharacteristic: MediaSelectionOption]
    let automatic: Set<MediaCharacteristic>

    /// nil: none.
    public func selectedMediaOption(in group: MediaSelectionGroup) -> MediaSelectionOption? {
        chosen[group.characteristic]
    }
    /// False once somebody has chosen by hand.
    public func mediaSelectionCriteriaCanBeAppliedAutomatically(to group: MediaSelectionGroup) -> Bool {
        automatic.contains(group.characteristic)
    }
}
