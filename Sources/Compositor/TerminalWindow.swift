import CompositorProtocol
import Glibc
import SharedFrames
import SystemCalls
import VideoOutput
import WireFormat

/// The cells of a program's terminal in which its picture is seen. Never waits for the terminal, nor for the program.
/// Used by its surface's thread.
///
/// A picture is written in our turn (see ``TerminalShare``), which is kept until the terminal has taken the last byte
/// of it; newer ones take the place of the one that waits. Nothing is written but what ``TerminalPatch`` draws.
final class TerminalWindow {
    enum Outcome {
        /// Nothing to do just now.
        case idle
        /// The program has given us other cells than the picture was painted for, or all of them are to be drawn.
        case needsPainting
        /// The terminal has taken the picture.
        case shown(frame: UInt64)
        /// It takes nothing any more; in words.
        case lost(String)
    }

    private struct Painted {
        let grid: CellGrid
        let place: TerminalPlace
        let frame: UInt64
    }

    /// On its way to the terminal. It is our turn meanwhile.
    private struct Writing {
        let bytes: [UInt8]
        var position = 0
        let place: TerminalPlace
        let frame: UInt64
    }

    /// Nanoseconds until a turn that the program had is asked for again: the first time, and at most. Twice as many
    /// each time.
    private static let intervals: (first: Int64, longest: Int64) = (1_000_000, 64_000_000)

    private let share: TerminalShare
    private let terminal: FileDescriptor
    private let patch: TerminalPatch
    private var painted: Painted?
    private var writing: Writing?
    /// When to ask for the turn again; nil where that is not waited for.
    private(set) var nextTick: Int64?
    private var interval = intervals.first

    /// - Parameters:
    ///   - terminal: what the program says is its terminal.
    ///   - share: the memory that came with it.
    /// - Throws: when it is none, or may not be opened.
    init(kind: TerminalKind, terminal: Int32, share: TerminalShare) throws(SystemCallError) {
        self.share = share
        guard isatty(terminal) == 1 else { throw SystemCallError(call: "isatty", number: ENOTTY) }
        // An open file of our own: not to wait is a matter between us and the kernel, and the shell's stays as it is.
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

    /// To be waited for until it can be written to; nil where it is not.
    var blockedDescriptor: Int32? { writing == nil ? nil : terminal.raw }

    /// Takes a picture in the place of one that waits. Where there are no cells for it, nothing is seen.
    func show(_ picture: PictureMemory, _ format: FrameFormat, frame: UInt64) {
        painted = share.place.flatMap { place in
            patch.paint(picture, format, in: place).map { Painted(grid: $0, place: place, frame: frame) }
        }
    }

    /// Writes what the terminal takes.
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
            // In our turn it stays as it is.
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
            // Taken back by a program that did not wait for us.
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

    /// Writes nothing any more: what stands in the cells, and what was begun, is the program's to clear away.
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
