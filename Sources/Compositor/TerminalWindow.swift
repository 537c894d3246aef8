import CompositorProtocol
import Glibc
import SharedFrames
import SystemCalls
import VideoOutput
import WireFormat

/// Writes the Picture-in-Picture picture into character cells of a program's terminal. Never waits for the terminal or
/// the program. Used by the drawing thread.
///
/// The compositor holds the terminal's write lock, which lies in memory shared with the program, from a picture's first
/// byte until the terminal has accepted its last byte. A newer picture replaces a picture that waits to be written. All
/// bytes come from `TerminalRegionRenderer`.
final class TerminalWindow {
    /// The result of ``continueWriting(now:)``.
    enum WriteResult {
        /// Nothing can or must be written now.
        case idle
        /// The picture must be painted again: the program assigned other cells, or the contents of the cells were lost.
        case needsPainting
        /// The terminal has accepted the whole picture of the frame with this number.
        case shown(frame: UInt64)
        /// The terminal cannot be written any more, for this reason.
        case lost(String)
    }

    /// A picture that waits to be written: its characters or image, its position in the terminal, and its frame's
    /// number.
    private struct PaintedPicture {
        /// The characters or the image, and the row below.
        let content: TerminalRegionRenderer.Content
        /// The terminal cells that the picture fills.
        let region: TerminalRegion
        /// The number of the picture's frame.
        let frameNumber: UInt64
    }

    /// A picture that is being written to the terminal while the compositor holds the terminal's write lock.
    private struct PictureBeingWritten {
        /// The control sequences and characters to write.
        let bytes: [UInt8]
        /// The number of bytes that the terminal has accepted.
        var acceptedByteCount = 0
        /// The terminal cells that the picture fills.
        let region: TerminalRegion
        /// The number of the picture's frame.
        let frameNumber: UInt64
    }

    /// Nanoseconds between two attempts to take the terminal's write lock while the program holds it: `first` after the
    /// first attempt, then doubled with each attempt, up to `longest`.
    private static let lockRetryIntervals: (first: Int64, longest: Int64) = (1_000_000, 64_000_000)

    /// The memory shared with the program: the cells that the program assigns to the picture, and the terminal's write
    /// lock.
    private let sharedMemory: SharedTerminalMemory
    /// The terminal, opened for non-blocking writing.
    private let terminal: FileDescriptor
    /// Converts pictures to characters and colours.
    private let renderer: TerminalRegionRenderer
    /// The picture that waits to be written.
    private var paintedPicture: PaintedPicture?
    /// The picture that is being written.
    private var pictureBeingWritten: PictureBeingWritten?
    /// The host time of the next attempt to take the terminal's write lock; `nil` if no attempt is planned.
    private(set) var nextTick: Int64?
    /// The time between two attempts to take the terminal's write lock, in nanoseconds.
    private var lockRetryInterval = lockRetryIntervals.first

    /// Opens the program's terminal for writing.
    ///
    /// - Parameters:
    ///   - features: The colours and block characters that the terminal supports.
    ///   - terminal: The terminal's descriptor, received from the program.
    ///   - sharedMemory: The memory with the assigned cells and the write lock, which the program shares with the
    ///     compositor.
    /// - Throws: `SystemCallError` if the descriptor is not a terminal or cannot be opened again.
    init(features: TerminalFeatures, terminal: Int32, sharedMemory: SharedTerminalMemory) throws(SystemCallError) {
        self.sharedMemory = sharedMemory
        guard isatty(terminal) == 1 else { throw SystemCallError(call: "isatty", number: ENOTTY) }
        // Open the terminal again: `O_NONBLOCK` on the received descriptor would also affect the program and its shell.
        self.terminal = try FileDescriptor(
            opening: "/proc/self/fd/\(terminal)", flags: O_WRONLY | O_NOCTTY | O_NONBLOCK)
        let colours: TerminalColours =
            switch features.colours {
            case .sixteen: .indexed16
            case .palette: .indexed256
            case .direct: .direct
            }
        renderer = TerminalRegionRenderer(colours: colours, hasOnlyHalfBlocks: features.hasOnlyHalfBlocks)
    }

