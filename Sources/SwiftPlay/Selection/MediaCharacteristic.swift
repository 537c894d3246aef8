/// What a track is for (AVMediaCharacteristic).
public struct MediaCharacteristic: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Is heard.
    public static let audible = MediaCharacteristic(rawValue: "public.audible")
    /// Is read: subtitles.
    public static let legible = MediaCharacteristic(rawValue: "public.legible")
    /// Is seen.
    public static let visual = MediaCharacteristic(rawValue: "public.visual")
    /// Subtitles of what is spoken in a foreign language alone.
    public static let containsOnlyForcedSubtitles = MediaCharacteristic(rawValue: "public.subtitles.forced-only")
    /// Sounds and music are put into words.
    public static let describesMusicAndSoundForAccessibility = MediaCharacteristic(
        rawValue: "public.accessibility.describes-music-and-sound")
    /// The picture is put into words.
    public static let describesVideoForAccessibility = MediaCharacteristic(
        rawValue: "public.accessibility.describes-video")
    /// Somebody speaks about the work.
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
