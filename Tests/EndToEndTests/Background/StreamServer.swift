import SystemCalls
import TestSupport

/// A server with a stream of two variants and two languages of audio, which can stop in the middle of a segment, and
/// can lack a segment.
///
/// Segments are texts: the services never decode them.
struct StreamServer {
    /// The number of segments of each playlist.
    static let segmentCount = 3
    private let server: FaultServer

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - missing: The path that is answered with status 404, the given number of times.
    ///   - pausesAt: The path whose body stops in the middle until ``release()``, at its first request.
    init(missing: (path: String, count: Int)? = nil, pausesAt paused: String? = nil) throws {
        let missCount = Monitor(0), pauseCount = Monitor(0)
        server = try FaultServer { request in
            let path = String(request.path.prefix { $0 != "?" })
            if let missing, missing.path == path, missCount.count(upTo: missing.count) {
                return [.head("HTTP/1.1 404 Not Found", "Content-Length: 4"), .text("gone")]
            }
            guard let body = Self.content(of: path) else {
                return [.head("HTTP/1.1 404 Not Found", "Content-Length: 0")]
            }
            let start = min(request.rangeStart ?? 0, body.count)
            var lines = [request.rangeStart == nil ? "HTTP/1.1 200 OK" : "HTTP/1.1 206 Partial Content"]
            lines += ["ETag: \"\(path)\"", "Content-Length: \(body.count - start)"]
            if request.rangeStart != nil {
                lines.append("Content-Range: bytes \(start)-\(body.count - 1)/\(body.count)")
            }
            let head = FaultServer.Step.text(lines.joined(separator: "\r\n") + "\r\n\r\n")
            let rest = Array(body[start...])
            guard path == paused, pauseCount.count(upTo: 1) else { return [head, .bytes(rest)] }
            return [
                head, .bytes(Array(rest.prefix(rest.count / 2))), .awaitRelease,
                .bytes(rest.suffix(rest.count - rest.count / 2)),
            ]
        }
    }

    /// The address of the stream.
    var address: String { server.address + "/film/master.m3u8?token=secret" }
    /// The address of a stream that has no end.
    var liveAddress: String { server.address + "/live.m3u8" }
    /// The paths that were requested so far, without queries.
    var paths: [String] { server.requests.map { String($0.path.prefix { $0 != "?" }) } }
    /// Lets a paused body continue.
    func release() { server.release() }

    /// Returns the content at a path; nil if there is none.
    static func content(of path: String) -> [UInt8]? {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        if name == "master.m3u8" { return Array(master.utf8) }
        if name == "live.m3u8" { return Array("#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.ts\n".utf8) }
        if name.hasSuffix(".m3u8") { return Array(playlist(String(name.dropLast(5))).utf8) }
        guard name.hasSuffix(".ts") || name.hasSuffix(".key") else { return nil }
        return (0..<2000).flatMap { Array("\(path) \($0)\n".utf8) }
    }

    private static let master = """
        #EXTM3U
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en",DEFAULT=YES,URI="en.m3u8"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch",LANGUAGE="de",URI="de.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=1000,RESOLUTION=640x360,AUDIO="a"
        small.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=9000,RESOLUTION=1280x720,AUDIO="a"
        large.m3u8

        """

    /// Returns the playlist of a variant or a language.
    private static func playlist(_ name: String) -> String {
        let lines = (0..<segmentCount).map { "#EXTINF:2,\n../segments/\(name)-\($0).ts\n" }
        return "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-KEY:METHOD=AES-128,URI=\"\(name).key\"\n"
            + lines.joined() + "#EXT-X-ENDLIST\n"
    }
}

extension Monitor<Int> {
    /// Counts a call; returns false if there were `limit` calls before.
    fileprivate func count(upTo limit: Int) -> Bool {
        withLock { count in
            count += 1
            return count <= limit
        }
    }
}
