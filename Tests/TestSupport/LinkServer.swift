import Foundation
import Glibc

/// An HTTP server behind one simulated link (`Tests/StandIns/link-server.py`): limited rate, latency, cuts and faults.
/// The server is killed when this object is deinitialised.
package final class LinkServer {
    /// The URL of the served folder, without a slash at its end.
    package let address: String
    private let child: ChildProcess
    /// The temporary folder of the file with which ``change(_:)`` passes new settings to the server.
    private let settingsDirectory: TemporaryDirectory

    /// A request to which the server has responded, or whose connection was closed.
    package struct Request: Decodable, Sendable {
        /// The times of the request and of the last sent byte, in seconds since the first request.
        package var start, end: Double
        /// The requested path, with its query.
        package var path: String
        /// The number of the connection that carried the request; connections are counted from 1.
        package var connection: Int
        /// The HTTP status of the response; nil if the connection was closed before the response.
        package var status: Int?
        /// The value of the header field `Range`; nil if the request has no such field.
        package var range: String?
        /// The number of bytes of the response that the server has sent.
        package var sent: Int
        /// The number of bytes of the complete response; nil if the connection was closed before the response.
        package var asked: Int?
        /// The header fields of the request by lower-case name.
        package var fields: [String: String]
    }

    /// Starts a server, and waits until it listens.
    ///
    /// - Parameters:
    ///   - folder: the path of the folder to serve.
    ///   - settings: the settings as a JSON object, which the server's script describes.
    package init(_ folder: String, _ settings: String = "{}") throws {
        guard FileManager.default.fileExists(atPath: folder) else {
            throw TestFailure("\(folder) is missing: run scripts/test")
        }
        let script = Fixtures.packageRoot + "/Tests/StandIns/link-server.py"
        settingsDirectory = try TemporaryDirectory()
        child = try ChildProcess(
            Products.systemProgram("python3"), [script, folder, settings, settingsDirectory.file("changes.json")])
        guard child.output.wait(for: "\n"), let port = Int(child.output.text.dropFirst("port ".count).dropLast()) else {
            throw TestFailure("the server does not start: \(child.output.text)\(child.errors.text)")
        }
        let scheme = settings.contains("\"certificate\"") ? "https" : "http"
        address = "\(scheme)://127.0.0.1:\(port)"
    }

    /// Stops the server, which closes all connections, and waits until it has exited.
    package func stop() {
        child.signal(SIGTERM)
        _ = try? child.waitForExit()
    }

    /// The finished requests, in the order in which they ended.
    package var requests: [Request] {
        child.errors.text.split(separator: "\n").compactMap {
            try? JSONDecoder().decode(Request.self, from: Data($0.utf8))
        }
    }

    /// The requested paths, without queries, in the order of ``requests``.
    package var paths: [String] {
        requests.map { String($0.path.split(separator: "?", omittingEmptySubsequences: false)[0]) }
    }

    /// Changes the server's settings, and waits until the new settings are in effect.
    package func change(_ settings: String) throws {
        let previousLineCount = child.output.text.split(separator: "\n").count
        try Data(settings.utf8).write(to: URL(fileURLWithPath: settingsDirectory.file("changes.json")))
        child.signal(SIGUSR1)
        let isChanged = Deadline.poll(for: .seconds(10), every: .milliseconds(5)) {
            child.output.text.split(separator: "\n").count > previousLineCount ? true : nil
        }
        guard isChanged == true else { throw TestFailure("the server does not change its settings") }
    }
}
