import Foundation

/// An episode of a feed, and what the user did with it.
struct Episode: Codable, Equatable, Sendable {
    /// The state of the episode's file.
    enum File: Codable, Equatable, Sendable {
        /// The file was not requested.
        case none
        /// The file was requested; a background transfer downloads it.
        case requested
        /// The file with this name is in the folder of the episodes.
        case downloaded(name: String)
        /// The download has failed.
        case failed(reason: String)
    }

    /// The number by which the user names the episode. It is never given to another episode.
    let number: Int
    /// The text by which the feed recognises the episode.
    let identity: String
    var title: String
    var media: URL
    var mediaType: String
    var published: Date?
    var duration: Int?
    var file = File.none
    /// The time at which the user has left the episode, in seconds.
    var position = 0.0
    /// Whether the episode was played to its end.
    var isPlayed = false
    /// When the episode was played last.
    var lastPlayed: Date?

    /// Creates an episode that a feed lists for the first time.
    init(number: Int, item: FeedDocument.Item) {
        (self.number, identity) = (number, item.identity)
        (title, media, mediaType) = (item.title, item.media, item.mediaType)
        (published, duration) = (item.published, item.duration)
    }

    /// Changes the title, the addresses and the dates to those of a new version of the feed.
    mutating func update(_ item: FeedDocument.Item) {
        (title, media, mediaType) = (item.title, item.media, item.mediaType)
        published = item.published ?? published
        duration = item.duration ?? duration
    }

    /// Whether the episode is kept although the feed does not list it any more.
    var isOfUse: Bool { file != .none || (position > 0 && !isPlayed) }

    /// The name of the downloaded file; nil if there is none.
    var fileName: String? { if case .downloaded(let name) = file { name } else { nil } }

    /// The suffixes of media files. No other suffix of a server is used.
    private static let suffixes: Set = [
        "mp3", "m4a", "m4b", "mp4", "m4v", "aac", "ogg", "oga", "opus", "flac", "wav", "webm", "mkv", "mov",
    ]

    /// The suffix of the episode's file.
    var fileSuffix: String {
        let suffix = media.pathExtension.lowercased()
        if Self.suffixes.contains(suffix) { return suffix }
        return mediaType == "audio/mpeg" ? "mp3" : "media"
    }
}
