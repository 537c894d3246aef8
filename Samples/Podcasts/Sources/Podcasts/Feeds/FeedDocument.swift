import Foundation

/// A feed as its server describes it, without anything that the program knows about it.
struct FeedDocument: Equatable, Sendable {
    /// An item of the feed with a media file.
    struct Item: Equatable, Sendable {
        /// The text by which the feed recognises the item: its guid, or else the address of its file.
        var identity: String
        var title: String
        /// The address of the media file, with the scheme http or https.
        var media: URL
        /// The MIME type of the file that the feed states; empty if it states none.
        var mediaType = ""
        var published: Date?
        /// The duration in seconds; nil if the feed does not state it.
        var duration: Int?
    }

    var title = ""
    /// The address of the feed's picture.
    var artwork: URL?
    /// The items in the order of the document.
    var items: [Item] = []
}
