import MediaPipeline

/// One fact about a medium that is not in its pictures or sound (AVMetadataItem).
public struct MetadataItem: Sendable, Hashable {
    /// Names of facts: FFmpeg's, lower case. Any other may be used too.
    public enum Key {
        public static let title = "title"
        public static let artist = "artist"
        public static let album = "album"
        public static let description = "description"
        public static let genre = "genre"
        public static let artwork = "artwork"
    }

    public var key: String
    public var stringValue: String?
    /// Bytes, of an artwork say.
    public var dataValue: [UInt8]?
    /// BCP 47; `und` where the language does not matter.
    public var extendedLanguageTag: String?

    public init(
        key: String, stringValue: String? = nil, dataValue: [UInt8]? = nil, extendedLanguageTag: String? = "und"
    ) {
        self.key = key
        self.stringValue = stringValue
        self.dataValue = dataValue
        self.extendedLanguageTag = extendedLanguageTag
    }
}

/// A named part of an item.
public struct Chapter: Sendable, Hashable {
    public let title: String?
    public let timeRange: MediaTimeRange
}

extension Chapter {
    init(_ chapter: MediaInfo.Chapter) {
        title = chapter.title
        timeRange = MediaTimeRange(
            start: MediaTime(nanoseconds: chapter.start), end: MediaTime(nanoseconds: chapter.end))
    }
}