    /// The terminal's descriptor to poll for writability; `nil` while no picture is being written.
    var blockedDescriptor: Int32? { pictureBeingWritten == nil ? nil : terminal.raw }

    /// Converts a picture to the contents of terminal cells for ``continueWriting(now:)``. The picture replaces an
    /// earlier picture that waits to be written. Converts nothing if the program has assigned no cells.
    ///
    /// - Parameters:
    ///   - overlay: The overlay over the picture; `nil` for none.
    ///   - controls: The state of the playback for the row below the picture.
    func show(
        _ picture: PictureMemory, _ format: FrameFormat, overlay: TerminalRegionRenderer.Overlay? = nil,
        controls: TerminalControls? = nil, frameNumber: UInt64
    ) {
        paintedPicture = sharedMemory.region.flatMap { region in
            renderer.paint(picture, format, overlay: overlay, controls: controls, in: region).map {
                PaintedPicture(content: $0, region: region, frameNumber: frameNumber)
            }
        }
    }

    /// The size of the picture's area in pixels; `nil` if the program has assigned no cells.
    var pictureSize: PixelSize? { sharedMemory.region?.pictureSize }

    /// Writes as much of the newest picture as the terminal accepts without waiting.
    func continueWriting(now: Int64) -> WriteResult {
        nextTick = nil
        if pictureBeingWritten == nil {
            guard let region = sharedMemory.region else { return .idle }
            guard let waitingPicture = paintedPicture, waitingPicture.region == region else {
                return region == renderer.region ? .idle : .needsPainting
            }
            guard sharedMemory.tryLock() else {
                nextTick = now + lockRetryInterval
                lockRetryInterval = min(lockRetryInterval * 2, Self.lockRetryIntervals.longest)
                return .idle
            }
            lockRetryInterval = Self.lockRetryIntervals.first
            paintedPicture = nil
            // The cells that the program assigns cannot change while the compositor holds the write lock.
            guard sharedMemory.region == region else {
                sharedMemory.unlock()
                return .needsPainting
            }
            pictureBeingWritten = PictureBeingWritten(
                bytes: renderer.draw(waitingPicture.content, in: region), region: region,
                frameNumber: waitingPicture.frameNumber)
        }
        return write()
    }

    /// Writes the rest of the current picture to the terminal. Releases the terminal's write lock when the terminal has
    /// accepted the whole picture.
    private func write() -> WriteResult {
        while let currentPicture = pictureBeingWritten, currentPicture.acceptedByteCount < currentPicture.bytes.count {
            // The program took its cells back without waiting for the write lock, so the rest of the picture must not
            // be written.
            guard sharedMemory.region == currentPicture.region else {
                abandonWriting()
                return .idle
            }
            let writtenByteCount = currentPicture.bytes.withUnsafeBytes { buffer in
                Glibc.write(
                    terminal.raw, buffer.baseAddress.map { $0 + currentPicture.acceptedByteCount },
                    min(buffer.count - currentPicture.acceptedByteCount, 1 << 16))
            }
            let errorNumber = errno
            if writtenByteCount > 0 {
                pictureBeingWritten?.acceptedByteCount += writtenByteCount
            } else if errorNumber == EAGAIN {
                return .idle
            } else if errorNumber != EINTR {
                abandonWriting()
                let error = SystemCallError(call: "write", number: errorNumber)
                return .lost("cannot write to the terminal: \(error.reason)")
            }
        }
        guard let writtenPicture = pictureBeingWritten.take() else { return .idle }
        sharedMemory.unlock()
        return .shown(frame: writtenPicture.frameNumber)
    }

    /// Stops writing to the terminal. The program clears its cells, including an incomplete picture.
    func stop() {
        paintedPicture = nil
        nextTick = nil
        abandonWriting()
        renderer.invalidate()
    }

    /// Stops writing the current picture and releases the terminal's write lock.
    private func abandonWriting() {
        guard pictureBeingWritten.take() != nil else { return }
        renderer.invalidate()
        sharedMemory.unlock()
    }
}
