import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline

/// Tests of chunked HTTP responses from a real server.
@Suite struct ChunkedResponseTests {
    /// An HTTP server that sends the first bytes of a fixture with chunked transfer coding. Its process exits on
    /// deinitialisation.
    private final class ChunkedServer {
        let address: String
        private let child: ChildProcess

        /// Starts the server, and waits until it listens.
        ///
        /// - Parameter sentFraction: The fraction of the bytes that the server sends, from 0 to 1.
        init(_ file: String, sentFraction: Double) throws {
            child = try ChildProcess(
                Products.systemProgram("python3"),
                [Fixtures.packageRoot + "/Tests/StandIns/chunked-server.py", Fixtures.path(file), "\(sentFraction)"])
            guard child.output.wait(for: "\n"), let port = Int(child.output.text.dropFirst("port ".count).dropLast())
            else { throw TestFailure("no server: \(child.output.text)\(child.errors.text)") }
            address = "http://127.0.0.1:\(port)/\(file)"
        }
    }

    @Test func aCompleteResponseEndsWithItsLastChunk() throws {
        let server = try ChunkedServer("count30.mkv", sentFraction: 1)
        let opener = try MediaOpener(policy: OpenPolicy())
        let bytes = try opener.readRoot(server.address, limit: 1 << 28)
        #expect(try Data(bytes) == Data(contentsOf: URL(fileURLWithPath: Fixtures.path("count30.mkv"))))
    }

    @Test("a truncated response is an error, not the end of the resource", arguments: [0.3, 0.9])
    func aTruncatedResponseIsAnError(sentFraction: Double) throws {
        let server = try ChunkedServer("count30.mkv", sentFraction: sentFraction)
        let opener = try MediaOpener(policy: OpenPolicy())
        #expect(throws: MediaError.self) { try opener.readRoot(server.address, limit: 1 << 28) }
    }

    @Test(
        "a truncated response stops playback with an error, and a complete one does not",
        arguments: [(1, true), (0.5, false)])
    func aTruncatedResponseStopsPlaybackWithAnError(sentFraction: Double, isComplete: Bool) throws {
        let server = try ChunkedServer("count30.mkv", sentFraction: sentFraction)
        let reader = try MediaReader(server.address)
        var frameCount = 0, errors: [MediaError] = []
        while try reader.next() != nil { frameCount += 1 }
        while let event = reader.source.events.pop(until: MonotonicTime.now) {
            if case .readingStopped(let error) = event { errors.append(error) }
        }
        let isExpected =
            isComplete ? frameCount == 600 && errors.isEmpty : frameCount < 600 && errors.count == 1
        #expect(isExpected, "\(frameCount) frames, \(errors)")
    }
}
