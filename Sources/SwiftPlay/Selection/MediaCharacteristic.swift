/// A characteristic of a track, such as its kind or its purpose (AVMediaCharacteristic).
public struct MediaCharacteristic: RawRepresentable, Hashable, Sendable {
    /// The name, as in AVFoundation.
    public let rawValue: String
    /// Creates a characteristic from its name.
    ///
    /// - Parameter rawValue: The name, as in AVFoundation.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The track contains audio.
    public static let audible = MediaCharacteristic(rawValue: "public.audible")
    /// The track contains subtitles.
    public static let legible = MediaCharacteristic(rawValue: "public.legible")
    /// The track contains pictures.
    public static let visual = MediaCharacteristic(rawValue: "public.visual")
    /// The track contains subtitles that translate only speech in a foreign language.
    public static let containsOnlyForcedSubtitles = MediaCharacteristic(rawValue: "public.subtitles.forced-only")
    /// The track contains subtitles that describe sounds and music.
    public static let describesMusicAndSoundForAccessibility = MediaCharacteristic(
        rawValue: "public.accessibility.describes-music-and-sound")
    /// The track contains audio that describes the pictures.
    public static let describesVideoForAccessibility = MediaCharacteristic(
        rawValue: "public.accessibility.describes-video")
    /// The track contains a commentary.
    public static let isAuxiliaryContent = MediaCharacteristic(rawValue: "public.auxiliary-content")
}

/// The kind of data in a track (AVMediaType).
public struct MediaType: RawRepresentable, Hashable, Sendable {
    /// The four-character code, as in AVFoundation.
    public let rawValue: String
    /// Creates a kind from its code.
    ///
    /// - Parameter rawValue: The four-character code, as in AVFoundation.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A track of pictures.
    public static let video = MediaType(rawValue: "vide")
    /// A track of audio.
    public static let audio = MediaType(rawValue: "soun")
    /// A track of subtitles.
    public static let subtitle = MediaType(rawValue: "sbtl")
}
