import Glibc
import SystemCalls

/// Lets the program fail if its output cannot be written, for example to a full disk.
enum StandardOutputCheck {
    /// Checks the output when the program exits. A successful exit code becomes 1.
    static func install() {
        on_exit(
            { status, _ in
                let number = StandardDescriptors.flushOutput()
                // A reader that has closed its end of a pipe needs no more output.
                guard number != 0, number != EPIPE else { return }
                let reason = number > 0 ? ": \(SystemCallError(call: "write", number: number).reason)" : ""
                let message = "swiftplay: the output cannot be written\(reason)\n"
                _ = message.utf8CString.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count - 1) }
                fflush(nil)
                _exit(status == 0 ? PlaybackExitCode.cannotStart.rawValue : status)
            }, nil)
    }
}
