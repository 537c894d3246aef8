import CompositorProtocol
import Glibc
import SharedFrames
import SystemCalls
import VideoOutput
import WireFormat

/// The writer of a picture into cells of a program's terminal. Never waits for the terminal or the program. Used by its
/// surface's thread.
///
/// A picture is written while the compositor holds the lock of `TerminalShare`, until the terminal has accepted its
/// last byte. A newer picture replaces the waiting one. Only the output of `TerminalPatch` is written.
final class TerminalWindow {
    enum Outcome {
        /// No work is due.
        case idle
        /// The program assigned other cells than the picture was painted for, or all cells must be drawn.
        case needsPainting
        /// The terminal has accepted the whole picture.
        case shown(frame: UInt64)
        /// The terminal cannot be written any more, for this reason.
        case lost(String)
    }

    private struct Painted {
        let grid: CellGrid
        let place: TerminalPlace
        let frame: UInt64
    }

    /// A picture that is being written while the compositor holds the lock.
    private struct Writing {
        let bytes: [UInt8]
        var position = 0
        let place: TerminalPlace
        let frame: UInt64
    }

    /// Nanoseconds until the next attempt to take the lock while the program holds it: the first interval, which
    /// doubles with each attempt, and the longest.
    private static let intervals: (first: Int64, longest: Int64) = (1_000_000, 64_000_000)

    private let share: TerminalShare
    private let terminal: FileDescriptor
    private let patch: TerminalPatch
    private var painted: Painted?
    private var writing: Writing?
    /// The host time of the next attempt to take the lock; `nil` if none is planned.
    private(set) var nextTick: Int64?
    private var interval = intervals.first

    /// Opens the terminal.
    ///
    /// - Parameters:
    ///   - kind: The properties of the terminal.
    ///   - terminal: The program's descriptor of its terminal.
    ///   - share: The memory that the program shares with the compositor.
    /// - Throws: `SystemCallError` if the descriptor is not a terminal or cannot be opened again.
    init(kind: TerminalKind, terminal: Int32, share: TerminalShare) throws(SystemCallError) {
        self.share = share
        guard isatty(terminal) == 1 else { throw SystemCallError(call: "isatty", number: ENOTTY) }
        // Open the terminal again: `O_NONBLOCK` on the received descriptor would also affect the program and its shell.
        self.terminal = try FileDescriptor(
            opening: "/proc/self/fd/\(terminal)", flags: O_WRONLY | O_NOCTTY | O_NONBLOCK)
        let colours: TerminalColours =
            switch kind.colours {
            case .sixteen: .indexed16
            case .palette: .indexed256
            case .direct: .direct
            }
        patch = TerminalPatch(colours: colours, halvesOnly: kind.halvesOnly)
    }

    /// The descriptor to poll for writability; `nil` while no picture is being written.
    var blockedDescriptor: Int32? { writing == nil ? nil : terminal.raw }

    /// Paints a picture, which replaces the waiting one. Without cells no picture is shown.
    func show(_ picture: PictureMemory, _ format: FrameFormat, frame: UInt64) {
        painted = share.place.flatMap { place in
            patch.paint(picture, format, in: place).map { Painted(grid: $0, place: place, frame: frame) }
        }
    }

    /// Writes as much of the picture as the terminal accepts.
    func proceed(now: Int64) -> Outcome {
        nextTick = nil
        if writing == nil {
            guard let place = share.place else { return .idle }
            guard let waiting = painted, waiting.place == place else {
                return place == patch.place ? .idle : .needsPainting
            }
            guard share.tryLock() else {
                nextTick = now + interval
                interval = min(interval * 2, Self.intervals.longest)
                return .idle
            }
            interval = Self.intervals.first
            painted = nil
            // The place cannot change while the lock is held.
            guard share.place == place else {
                share.unlock()
                return .needsPainting
            }
            writing = Writing(bytes: patch.draw(waiting.grid, in: place), place: place, frame: waiting.frame)
        }
        return write()
    }

    private func write() -> Outcome {
        while let now = writing, now.position < now.bytes.count {
            // The program took the cells back without waiting for the lock.
            guard share.place == now.place else {
                abandon()
                return .idle
            }
            let n = now.bytes.withUnsafeBytes { buffer in
                Glibc.write(
                    terminal.raw, buffer.baseAddress.map { $0 + now.position },
                    min(buffer.count - now.position, 1 << 16))
            }
            let number = errno
            if n > 0 {
                writing?.position += n
            } else if number == EAGAIN {
                return .idle
            } else if number != EINTR {
                abandon()
                return .lost("the terminal: \(SystemCallError(call: "write", number: number).reason)")
            }
        }
        guard let done = writing.take() else { return .idle }
        share.unlock()
        return .shown(frame: done.frame)
    }

    /// Stops writing. The program clears the cells, including an incomplete picture.
    func stop() {
        painted = nil
        nextTick = nil
        abandon()
        patch.forget()
    }

    private func abandon() {
        guard writing.take() != nil else { return }
        patch.forget()
        share.unlock()
    }
}
