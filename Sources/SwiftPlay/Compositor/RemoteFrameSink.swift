import CompositorProtocol
import Logging
import SharedFrames
import SystemCalls
import WireFormat

/// Sends the frames of one picture to the compositor, which shows them. One ring buffer in shared memory carries
/// descriptions of frames to the compositor, another carries releases back. Pixels are not copied.
///
/// Frames are held until the compositor releases them or is lost. Safe to use from any thread.
package final class RemoteFrameSink: Sendable {
    /// The frames that the compositor holds, and the memory and formats that were announced to it.
    private struct State {
        /// The frames that the compositor holds, by their ids.
        var heldFrames: [UInt64: VideoFrame] = [:]
        /// The slots (memory files of the frame pool) that were announced to the compositor, held weakly. With the next
        /// frame, the compositor receives messages to drop the slots that the pool has released; when the floating
        /// window has closed, also to drop the others.
        var slots: [UInt32: WeakFrameSlot] = [:]
        /// The numbers under which frame formats were announced to the compositor.
        var formatNumbers: [FrameFormat: UInt32] = [:]
        /// The number of formats that were announced so far. Modulo `formatLimit` it is the number of the next format.
        var announcedFormatCount: UInt32 = 0
        /// Reads the releases of frames that the compositor writes.
        var releaseReader: ReleaseReader
        /// Whether the connection was lost or the session was closed. A closed sink sends no frames.
        var isClosed = false
        /// Detects a compositor that has stopped releasing frames.
        var releaseMonitor = FrameReleaseMonitor()
        /// The overlay (subtitles) that was sent last.
        var overlay: OverlayPicture?
        /// Whether the text of each overlay is sent, too.
        var sendsOverlayText = false
    }

    /// A class around the reader of the release ring, which cannot be copied.
    private final class ReleaseReader {
        var reader: SharedRingReader
        init(_ reader: consuming SharedRingReader) { self.reader = reader }
    }

    /// A weak reference to memory of the frame pool.
    private struct WeakFrameSlot { weak var slot: FrameSlot? }

    /// The number of the Picture-in-Picture session.
    let session: UInt32
    /// Whether the floating window is on the X11 desktop, where a lock screen or screensaver would cover it.
    let isOnDesktop: Bool
    /// The connection to the compositor.
    private let socket: MessageSocket
    /// The negotiated version of the compositor protocol.
    private let version: UInt16
    /// The shared memory of the ring buffer that carries frames to the compositor.
    private let frameRing: MemoryFile
    /// The shared memory of the ring buffer that carries releases back from the compositor.
    private let releaseRing: MemoryFile
    /// Writes descriptions of frames into `frameRing`.
    private let frameRingWriter: SharedRingWriter
    /// The eventfd that wakes the compositor after an entry in `frameRing`.
    private let frameEvent: EventDescriptor
    private let state: Monitor<State>
    /// The closure that is called when the compositor stops or resumes releasing frames.
    private let onChange: @Sendable (FrameReleaseMonitor.Change) -> Void
    private let logger = Logger(label: "compositor")

    /// The maximum number of frame formats that the compositor keeps.
    private static let formatLimit: UInt32 = 64

    /// Creates a sink for a session, with its ring buffers.
    ///
    /// - Parameters:
    ///   - version: The negotiated version of the compositor protocol.
    ///   - stallTimeout: The time without a release after which the compositor counts as stalled, in nanoseconds; nil
    ///     for the default.
    ///   - onChange: Called when the compositor stops releasing frames, and when it releases frames again.
    init(
        session: UInt32, socket: MessageSocket, version: UInt16, isOnDesktop: Bool = false,
        stallTimeout: Int64? = nil,
        onChange: @escaping @Sendable (FrameReleaseMonitor.Change) -> Void = { _ in }
    ) throws(SystemCallError) {
        self.session = session
        self.onChange = onChange
        self.isOnDesktop = isOnDesktop
        self.version = version
        self.socket = socket
        frameRing = try MemoryFile(name: "swiftplay-ring", size: SharedRing.byteCount)
        releaseRing = try MemoryFile(name: "swiftplay-ring", size: SharedRing.byteCount)
        frameRingWriter = try SharedRingWriter(frameRing)
        frameEvent = try EventDescriptor()
        var releaseMonitor = FrameReleaseMonitor()
        if let stallTimeout { releaseMonitor.timeout = stallTimeout }
        state = Monitor(
            State(releaseReader: ReleaseReader(try SharedRingReader(releaseRing)), releaseMonitor: releaseMonitor))
    }

    /// Whether the compositor animates windows from the layer and back to it.
    package var supportsAnimations: Bool { version >= ProtocolVersion.animations }

    /// Whether the compositor's windows have a volume control.
    package var supportsAudioState: Bool { version >= ProtocolVersion.audioState }

    /// Whether the compositor's windows have a buffering indicator.
    package var supportsBuffering: Bool { version >= ProtocolVersion.buffering }

    /// The file descriptors that are sent with the message `openSession`.
    var descriptors: [Int32] { [frameRing.descriptor.raw, releaseRing.descriptor.raw, frameEvent.raw] }

    /// Announces the memory and the format of a frame to the compositor, so that ``push(_:due:)`` sends no messages for
    /// this frame. After a failure, ``push(_:due:)`` tries again.
    func prepare(_ frame: VideoFrame) {
        state.withLock { if !$0.isClosed { try? announce(frame, &$0) } }
    }

    /// Sends a frame to the compositor.
    ///
    /// - Parameter due: The host time at which the frame is shown, in nanoseconds.
    /// - Returns: False if the sink refused the frame, because the compositor is lost or holds too many frames.
    func push(_ frame: VideoFrame, due: Int64) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            takeBackReleasedFrames(&state)
            guard !state.isClosed else { return false }
            // The compositor holds this frame already, on screen or in its queue: do not send it twice.
            if state.heldFrames[frame.id] != nil { return true }
            if !state.heldFrames.isEmpty { state.releaseMonitor.recordSentFrame(at: MonotonicTime.now) }
            guard state.heldFrames.count < FrameEntry.heldFrameLimit else { return false }
            do {
                try announce(frame, &state)
            } catch {
                // The reading thread detects the closed connection and notifies the handlers.
                state.isClosed = true
                socket.shutdown()
                return false
            }
            state.heldFrames[frame.id] = frame
            let format = state.formatNumbers[frame.format] ?? 0
            frameRingWriter.push(
                FrameEntry(
                    frame: frame.id, slot: frame.buffer.slot.id, format: format,
                    presentationTime: frame.presentationTime, hostTime: due
                ).entry)
            frameEvent.signal()
            return true
        }
    }

    /// Takes back the frames that the compositor has released. Returns whether it has stopped or resumed releasing
    /// frames since the last call; nil if neither.
    func checkReleases() -> FrameReleaseMonitor.Change? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            takeBackReleasedFrames(&state)
            return state.releaseMonitor.check(at: MonotonicTime.now)
        }
    }

    /// Logs that the compositor stopped or resumed releasing frames, and notifies the session. The caller must not hold
    /// a lock.
    func report(_ change: FrameReleaseMonitor.Change) {
        switch change {
        case .stalled:
            logger.warning(
                "swiftplay-compositor accepts no frames: the player's own layer shows the picture until it does")
        case .resumed: logger.notice("swiftplay-compositor accepts frames again")
        }
        onChange(change)
    }

    /// Sets the overlay (subtitles) of later frames. Sends nothing if the overlay has not changed.
    func show(_ overlay: OverlayPicture?) {
        state.withLock { state in
            guard version >= ProtocolVersion.overlays, !state.isClosed, overlay !== state.overlay else { return }
            state.overlay = overlay
            do {
                guard let overlay, let shape = OverlayShape(size: overlay.size, rects: overlay.boxes.map(\.rect)) else {
                    return try send(.clearOverlay(session: session))
                }
                let memory = try MemoryFile(name: "swiftplay-overlay", size: shape.byteCount)
                let mapping = try memory.map(writable: true)
                var offset = 0
                for box in overlay.boxes {
                    box.pixels.withUnsafeBytes {
                        (mapping.base + offset).copyMemory(
                            from: $0.baseAddress ?? UnsafeRawPointer(mapping.base), byteCount: $0.count)
                    }
                    offset += box.pixels.count
                }
                if state.sendsOverlayText {
                    try send(.overlayText(session: session, String(overlay.text.prefix(WireLimits.stringBytes))))
                }
                try send(.overlay(session: session, shape: shape), [memory.descriptor.raw])
            } catch {
                // The reading thread detects the closed connection and notifies the handlers.
                state.isClosed = true
                socket.shutdown()
            }
        }
    }

    /// Sends the text of later overlays, for a compositor that draws characters.
    func enableOverlayText() { state.withLock { $0.sendsOverlayText = true } }

    /// Clears the record of the last sent overlay, so that the overlay is sent again for a new floating window.
    func clearOverlay() { state.withLock { $0.overlay = nil } }

    /// Announces the memory and the format of a frame, unless they were announced before.
    private func announce(_ frame: VideoFrame, _ state: inout State) throws(SystemCallError) {
        let slot = frame.buffer.slot
        try withdrawSlots(&state) { $0 == nil }
        if state.slots[slot.id] == nil {
            let descriptor = try slot.descriptor()
            try send(.addSlot(session: session, slot: slot.id), [descriptor.raw])
            state.slots[slot.id] = WeakFrameSlot(slot: slot)
        }
        if state.formatNumbers[frame.format] == nil {
            // Format numbers are reused. All frames of the replaced format have been released before, because the
            // compositor holds only a few frames.
            let number = state.announcedFormatCount % Self.formatLimit
            state.formatNumbers = state.formatNumbers.filter { $0.value != number }
            try send(.format(session: session, number: number, format: frame.format.withoutReduction))
            state.formatNumbers[frame.format] = number
            state.announcedFormatCount += 1
        }
    }

    /// Takes back the frames whose release the compositor has written into the release ring.
    private func takeBackReleasedFrames(_ state: inout State) {
        // `pop` throws if the counter that the compositor wrote is invalid. The sink then ends the connection and takes
        // back all frames.
        do {
            while let entry = try state.releaseReader.reader.pop() {
                state.heldFrames[ReleasedFrame(entry).frame] = nil
                state.releaseMonitor.recordReleasedFrame()
            }
        } catch {
            state.isClosed = true
            state.heldFrames = [:]
            socket.shutdown()
        }
    }

    /// Makes the compositor unmap the announced slots that satisfy `condition`, whose argument is nil for a slot that
    /// the pool has released.
    private func withdrawSlots(_ state: inout State, where condition: (FrameSlot?) -> Bool) throws(SystemCallError) {
        for (id, weakSlot) in state.slots where condition(weakSlot.slot) {
            state.slots[id] = nil
            try send(.removeSlot(session: session, slot: id))
        }
    }

    /// Takes back the frames that the compositor has released, and makes the compositor unmap all memory except that of
    /// the frames it still holds. Called when the floating window has closed: otherwise the compositor would keep
    /// memory that the pool releases later.
    func unmapUnusedMemory() {
        state.withLock { state in
            takeBackReleasedFrames(&state)
            guard !state.isClosed else { return }
            let heldSlots = Set(state.heldFrames.values.map(\.buffer.slot.id))
            do {
                try withdrawSlots(&state) { slot in slot.map { !heldSlots.contains($0.id) } ?? true }
            } catch {
                // The reading thread detects the closed connection and notifies the handlers.
                state.isClosed = true
                socket.shutdown()
            }
        }
    }

    /// Sends a message with descriptors to the compositor.
    func send(_ message: ClientMessage, _ descriptors: [Int32] = []) throws(SystemCallError) {
        try socket.send(message.encoded, descriptors: descriptors)
    }

    /// Closes the sink: sends no more frames and takes back all frames.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.heldFrames = [:]
            state.slots = [:]
        }
    }
}
