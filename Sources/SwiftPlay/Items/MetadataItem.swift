import MediaPipeline

/// A tag of a media file, such as its title (AVMetadataItem).
public struct MetadataItem: Sendable, Hashable {
    /// Common names of tags: FFmpeg's names in lower case. Other names are possible.
    public enum Key {
        /// The title of the media.
        public static let title = "title"
        /// The artist or author.
        public static let artist = "artist"
        /// The album or series.
        public static let album = "album"
        /// A description of the media, as text.
        public static let description = "description"
        /// The genre.
        public static let genre = "genre"
        /// A cover picture: an encoded image in ``MetadataItem/dataValue``.
        public static let artwork = "artwork"
    }

    /// The name of the tag, such as ``Key/title``.
    public var key: String
    /// The value as text; nil if it is not text.
    public var stringValue: String?
    /// The value as bytes, for example of an artwork; nil if it is text.
    public var dataValue: [UInt8]?
    /// The language as a BCP 47 tag (AVMetadataItem.extendedLanguageTag); `und` if the language does not matter.
    public var extendedLanguageTag: String?

    /// Creates a tag.
    ///
    /// - Parameters:
    ///   - key: See ``key``.
    ///   - stringValue: See ``stringValue``.
    ///   - dataValue: See ``dataValue``.
    ///   - extendedLanguageTag: See ``extendedLanguageTag``.
    public init(
        key: String, stringValue: String? = nil, dataValue: [UInt8]? = nil, extendedLanguageTag: String? = "und"
    ) {
        self.key = key
        self.stringValue = stringValue
        self.dataValue = dataValue
        self.extendedLanguageTag = extendedLanguageTag
    }
}

/// A chapter of an item (AVTimedMetadataGroup of AVAsset.loadChapterMetadataGroups).
public struct Chapter: Sendable, Hashable {
    /// The name of the chapter; nil if it has none.
    public let title: String?
    /// The part of the item's timeline that the chapter covers.
    public let timeRange: MediaTimeRange
}

extension Chapter {
    /// Converts a chapter that the demuxer has read into the public type.
    init(_ chapter: MediaInfo.Chapter) {
        title = chapter.title
        timeRange = MediaTimeRange(
            start: MediaTime(nanoseconds: chapter.start), end: MediaTime(nanoseconds: chapter.end))
    }
}
