import Foundation

/// The parsed command line of the program.
struct PodcastsCommand: Equatable {
    /// What the program does.
    enum Action: Equatable {
        case subscribe(URL)
        case unsubscribe(feed: String)
        case list
        case refresh(feed: String?)
        case episodes(feed: String)
        case download([Int])
        case play(Int?)
        case status
        /// Handles the fetch, the notification or the events for which the service has started the program.
        case background
    }

    var action: Action
    /// The folder of the library.
    var library: String

    static let usage = """
        usage: podcasts [--library FOLDER] ACTION
          subscribe URL          adds a feed, and downloads its newest episode in the background
          unsubscribe FEED       removes a feed and its files
          list                   lists the feeds
          refresh [FEED]         looks for new episodes, and downloads them in the background
          episodes FEED          lists the episodes of a feed
          download [EPISODE...]  downloads episodes, and shows the progress; Ctrl-C leaves the downloads running
          play [EPISODE]         plays an episode, or goes on with the last one; Ctrl-C ends
          status                 shows downloads and the last works in the background
        FEED is a number of `list` or an address, EPISODE a number of `episodes`.
        """

    /// Parses the arguments after the program's name.
    ///
    /// - Parameter dataFolder: The user's folder for data, in which the library is by default.
    /// - Throws: ``PodcastsError`` with what is wrong.
    init(arguments: [String], dataFolder: String) throws {
        var rest = arguments[...]
        library = dataFolder + "/podcasts"
        if rest.first == "--library" {
            rest.removeFirst()
            guard let folder = rest.popFirst(), !folder.isEmpty else {
                throw PodcastsError("--library needs a folder\n" + Self.usage)
            }
            // The service starts the program in another folder.
            library = URL(filePath: folder).standardizedFileURL.path
        }
        guard let name = rest.popFirst(), let action = try Self.action(name, &rest), rest.isEmpty else {
            throw PodcastsError(Self.usage)
        }
        self.action = action
    }

    private static func action(_ name: String, _ rest: inout ArraySlice<String>) throws -> Action? {
        switch name {
        case "subscribe":
            guard let text = rest.popFirst() else { return nil }
            guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host?.isEmpty == false else {
                throw PodcastsError("\(text) is not an http or https address")
            }
            return .subscribe(url)
        case "unsubscribe": return rest.popFirst().map { .unsubscribe(feed: $0) }
        case "list": return .list
        case "refresh": return .refresh(feed: rest.popFirst())
        case "episodes": return rest.popFirst().map { .episodes(feed: $0) }
        case "download":
            let numbers = try rest.map(Self.number)
            rest = []
            return .download(numbers)
        case "play": return .play(try rest.popFirst().map(Self.number))
        case "status": return .status
        case "background": return .background
        default: return nil
        }
    }

    private static func number(_ text: String) throws -> Int {
        guard let number = Int(text), number > 0 else {
            throw PodcastsError("\(text) is not the number of an episode; `podcasts episodes` lists the numbers")
        }
        return number
    }
}
