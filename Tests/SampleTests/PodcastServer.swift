import Foundation
import SystemCalls
import TestSupport

/// A server with one feed, to which a test adds episodes.
final class PodcastServer: Sendable {
    private struct State: Sendable {
        /// The names of the episodes, oldest first, and their contents.
        var episodes: [(name: String, content: [UInt8])] = []
        /// The episodes whose bodies stop in the middle until ``release()``.
        var pausedNames: Set<String> = []
        /// Whether the feed is cut off in the middle.
        var isFeedCut = false
    }

    private let state: Monitor<State>
    private let server: FaultServer

    /// Starts a server without episodes.
    ///
    /// - Parameter picture: The bytes of the feed's picture.
    init(picture: [UInt8]) throws {
        let state = Monitor(State())
        self.state = state
        server = try FaultServer { request in
            let (episodes, pausedNames, isFeedCut) = state.withLock { ($0.episodes, $0.pausedNames, $0.isFeedCut) }
            let name = String(request.path.dropFirst())
            if name == "feed.xml" { return Self.feed(episodes.map(\.name), request, isCut: isFeedCut) }
            if name == "picture.png" { return Self.file(picture, request) }
            guard let content = episodes.first(where: { $0.name == name })?.content else {
                return [.head("HTTP/1.1 404 Not Found", "Content-Length: 0")]
            }
            return Self.file(content, request, isPaused: pausedNames.contains(name))
        }
    }

    /// The address of the feed.
    var feed: String { server.address + "/feed.xml" }

    /// Adds an episode, which is newer than the others. There can be 60.
    ///
    /// - Parameter isPaused: Whether its body stops in the middle until ``release()``.
    func publish(_ name: String, _ content: [UInt8], isPaused: Bool = false) {
        state.withLock { state in
            state.episodes.append((name, content))
            if isPaused { state.pausedNames.insert(name) }
        }
    }

    /// Sends only the beginning of the feed from now on.
    func cutFeed() { state.withLock { $0.isFeedCut = true } }

    /// Lets the paused bodies continue.
    func release() { server.release() }

    /// The requests for a file.
    func requests(for name: String) -> [FaultServer.Request] { server.requests.filter { $0.path == "/" + name } }

    private static func feed(_ names: [String], _ request: FaultServer.Request, isCut: Bool) -> [FaultServer.Step] {
        let tag = "\"\(names.count)\(isCut)\""
        guard request.fields["if-none-match"] != tag else {
            return [.head("HTTP/1.1 304 Not Modified", "ETag: \(tag)")]
        }
        let base = "http://\(request.fields["host"] ?? "")/"
        let months = ["Jun", "Jul", "Aug"]
        let items = names.enumerated().reversed().map { index, name in
            """
            <item><title>Episode \(index + 1)</title><guid>\(name)</guid>
            <pubDate>\(10 + index % 20) \(months[index / 20]) 2025 04:00:00 GMT</pubDate>
            <enclosure url="\(base)\(name)"/></item>
            """
        }
        let text = """
            <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
            <title>Small talk</title><itunes:image href="\(base)picture.png"/>\(items.joined())</channel></rss>
            """
        let body = isCut ? String(text.prefix(text.count / 2)) : text
        return [.head("HTTP/1.1 200 OK", "ETag: \(tag)", "Content-Length: \(body.utf8.count)"), .text(body)]
    }

    private static func file(
        _ content: [UInt8], _ request: FaultServer.Request, isPaused: Bool = false
    ) -> [FaultServer.Step] {
        let start = request.rangeStart ?? 0, middle = content.count / 2
        var head = ["HTTP/1.1 \(start == 0 ? "200 OK" : "206 Partial Content")", "ETag: \"1\""]
        if start > 0 { head.append("Content-Range: bytes \(start)-\(content.count - 1)/\(content.count)") }
        head.append("Content-Length: \(content.count - start)")
        let headStep = FaultServer.Step.text(head.joined(separator: "\r\n") + "\r\n\r\n")
        guard isPaused, start < middle else { return [headStep, .bytes(Array(content[start...]))] }
        return [headStep, .bytes(Array(content[start..<middle])), .awaitRelease, .bytes(Array(content[middle...]))]
    }
}
