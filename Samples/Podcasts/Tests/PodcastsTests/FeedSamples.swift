import Foundation

@testable import Podcasts

/// Feeds for the tests.
enum FeedSamples {
    static let address = URL(string: "https://example.org/show/feed.xml").unsafelyUnwrapped

    /// Returns a feed in RSS with the given lines in its channel.
    static func rss(_ lines: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>\(lines)</channel></rss>
        """
    }

    static func parse(_ text: String) throws -> FeedDocument { try FeedParser.parse(Data(text.utf8), address: address) }

    /// Returns an item whose file has the name of its identity.
    static func item(_ identity: String, day: Int? = nil) -> FeedDocument.Item {
        var item = FeedDocument.Item(
            identity: identity, title: identity.uppercased(), media: address.appending(path: identity + ".mp3"))
        item.published = day.map { Date(timeIntervalSince1970: Double($0) * 86_400) }
        return item
    }

    /// Returns a library with one feed that lists the items.
    static func library(_ items: FeedDocument.Item...) throws -> Library {
        var library = Library(identifier: "0123abcd")
        try library.subscribe(to: address)
        merge(items, into: &library)
        return library
    }

    @discardableResult
    static func merge(_ items: [FeedDocument.Item], into library: inout Library) -> Int {
        var document = FeedDocument()
        (document.title, document.items) = ("Show", items)
        return library.merge(document, FeedValidators(), of: address, now: Date(timeIntervalSince1970: 1000))
    }
}
