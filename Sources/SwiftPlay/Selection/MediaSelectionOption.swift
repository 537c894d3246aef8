import FoundationEssentials
import MediaPipeline
import StreamPlaylists

/// A track that can be selected: audio, subtitles or pictures (AVMediaSelectionOption).
public struct MediaSelectionOption: Sendable, Hashable {
    /// The demuxer's description of the track.
    let track: MediaTrack

    /// Returns whether two options are the same track: the same number, kind and subtitle file.
    public static func == (a: Self, b: Self) -> Bool {
        a.track.id == b.track.id && a.track.kind == b.track.kind && a.track.location == b.track.location
    }
    /// Hashes the number of the track.
    public func hash(into hasher: inout Hasher) { hasher.combine(track.id) }

    /// The number of the track within its item.
    public var trackID: Int { track.id }

    /// The kind of data in the track.
    public var mediaType: MediaType {
        switch track.kind {
        case .video: .video
        case .audio: .audio
        case .subtitle: .subtitle
        }
    }

    /// The name for a menu: the title of the track, else its language, else its number.
    public var displayName: String {
        if let title = track.title { return title }
        return extendedLanguageTag ?? "\(track.kind.rawValue) \(track.id)"
    }

    /// The language as a BCP 47 tag, such as `de` or `pt-BR`; nil if the container does not state it.
    public var extendedLanguageTag: String? { track.language.map(LanguageTag.extended) }
    /// The language as a locale; nil if the container does not state it.
    public var locale: Locale? { extendedLanguageTag.map(Locale.init(identifier:)) }

    /// FFmpeg's name of the codec.
    public var codec: String { track.codec }
    /// Whether the track can be decoded.
    public var isPlayable: Bool { track.isPlayable }
    /// Whether the container marks the track as the default.
    public var isDefault: Bool { track.isDefault }
    /// The path or address of the track's own file; nil if the track is part of the item.
    public var externalLocation: String? { track.location }

    /// Returns whether the track has a characteristic (AVMediaSelectionOption.hasMediaCharacteristic(_:)).
    ///
    /// - Parameter characteristic: The characteristic. An unknown characteristic returns false.
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

/// A group of tracks of which at most one is played (AVMediaSelectionGroup).
public struct MediaSelectionGroup: Sendable, Hashable {
    /// The characteristic that all options of the group have.
    public let characteristic: MediaCharacteristic
    /// The options, in the order of the container.
    public let options: [MediaSelectionOption]
    /// The option that the container selects; nil if it selects none.
    public let defaultOption: MediaSelectionOption?
    /// Whether the selection may be empty (AVMediaSelectionGroup.allowsEmptySelection): always true.
    public var allowsEmptySelection: Bool { true }

    /// Returns the options that can be decoded (AVMediaSelectionGroup.playableMediaSelectionOptions(from:)).
    ///
    /// - Parameter options: The options to filter.
    public static func playableMediaSelectionOptions(from options: [MediaSelectionOption]) -> [MediaSelectionOption] {
        options.filter(\.isPlayable)
    }

    /// Returns the options in one of the languages, sorted by the order of the languages
    /// (AVMediaSelectionGroup.mediaSelectionOptions(from:filteredAndSortedAccordingToPreferredLanguages:)).
    ///
    /// - Parameters:
    ///   - options: The options to filter.
    ///   - languages: BCP 47 or ISO 639 tags, the most preferred first.
    public static func mediaSelectionOptions(
        from options: [MediaSelectionOption], filteredAndSortedAccordingToPreferredLanguages languages: [String]
    ) -> [MediaSelectionOption] {
        languages.reduce(into: []) { result, language in
            result += options.filter { option in
                !result.contains(option)
                    && option.track.language.map { LanguageTag.matches($0, requested: language) } ?? false
            }
        }
    }

    /// Returns the options in the language of a locale (AVMediaSelectionGroup.mediaSelectionOptions(from:with:)).
    ///
    /// - Parameters:
    ///   - options: The options to filter.
    ///   - locale: The locale.
    public static func mediaSelectionOptions(from options: [MediaSelectionOption], with locale: Locale)
        -> [MediaSelectionOption]
    {
        mediaSelectionOptions(from: options, filteredAndSortedAccordingToPreferredLanguages: [locale.identifier])
    }

    /// Returns the options that have all of the given characteristics
    /// (AVMediaSelectionGroup.mediaSelectionOptions(from:withMediaCharacteristics:)).
    ///
    /// - Parameters:
    ///   - options: The options to filter.
    ///   - characteristics: The required characteristics.
    public static func mediaSelectionOptions(
        from options: [MediaSelectionOption], withMediaCharacteristics characteristics: [MediaCharacteristic]
    ) -> [MediaSelectionOption] {
        options.filter { option in characteristics.allSatisfy { option.hasMediaCharacteristic($0) } }
    }

    /// Returns the options that have none of the given characteristics
    /// (AVMediaSelectionGroup.mediaSelectionOptions(from:withoutMediaCharacteristics:)).
    ///
    /// - Parameters:
    ///   - options: The options to filter.
    ///   - characteristics: The excluded characteristics.
    public static func mediaSelectionOptions(
        from options: [MediaSelectionOption], withoutMediaCharacteristics characteristics: [MediaCharacteristic]
    ) -> [MediaSelectionOption] {
        options.filter { option in !characteristics.contains { option.hasMediaCharacteristic($0) } }
    }
}

/// The selected options of all groups (AVMediaSelection).
public struct MediaSelection: Sendable, Equatable {
    /// The selected options, by the characteristic of their group. Groups without a selected option are missing.
    let selectedOptions: [MediaCharacteristic: MediaSelectionOption]
    /// The characteristics of the groups whose option is selected automatically.
    let automaticCharacteristics: Set<MediaCharacteristic>

    /// Returns the selected option of a group (AVMediaSelection.selectedMediaOption(in:)); nil if the selection is
    /// empty.
    ///
    /// - Parameter group: A group of the item.
    public func selectedMediaOption(in group: MediaSelectionGroup) -> MediaSelectionOption? {
        selectedOptions[group.characteristic]
    }
    /// Returns whether the player's criteria select the option of a group: false after the program or the user selected
    /// an option (AVMediaSelection.mediaSelectionCriteriaCanBeAppliedAutomatically(to:)).
    ///
    /// - Parameter group: A group of the item.
    public func mediaSelectionCriteriaCanBeAppliedAutomatically(to group: MediaSelectionGroup) -> Bool {
        automaticCharacteristics.contains(group.characteristic)
    }
}
