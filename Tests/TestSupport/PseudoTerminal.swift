import CLinux
import Foundation
import SystemCalls

/// A pseudo-terminal. This object keeps the slave device open, so that tests can read the terminal settings after the
/// program on the terminal has exited.
package final class PseudoTerminal: Sendable {
    /// The size of a terminal in character cells, and the size of a character cell in pixels.
    package struct Size: Sendable, Equatable {
        package var columns: Int
        package var rows: Int
        package var cellWidthInPixels: Int
        package var cellHeightInPixels: Int
        package init(columns: Int = 120, rows: Int = 34, cellWidthInPixels: Int = 10, cellHeightInPixels: Int = 20) {
            self.columns = columns
            self.rows = rows
            self.cellWidthInPixels = cellWidthInPixels
            self.cellHeightInPixels = cellHeightInPixels
        }
    }

    /// The path of the slave device, which programs open.
    package let path: String
    /// The master device, with which the test reads the output of the program and writes its input.
    let master: SharedDescriptor
    /// The slave device, which the program on the terminal uses.
    private let slave: SharedDescriptor
    private let currentSize: Monitor<Size>

    package init(size: Size = Size()) throws(SystemCallError) {
        master = SharedDescriptor(try FileDescriptor(opening: "/dev/ptmx", flags: O_RDWR | O_NOCTTY))
        var locked: Int32 = 0
        var terminalNumber: UInt32 = 0
        let raw = master.raw
        // TIOCSPTLCK and TIOCGPTN are macros that Swift cannot import.
        try systemCall("ioctl(TIOCSPTLCK)") { ioctl(raw, 0x4004_5431, &locked) }
        try systemCall("ioctl(TIOCGPTN)") { ioctl(raw, 0x8004_5430, &terminalNumber) }
        path = "/dev/pts/\(terminalNumber)"
        slave = SharedDescriptor(try FileDescriptor(opening: path, flags: O_RDWR | O_NOCTTY))
        currentSize = Monitor(size)
        try resize(to: size)
    }

    package var size: Size { currentSize.withLock { $0 } }

    /// Changes the size of the terminal. The kernel then sends SIGWINCH to the program.
    package func resize(to size: Size) throws(SystemCallError) {
        currentSize.withLock { $0 = size }
        var windowSize = winsize(
            ws_row: UInt16(size.rows), ws_col: UInt16(size.columns),
            ws_xpixel: UInt16(size.columns * size.cellWidthInPixels),
            ws_ypixel: UInt16(size.rows * size.cellHeightInPixels))
        try systemCall("ioctl(TIOCSWINSZ)") { ioctl(master.raw, UInt(TIOCSWINSZ), &windowSize) }
    }

    /// The current terminal settings as bytes, for comparisons: the input, output, control and local modes and the
    /// control characters of `termios`.
    package var settings: [UInt8] {
        var terminalModes = termios()
        guard tcgetattr(slave.raw, &terminalModes) == 0 else { return [] }
        let flags = [terminalModes.c_iflag, terminalModes.c_oflag, terminalModes.c_cflag, terminalModes.c_lflag]
        return flags.flatMap { withUnsafeBytes(of: $0, Array.init) }
            + withUnsafeBytes(of: terminalModes.c_cc, Array.init)
    }

    /// Whether echo and canonical mode are on, as a shell expects.
    package var isCooked: Bool {
        var terminalModes = termios()
        guard tcgetattr(slave.raw, &terminalModes) == 0 else { return false }
        return terminalModes.c_lflag & tcflag_t(ICANON) != 0 && terminalModes.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Returns unread output of the program; nil if there is no output. Do not call this method for the terminal of a
    /// ``TerminalProcess``, which reads the output itself.
    package func read() -> [UInt8]? {
        guard (try? Poll.waitReadable(master.raw, until: 0)) == true else { return nil }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let byteCount = Glibc.read(master.raw, &bytes, bytes.count)
        return byteCount > 0 ? Array(bytes[..<byteCount]) : nil
    }

    /// Writes `text` to the input of the program. Bytes beyond the capacity of the input queue are lost, as with a real
    /// terminal.
    package func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(master.raw, bytes, bytes.count)
    }
}
