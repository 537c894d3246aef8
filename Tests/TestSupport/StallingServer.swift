import Foundation
import Glibc

/// An HTTP server (`Tests/StandIns/stalling-server.py`) that keeps the rest of a file back until it is told to go on.
/// It ends with this object.
package final class StallingServer: Sendable {
    /// Of the file.
    package let address: String
    private let child: ChildProcess

    /// - Parameters:
    ///   - file: the path of a local file.
    ///   - part: how much of it is served at first, 0 to 1.
    package init(_ file: String, servingFirst part: Double) throws {
        let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
        let child = try ChildProcess(
            Products.system("python3"),
            [Fixtures.packageRoot + "/Tests/StandIns/stalling-server.py", file, "\(Int(Double(size) * part))"])
        guard child.output.wait(for: "\n"), let port = Int(child.output.text.dropFirst("port ".count).dropLast()) else {
            throw RigError("no server: \(child.output.text)\(child.errors.text)")
        }
        let name = file.split(separator: "/").last.map(String.init) ?? ""
        (self.child, address) = (child, "http://127.0.0.1:\(port)/\(name)")
    }

    /// Serves the rest, too.
    package func goOn() { child.signal(SIGUSR1) }
}
