import Foundation

/// The parser of feeds: RSS 2.0 with enclosures and the tags of iTunes, and Atom with links to enclosures.
///
/// A feed is a text of a server: the parser refuses what is not a feed, and limits what it reads.
final class FeedParser: XMLReaderDelegate {
    /// The largest feed, in bytes.
    static let byteLimit = 8 << 20
    /// The most items that are read; feeds begin with the newest one.
    static let itemLimit = 1000
    /// The longest text of an element that is read, in bytes.
    private static let textLimit = 16 << 10
    private static let iTunes = "http://www.itunes.com/dtds/podcast-1.0.dtd", atom = "http://www.w3.org/2005/Atom"

    private let address: URL
    private var document = FeedDocument()
    /// The names of the open elements.
    private var path: [String] = []
    /// The text of the innermost element.
    private var text = ""
    /// The item that is being read.
    private var item = PartialItem()

    /// The parts of an item that were read so far.
    private struct PartialItem {
        var guid = "", title = "", mediaType = ""
        var media: URL?
        var published: Date?
        var duration: Int?
    }

    /// Parses a feed.
    ///
    /// - Parameter address: The address of the feed, to which its addresses may be relative.
    /// - Throws: ``PodcastsError`` if the data is not a feed or exceeds a limit.
    static func parse(_ data: Data, address: URL) throws -> FeedDocument {
        guard data.count <= byteLimit else { throw PodcastsError("the feed has more than \(byteLimit >> 20) MiB") }
        let parser = FeedParser(address: address)
        do { try XMLReader.parse(data, delegate: parser) } catch {
            throw PodcastsError("the feed cannot be read: \(error)")
        }
        return parser.document
    }

    private init(address: URL) { self.address = address }

    // MARK: XMLReaderDelegate

    func startElement(_ name: String, namespace: String, attributes: [String: String]) throws {
        let name = Self.name(name, namespace)
        if path.isEmpty, name != "rss", name != "feed" {
            throw PodcastsError("it is neither RSS nor Atom, but begins with <\(FeedText.title(name))>")
        }
        path.append(name)
        text = ""
        handleStart(attributes)
    }

    func appendText(_ string: String) {
        if text.utf8.count < Self.textLimit { text += string }
    }

    func endElement() {
        handleEnd()
        path.removeLast()
        text = ""
    }

    // MARK: Elements

    /// Returns a name with the prefix `itunes:` for the tags of iTunes, and without a prefix for RSS and Atom.
    private static func name(_ name: String, _ namespace: String) -> String {
        switch namespace {
        case "", atom: name
        case iTunes: "itunes:" + name
        default: "other:" + name
        }
    }

    private func handleStart(_ attributes: [String: String]) {
        switch path.joined(separator: "/") {
        case "rss/channel/item", "feed/entry": item = PartialItem()
        case "rss/channel/item/enclosure": takeMedia(attributes["url"], attributes["type"])
        case "feed/entry/link" where attributes["rel"] == "enclosure": takeMedia(attributes["href"], attributes["type"])
        case "rss/channel/itunes:image": takeArtwork(attributes["href"])
        default: break
        }
    }

    private func handleEnd() {
        switch path.joined(separator: "/") {
        case "rss/channel/title", "feed/title": document.title = FeedText.title(text)
        case "rss/channel/image/url", "feed/logo": if document.artwork == nil { takeArtwork(text) }
        case "rss/channel/item/title", "feed/entry/title": item.title = FeedText.title(text)
        case "rss/channel/item/guid", "feed/entry/id": item.guid = text.trimmingCharacters(in: .whitespacesAndNewlines)
        case "rss/channel/item/pubDate", "feed/entry/published": item.published = FeedText.date(text)
        case "feed/entry/updated": if item.published == nil { item.published = FeedText.date(text) }
        case "rss/channel/item/itunes:duration": item.duration = FeedText.duration(text)
        case "rss/channel/item", "feed/entry": addItem()
        default: break
        }
    }

    /// Takes the first media file of an item.
    private func takeMedia(_ address: String?, _ type: String?) {
        guard item.media == nil else { return }
        item.media = address.flatMap { FeedText.address($0, relativeTo: self.address) }
        item.mediaType = String((type ?? "").lowercased().prefix(100))
    }

    private func takeArtwork(_ address: String?) {
        guard let url = address.flatMap({ FeedText.address($0, relativeTo: self.address) }) else { return }
        document.artwork = url
    }

    /// Adds the item that was read, if it has a media file.
    private func addItem() {
        guard let media = item.media, document.items.count < Self.itemLimit else { return }
        let identity = item.guid.isEmpty ? media.absoluteString : String(item.guid.prefix(1000))
        document.items.append(
            FeedDocument.Item(
                identity: identity, title: item.title.isEmpty ? media.lastPathComponent : item.title, media: media,
                mediaType: item.mediaType, published: item.published, duration: item.duration))
    }
}
