import Foundation
import Glibc
import SystemCalls

/// An X server of a test's own, which it may stop. It exits with this object.
package final class PrivateDisplay {
    package let name: String
    private let server: ChildProcess

    /// - Parameter arguments: the server's, more than the usual ones.
    package init(_ arguments: [String] = []) throws {
        let usual = ["-displayfd", "1", "-screen", "0", "1920x1080x24", "-nolisten", "tcp", "-noreset"]
        server = try ChildProcess(Products.system("Xvfb"), usual + arguments)
        guard server.output.wait(for: "\n") else { throw RigError("Xvfb does not start: \(server.errors.text)") }
        name = ":" + server.output.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    deinit { server.signal(SIGCONT) }

    package func stop() { server.signal(SIGSTOP) }

    /// Lets the server go on after a time, so that a test that waits for it fails and does not hang.
    package final class Rescue {
        private let event: EventDescriptor
        private let isTooLate = Monitor(false)
        private var thread: NamedThread?
        private let server: ChildProcess

        fileprivate init(_ server: ChildProcess, _ patience: Duration) throws {
            self.server = server
            event = try EventDescriptor()
            let (event, isTooLate) = (event, isTooLate), process = server.pid
            let deadline = MonotonicTime.now + Deadline.nanoseconds(patience)
            thread = try NamedThread("rescue") {
                if (try? Poll.waitReadable(event.raw, until: deadline)) == true { return }
                isTooLate.update { $0 = true }
                kill(process, SIGCONT)
            }
        }

        /// Whether the server had to be continued.
        package var isOver: Bool { isTooLate.withLock { $0 } }

        /// Continues the server.
        package func end() {
            event.signal()
            thread?.join()
            thread = nil
            server.signal(SIGCONT)
        }

        deinit { end() }
    }

    package func continueAfter(_ patience: Duration) throws -> Rescue { try Rescue(server, patience) }
}
