import CLinux
import Foundation
import SystemCalls

/// A pseudo-terminal: the terminal's end, and the end a program runs on, held open so that its settings can be looked
/// at afterwards.
package final class PseudoTerminal: Sendable {
    /// A size in characters and in pixels of one character.
    package struct Size: Sendable, Equatable {
        package var columns: Int
        package var rows: Int
        package var cellWidth: Int
        package var cellHeight: Int
        package init(columns: Int = 120, rows: Int = 34, cellWidth: Int = 10, cellHeight: Int = 20) {
            self.columns = columns
            self.rows = rows
            self.cellWidth = cellWidth
            self.cellHeight = cellHeight
        }
    }

    /// What the programs inside open.
    package let path: String
    let master: SharedDescriptor
    private let slave: SharedDescriptor
    private let currentSize: Monitor<Size>

    package init(size: Size = Size()) throws(SystemCallError) {
        master = SharedDescriptor(try FileDescriptor(opening: "/dev/ptmx", flags: O_RDWR | O_NOCTTY))
        var locked: Int32 = 0
        var number: UInt32 = 0
        let raw = master.raw
        // TIOCSPTLCK and TIOCGPTN are macros that Swift cannot import.
        try systemCall("ioctl(TIOCSPTLCK)") { ioctl(raw, 0x4004_5431, &locked) }
        try systemCall("ioctl(TIOCGPTN)") { ioctl(raw, 0x8004_5430, &number) }
        path = "/dev/pts/\(number)"
        slave = SharedDescriptor(try FileDescriptor(opening: path, flags: O_RDWR | O_NOCTTY))
        currentSize = Monitor(size)
        try resize(to: size)
    }

    package var size: Size { currentSize.withLock { $0 } }

    /// Changes the size; the program inside gets SIGWINCH.
    package func resize(to size: Size) throws(SystemCallError) {
        currentSize.withLock { $0 = size }
        var value = winsize(
            ws_row: UInt16(size.rows), ws_col: UInt16(size.columns),
            ws_xpixel: UInt16(size.columns * size.cellWidth), ws_ypixel: UInt16(size.rows * size.cellHeight))
        try systemCall("ioctl(TIOCSWINSZ)") { ioctl(master.raw, UInt(TIOCSWINSZ), &value) }
    }

    /// The line settings now, as bytes to be compared: input, output, control and local modes and the control
    /// characters.
    package var settings: [UInt8] {
        var value = termios()
        guard tcgetattr(slave.raw, &value) == 0 else { return [] }
        let flags = [value.c_iflag, value.c_oflag, value.c_cflag, value.c_lflag]
        return flags.flatMap { withUnsafeBytes(of: $0, Array.init) } + withUnsafeBytes(of: value.c_cc, Array.init)
    }

    /// Is what is typed shown and handed over by lines, as a shell expects it?
    package var isCooked: Bool {
        var value = termios()
        guard tcgetattr(slave.raw, &value) == 0 else { return false }
        return value.c_lflag & tcflag_t(ICANON) != 0 && value.c_lflag & tcflag_t(ECHO) != 0
    }

    /// What was written and not read yet, some of it; nil when there is nothing. Only where nobody else reads, as
    /// ``PTY`` does.
    package func read() -> [UInt8]? {
        guard (try? Poll.waitReadable(master.raw, until: 0)) == true else { return nil }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let n = Glibc.read(master.raw, &bytes, bytes.count)
        return n > 0 ? Array(bytes[..<n]) : nil
    }

    /// Types: what the program inside reads. What does not fit its input queue is lost, as with a real one.
    package func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(master.raw, bytes, bytes.count)
    }
}
