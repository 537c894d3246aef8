import TestSupport

/// A well-behaved server with one content of numbered blocks, which stops in the middle of a body when it is asked to.
struct ContentServer {
    /// The content: 4 KiB blocks, each of which contains its number, so that a wrong splice is recognised.
    let content: [UInt8]
    private let server: FaultServer

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - blockCount: The number of blocks of 4 KiB.
    ///   - pausesAt: The byte at which the body of the first request stops until ``release()``; nil for no pause.
    init(blockCount: Int = 64, pausesAt pause: Int? = nil) throws {
        let content = (0..<blockCount).flatMap { number in
            Array((String(repeating: "0", count: 15 - "\(number)".count) + "\(number)\n").utf8) * 256
        }
        self.content = content
        server = try FaultServer { request in
            let start = request.rangeStart ?? 0
            var lines = ["HTTP/1.1 \(request.rangeStart == nil ? "200 OK" : "206 Partial Content")"]
            lines.append("ETag: \"version\"")
            lines.append("Content-Length: \(content.count - start)")
            if request.rangeStart != nil {
                lines.append("Content-Range: bytes \(start)-\(content.count - 1)/\(content.count)")
            }
            let head = FaultServer.Step.text(lines.joined(separator: "\r\n") + "\r\n\r\n")
            guard let pause, start < pause else { return [head, .bytes(Array(content[start...]))] }
            return [
                head, .bytes(Array(content[start..<pause])), .awaitRelease, .bytes(Array(content[pause...])),
            ]
        }
    }

    /// Returns the address of a file with this name.
    func address(_ name: String = "film.mkv") -> String { "\(server.address)/\(name)?token=secret" }

    /// The requests that were received so far.
    var requests: [FaultServer.Request] { server.requests }

    /// Lets a paused body continue.
    func release() { server.release() }
}

/// Returns an array that is repeated.
private func * (bytes: [UInt8], count: Int) -> [UInt8] { [[UInt8]](repeating: bytes, count: count).flatMap { $0 } }
