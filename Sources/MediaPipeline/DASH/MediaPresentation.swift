/// A DASH presentation (ISO/IEC 23009-1): the content of its manifest, the media presentation description (MPD). A pure
/// value. Times and durations are nanoseconds.
package struct MediaPresentation: Sendable, Equatable {
    /// Whether the manifest and the available segments change (`dynamic`).
    package internal(set) var isLive = false
    /// The wall-clock time of the start of the presentation, in nanoseconds since 1970; nil if not stated.
    package internal(set) var availabilityStart: Int64?
    /// The duration of the whole presentation; nil if not stated.
    package internal(set) var duration: Int64?
    /// The least time between two changes of the manifest; nil if it does not change.
    package internal(set) var minimumUpdatePeriod: Int64?
    /// How long segments stay available; nil if they stay available for ever.
    package internal(set) var timeShiftBufferDepth: Int64?
    /// The distance from the newest segment at which to play; nil if not stated.
    package internal(set) var suggestedDelay: Int64?
    /// The ways to learn the server's time, in the order of the author's preference.
    var clockSources: [ClockSource] = []
    /// The address at which the manifest is loaded again; nil for the address of this one.
    var location: PlaylistAddress?
    /// The periods in their order; never empty.
    var periods: [PresentationPeriod] = []
    /// The mistakes in the manifest, and the parts that are not supported, which do not prevent playback; at most
    /// ``PlaylistLimits/warnings``.
    package internal(set) var warnings: [ManifestError] = []
}

/// A way to learn the time of the server (`UTCTiming`; ISO/IEC 23009-1, section 5.8.4.11).
enum ClockSource: Sendable, Equatable {
    /// The manifest states the time, in nanoseconds since 1970.
    case direct(Int64)
    /// The field `Date` of the response for an address is the time.
    case head(PlaylistAddress)
    /// The content at an address is a date of ISO 8601.
    case content(PlaylistAddress)
}

/// A part of a presentation with its own tracks. Times and durations are nanoseconds.
struct PresentationPeriod: Sendable, Equatable {
    /// The identifier; the start as text if the manifest states none.
    var id: String
    /// The start, from the start of the presentation.
    var start: Int64
    /// The duration; nil if it is not known yet.
    var duration: Int64?
    var sets: [AdaptationSet] = []

    /// The end, from the start of the presentation; nil if it is not known yet.
    var end: Int64? { duration.map { start.clampedSum($0) } }
}

/// A track in one or several qualities.
struct AdaptationSet: Sendable, Equatable {
    /// What a track contains.
    enum Kind: Sendable, Hashable {
        case video
        case audio
        case text
    }

    var kind: Kind
    /// The identifier; nil if not stated.
    var id: String?
    /// The language in the form of RFC 5646; nil if not stated.
    var language: String?
    /// The name to show to the user; nil if not stated.
    var label: String?
    /// The values of the elements `Role` in the scheme `urn:mpeg:dash:role:2011`.
    var roles: Set<String> = []
    /// Whether the sound describes the pictures for viewers who cannot see them.
    var describesVideo = false
    /// The identifiers of the sets between whose representations a player may switch.
    var switchableSets: Set<String> = []
    /// The qualities that can be played without DRM; never empty.
    var representations: [Representation] = []

    /// Whether the author marked the set as the usual one.
    var isMain: Bool { roles.contains("main") }

    /// Whether this set continues a set of another period.
    func continues(_ other: AdaptationSet) -> Bool {
        kind == other.kind && language == other.language && roles == other.roles
    }
}

/// A track in one quality.
struct Representation: Sendable, Equatable {
    var id: String
    /// The bit rate in bits per second; at least 1.
    var bandwidth: Int
    /// The media type of the segments, such as `video/mp4`; empty if not stated.
    var mimeType: String
    /// The sample formats in the form of RFC 6381; empty if not stated.
    var codecs: [String]
    /// The size, frame rate and dynamic range of the pictures.
    var video: VideoAttributes
    /// The number of audio channels; nil if not stated.
    var channels: Int?
    /// The address to which the addresses of segments are relative.
    var base: PlaylistBase
    var segments: SegmentInformation
    /// The number of the element's line, counted from 1.
    var line: Int

    /// The four-letter code of the first sample format; empty if not stated.
    var codecFamily: String { codecs.first.map { SampleFormat($0).family } ?? "" }
}

extension SampleFormat {
    /// The code that formats which differ only in the place of their parameters share: `avc1` for `avc3`.
    var family: String {
        switch code {
        case "avc3": "avc1"
        case "hev1": "hvc1"
        default: code
        }
    }
}
