import StreamPlaylists

/// A DASH presentation (ISO/IEC 23009-1): the content of its manifest, the media presentation description (MPD). A pure
/// value. Times and durations are nanoseconds.
package struct MediaPresentation: Sendable, Equatable {
    /// Whether the presentation is live: its manifest and its available segments change (`dynamic`).
    package internal(set) var isLive = false
    /// The wall-clock time of the start of the presentation, in nanoseconds since 1970; nil if not stated.
    package internal(set) var availabilityStart: Int64?
    /// The duration of the whole presentation, in nanoseconds; nil if not stated.
    package internal(set) var duration: Int64?
    /// The least time between two changes of the manifest, in nanoseconds; nil if the manifest does not change.
    package internal(set) var minimumUpdatePeriod: Int64?
    /// The time for which segments stay available, in nanoseconds; nil if they stay available for ever.
    package internal(set) var timeShiftBufferDepth: Int64?
    /// The recommended distance of playback from the newest segment, in nanoseconds; nil if not stated.
    package internal(set) var suggestedDelay: Int64?
    /// The ways to obtain the server's time, in the order of the author's preference.
    var clockSources: [ClockSource] = []
    /// The address from which to reload the manifest; nil for the address from which it was loaded.
    var location: PlaylistAddress?
    /// The periods of the presentation, in order; never empty.
    var periods: [PresentationPeriod] = []
    /// The mistakes and the unsupported parts of the manifest that do not prevent playback; at most
    /// ``PlaylistLimits/warnings``.
    package internal(set) var warnings: [ManifestError] = []
}

/// A way to obtain the server's time (`UTCTiming`; ISO/IEC 23009-1, section 5.8.4.11).
enum ClockSource: Sendable, Equatable {
    /// The manifest states the time, in nanoseconds since 1970.
    case direct(Int64)
    /// The `Date` field of the HTTP response for this address states the time.
    case head(PlaylistAddress)
    /// The content at this address is the time, as an ISO 8601 date.
    case content(PlaylistAddress)
}

/// A part of a presentation with its own tracks. Times and durations are nanoseconds.
struct PresentationPeriod: Sendable, Equatable {
    /// The identifier of the period; derived from the period's start if the manifest states no identifier.
    var id: String
    /// The start of the period in nanoseconds, from the start of the presentation.
    var start: Int64
    /// The duration of the period in nanoseconds; nil if it is not known yet.
    var duration: Int64?
    var sets: [AdaptationSet] = []

    /// The end of the period in nanoseconds, from the start of the presentation; nil if it is not known yet.
    var end: Int64? { duration.map { start.clampedSum($0) } }
}

/// An adaptation set: one track in one or several qualities.
struct AdaptationSet: Sendable, Equatable {
    /// The kind of media in an adaptation set.
    enum Kind: Sendable, Hashable {
        case video
        case audio
        case text
    }

    var kind: Kind
    /// The identifier of the adaptation set; nil if not stated.
    var id: String?
    /// The language tag (RFC 5646); nil if not stated.
    var language: String?
    /// The name of the track to show to the user; nil if not stated.
    var label: String?
    /// The values of the `Role` elements in the scheme `urn:mpeg:dash:role:2011`.
    var roles: Set<String> = []
    /// Whether the audio describes the video for viewers who cannot see it.
    var describesVideo = false
    /// The identifiers of the adaptation sets to which a player may switch from this one.
    var switchableSets: Set<String> = []
    /// The qualities of the track that can be played without DRM; never empty.
    var representations: [Representation] = []

    /// Whether the author marked the adaptation set as the main one of its kind.
    var isMain: Bool { roles.contains("main") }

    /// Whether this set continues the track of `other`, a set of another period: kind, language and roles are equal.
    func continues(_ other: AdaptationSet) -> Bool {
        kind == other.kind && language == other.language && roles == other.roles
    }
}

/// A representation: a track in one quality.
struct Representation: Sendable, Equatable {
    var id: String
    /// The bit rate in bits per second; at least 1.
    var bandwidth: Int
    /// The media type of the segments, such as `video/mp4`; empty if not stated.
    var mimeType: String
    /// The codec strings (RFC 6381), such as `avc1.64001f`; empty if not stated.
    var codecs: [String]
    /// The size, frame rate and dynamic range of the pictures.
    var video: VideoAttributes
    /// The number of audio channels; nil if not stated.
    var channels: Int?
    /// The address to which the addresses of the segments are relative.
    var base: PlaylistBase
    var segments: SegmentInformation
    /// The line of the `Representation` element in the manifest, counted from 1.
    var line: Int

    /// The codec family (``CodecString/family``) of the first codec; empty if no codec is stated.
    var codecFamily: String { codecs.first.map { CodecString($0).family } ?? "" }
}

extension CodecString {
    /// The four-character code of the codec. `avc1` also stands for `avc3`, and `hvc1` for `hev1`: these formats differ
    /// only in where they store parameter sets.
    var family: String {
        switch fourCC {
        case "avc3": "avc1"
        case "hev1": "hvc1"
        default: fourCC
        }
    }
}
