/// The use of a track (AVMediaCharacteristic).
public struct MediaCharacteristic: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Audio.
    public static let audible = MediaCharacteristic(rawValue: "public.audible")
    /// Subtitles.
    public static let legible = MediaCharacteristic(rawValue: "public.legible")
    /// Pictures.
    public static let visual = MediaCharacteristic(rawValue: "public.visual")
    /// Subtitles that translate only speech in a foreign language.
    public static let containsOnlyForcedSubtitles = MediaCharacteristic(rawValue: "public.subtitles.forced-only")
    /// Subtitles that describe sounds and music.
    public static let describesMusicAndSoundForAccessibility = MediaCharacteristic(
        rawValue: "public.accessibility.describes-music-and-sound")
    /// Audio that describes the pictures.
    public static let describesVideoForAccessibility = MediaCharacteristic(
        rawValue: "public.accessibility.describes-video")
    /// A commentary.
    public static let isAuxiliaryContent = MediaCharacteristic(rawValue: "public.auxiliary-content")
}

/// The kind of data in a track (AVMediaType).
public struct MediaType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Pictures.
    public static let video = MediaType(rawValue: "vide")
    /// Audio.
    public static let audio = MediaType(rawValue: "soun")
    /// Subtitles.
    public static let subtitle = MediaType(rawValue: "sbtl")
}
