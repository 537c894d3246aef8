import Foundation
import Glibc

/// An HTTP server (`Tests/StandIns/stalling-server.py`) that serves the beginning of a file and withholds the rest
/// until ``resume()``. The server is killed when this object is deinitialised.
package final class StallingServer: Sendable {
    /// The URL of the served file.
    package let address: String
    private let child: ChildProcess

    /// Starts a server, and waits until it listens.
    ///
    /// - Parameters:
    ///   - file: the path of a local file.
    ///   - servedFraction: the fraction of the file that is served without delay, 0 to 1.
    package init(_ file: String, servingFirst servedFraction: Double) throws {
        let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
        let child = try ChildProcess(
            Products.systemProgram("python3"),
            [
                Fixtures.packageRoot + "/Tests/StandIns/stalling-server.py", file,
                "\(Int(Double(size) * servedFraction))",
            ])
        guard child.output.wait(for: "\n"), let port = Int(child.output.text.dropFirst("port ".count).dropLast()) else {
            throw TestFailure("the server does not start: \(child.output.text)\(child.errors.text)")
        }
        let name = file.split(separator: "/").last.map(String.init) ?? ""
        (self.child, address) = (child, "http://127.0.0.1:\(port)/\(name)")
    }

    /// Serves the rest of the file.
    package func resume() { child.signal(SIGUSR1) }
}
