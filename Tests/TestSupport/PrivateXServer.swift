import Foundation
import Glibc
import SystemCalls

/// A private X server that a test can suspend. The server exits when this object is deinitialised.
package final class PrivateXServer {
    /// The name of the X display, such as `:1`.
    package let name: String
    private let server: ChildProcess

    /// Starts Xvfb, and waits until it accepts connections.
    ///
    /// - Parameter arguments: additional command-line arguments of Xvfb.
    package init(_ arguments: [String] = []) throws {
        let standardArguments = ["-displayfd", "1", "-screen", "0", "1920x1080x24", "-nolisten", "tcp", "-noreset"]
        server = try ChildProcess(Products.systemProgram("Xvfb"), standardArguments + arguments)
        guard server.output.wait(for: "\n") else { throw TestFailure("Xvfb does not start: \(server.errors.text)") }
        name = ":" + server.output.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    deinit { server.signal(SIGCONT) }

    /// Suspends the X server with SIGSTOP.
    package func suspend() { server.signal(SIGSTOP) }

    /// A timer that resumes the suspended X server after a timeout, so that a test that blocks on the server fails
    /// instead of hanging.
    package final class ResumeTimer {
        /// The event that ends the timer's thread before the timeout.
        private let cancelEvent: EventDescriptor
        private let isResumed = Monitor(false)
        private var thread: NamedThread?
        private let server: ChildProcess

        fileprivate init(_ server: ChildProcess, _ timeout: Duration) throws {
            self.server = server
            cancelEvent = try EventDescriptor()
            let (cancelEvent, isResumed) = (cancelEvent, isResumed), process = server.pid
            let deadline = MonotonicTime.now + Deadline.nanoseconds(timeout)
            thread = try NamedThread("rescue") {
                if (try? Poll.waitReadable(cancelEvent.raw, until: deadline)) == true { return }
                isResumed.update { $0 = true }
                kill(process, SIGCONT)
            }
        }

        /// Whether the timeout has passed, so that the timer has resumed the X server.
        package var hasExpired: Bool { isResumed.withLock { $0 } }

        /// Cancels the timer and resumes the X server at once.
        package func end() {
            cancelEvent.signal()
            thread?.join()
            thread = nil
            server.signal(SIGCONT)
        }

        deinit { end() }
    }

    /// Starts and returns a timer that resumes the X server after `timeout`.
    package func resumeAfter(_ timeout: Duration) throws -> ResumeTimer { try ResumeTimer(server, timeout) }
}
