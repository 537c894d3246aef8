import Glibc
import SystemCalls

@testable import VideoOutput

/// A pseudo-terminal. The program under test uses the slave side; the test reads and writes the master side, as a
/// terminal emulator does.
final class PseudoTerminal: Sendable {
    let master: SharedDescriptor
    let slave: SharedDescriptor

    init(columns: UInt16 = 120, rows: UInt16 = 34) throws {
        let master = try FileDescriptor(opening: "/dev/ptmx", flags: O_RDWR | O_NOCTTY)
        let masterDescriptor = master.raw
        var unlocked: Int32 = 0, index: UInt32 = 0
        try systemCall("ioctl") { ioctl(masterDescriptor, UInt(0x4004_5431), &unlocked) } // TIOCSPTLCK
        try systemCall("ioctl") { ioctl(masterDescriptor, UInt(0x8004_5430), &index) } // TIOCGPTN
        slave = SharedDescriptor(try FileDescriptor(opening: "/dev/pts/\(index)", flags: O_RDWR | O_NOCTTY))
        try master.setNonBlocking(true)
        self.master = SharedDescriptor(master)
        resize(columns: columns, rows: rows)
    }

    /// Sets the number of the terminal's columns and rows.
    func resize(columns: UInt16, rows: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master.raw, UInt(TIOCSWINSZ), &size)
    }

    /// The current terminal settings.
    var settings: termios {
        var result = termios()
        tcgetattr(slave.raw, &result)
        return result
    }

    /// Writes `text` to the input of the program under test, as the terminal does for typed keys.
    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(master.raw, bytes, bytes.count)
    }

    /// Returns the output of the program under test that has not been read yet. With `end`, waits up to ten seconds
    /// until the output contains `end`.
    func read(until end: String? = nil) -> String {
        var outputBytes: [UInt8] = []
        let deadline = MonotonicTime.now + 10 * MonotonicTime.nanosecondsPerSecond
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let readCount = Glibc.read(master.raw, &buffer, buffer.count)
            if readCount > 0 {
                outputBytes += buffer[..<readCount]
                continue
            }
            let text = String(decoding: outputBytes, as: UTF8.self)
            guard let end, !text.contains(end) else { return text }
            guard (try? Poll.waitReadable(master.raw, until: deadline)) == true else { return text }
        }
    }

    /// Creates a terminal session of the player on this terminal, with the given environment variables.
    func session(
        _ environment: [String: String] = ["TERM": "xterm-256color", "COLORTERM": "truecolor"],
        share: SharedTerminalMemory? = nil
    ) throws -> TerminalSession {
        try TerminalSession(descriptor: slave.raw, share: share) { environment[$0] }
    }
}
