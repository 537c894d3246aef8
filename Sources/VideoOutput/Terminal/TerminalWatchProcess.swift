import CLinux
import Glibc
import SystemCalls

/// A child process that restores the terminal if this process is killed (`SIGKILL`) and cannot restore it itself.
///
/// The child is a shell that reads a socket until this process ends. The socket carries the state of the terminal: a
/// line with its modes while this process uses it, and a shorter line when it is restored.
final class TerminalWatchProcess: Sendable {
    /// The script of the child. The socket is its standard input, the terminal is descriptor 3. If another program has
    /// changed the modes since then, they stay.
    private static let script = """
        PATH=/usr/bin:/bin
        while read -r state own saved; do last=$state last_own=$own last_saved=$saved; done
        [ "$last" = used ] || exit 0
        printf %s "$1" >&3
        [ "$(stty -g <&3)" = "$last_own" ] && stty "$last_saved" <&3
        """
    /// The line that reports that the terminal is restored.
    private static let restoredLine: StaticString = "restored\n"
    /// The time, in nanoseconds, for which ``close()`` waits until the child has exited.
    private static let exitTimeout: Int64 = 100_000_000

    private let socket: SharedDescriptor
    /// The process ID of the child.
    private let processID: pid_t

    /// Starts the child.
    ///
    /// - Parameters:
    ///   - terminal: The descriptor of the terminal.
    ///   - leaveSequence: The control sequences that restore the terminal.
    /// - Returns: nil if the child cannot be started. The terminal is then not restored after `SIGKILL`.
    init?(terminal: Int32, leaveSequence: StaticString) {
        var socketEnds: [Int32] = [-1, -1]
        guard clinux_stream_socketpair(&socketEnds) == 0 else { return nil }
        let input = SharedDescriptor(FileDescriptor(owning: socketEnds[0]))
        socket = SharedDescriptor(FileDescriptor(owning: socketEnds[1]))
        let processID = withExtendedLifetime(input) {
            Self.spawn(leaveSequence.description, input: input.raw, terminal: terminal)
        }
        guard let processID else { return nil }
        self.processID = processID
    }

    /// The descriptor to which signal handlers write: see ``reportRestored(to:)``.
    var descriptor: Int32 { socket.raw }

    /// Reports that this process uses the terminal.
    ///
    /// - Parameters:
    ///   - modes: The present modes of the terminal.
    ///   - savedModes: The modes to restore.
    func reportUse(modes: termios, savedModes: termios) {
        let line = Array("used \(Self.text(of: modes)) \(Self.text(of: savedModes))\n".utf8)
        line.withUnsafeBytes { Self.send($0, to: descriptor) }
    }

    /// Reports that the terminal is restored. Async-signal-safe.
    ///
    /// - Parameter descriptor: The ``descriptor`` of a watch process; without effect if it is negative.
    static func reportRestored(to descriptor: Int32) {
        guard descriptor >= 0 else { return }
        send(
            UnsafeRawBufferPointer(start: restoredLine.utf8Start, count: restoredLine.utf8CodeUnitCount), to: descriptor
        )
    }

    /// Sends a line without waiting. The socket holds many lines, and the child reads them at once.
    private static func send(_ line: UnsafeRawBufferPointer, to descriptor: Int32) {
        _ = clinux_send_now(descriptor, line.baseAddress, line.count)
    }

    /// Ends the child. The terminal must be restored.
    func close() {
        kill(processID, SIGTERM)
        _ = ChildProgram.waitForExit(of: processID, until: MonotonicTime.now + Self.exitTimeout)
    }

    /// Returns terminal modes as `stty -g` writes them: the flags and the control characters as hexadecimal numbers.
    static func text(of modes: termios) -> String {
        let flags = [modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag].map { String($0, radix: 16) }
        let characters = withUnsafeBytes(of: modes.c_cc) { $0.map { String($0, radix: 16) } }
        return (flags + characters).joined(separator: ":")
    }

    /// Starts the shell in a session of its own, which no key on the terminal interrupts. Returns its process ID; nil
    /// if it cannot be started.
    private static func spawn(_ leaveSequence: String, input: Int32, terminal: Int32) -> pid_t? {
        // Open the terminal again: the descriptor of the session is non-blocking. An unused number comes first, because
        // `input` or `terminal` itself may be descriptor 3.
        let reopenedDescriptor = max(input, terminal, 3) + 1
        return try? ChildProgram.start(
            "/bin/sh", ["-c", script, "swiftplay-terminal", leaveSequence],
            steps: [
                .open(path: "/proc/self/fd/\(terminal)", flags: O_RDWR | O_NOCTTY, as: reopenedDescriptor),
                .copy(input, as: 0), .copy(reopenedDescriptor, as: 3), .open(path: "/dev/null", flags: O_RDWR, as: 1),
                .copy(1, as: 2),
            ], descriptorCount: 4, hasOwnSession: true)
    }
}
