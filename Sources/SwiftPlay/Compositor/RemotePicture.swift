import CompositorProtocol
import Logging
import SharedFrames
import SystemCalls
import WireFormat

/// The sending end of a picture that the compositor shows. One ring carries descriptors of frames to the compositor,
/// another carries releases back. Pixels are not copied.
///
/// Frames are held until the compositor releases them or is lost. Any thread.
package final class RemotePicture: Sendable {
    private struct State {
        /// The frames that the compositor holds.
        var held: [UInt64: VideoFrame] = [:]
        /// The announced slots, held weakly. A slot that the pool released is withdrawn.
        var slots: [UInt32: WeakSlot] = [:]
        var formats: [FrameFormat: UInt32] = [:]
        var nextFormat: UInt32 = 0
        var releases: Ends
        var isClosed = false
        var watch = FrameAnswerWatch()
        /// The overlay over the frames.
        var overlay: OverlayPicture?
    }

    /// The read end of the releases, which cannot be copied.
    private final class Ends {
        var reader: DescriptorRingReader
        init(_ reader: consuming DescriptorRingReader) { self.reader = reader }
    }

    private struct WeakSlot { weak var slot: FrameSlot? }

    let session: UInt32
    /// Whether the window is on the desktop, where a lock screen or screensaver would cover it.
    let isOnDesktop: Bool
    private let socket: MessageSocket
    private let version: UInt16
    private let frames: MemoryFile
    private let back: MemoryFile
    private let writer: DescriptorRingWriter
    private let frameEvent: EventDescriptor
    private let state: Monitor<State>
    private let onChange: @Sendable (FrameAnswerWatch.Change) -> Void
    private let logger = Logger(label: "compositor")

    /// The number of formats that the compositor keeps.
    private static let formatLimit: UInt32 = 64

    /// Creates the sending end.
    ///
    /// - Parameters:
    ///   - version: The version of the protocol.
    ///   - answerPatience: The time limit for answers to frames, in nanoseconds; nil for the default.
    ///   - onChange: Called when the compositor stops answering frames, and when it answers again.
    init(
        session: UInt32, socket: MessageSocket, version: UInt16, isOnDesktop: Bool = false,
        answerPatience: Int64? = nil,
        onChange: @escaping @Sendable (FrameAnswerWatch.Change) -> Void = { _ in }
    ) throws(SystemCallError) {
        self.session = session
        self.onChange = onChange
        self.isOnDesktop = isOnDesktop
        self.version = version
        self.socket = socket
        frames = try MemoryFile(name: "swiftplay-ring", size: DescriptorRing.byteCount)
        back = try MemoryFile(name: "swiftplay-ring", size: DescriptorRing.byteCount)
        writer = try DescriptorRingWriter(frames)
        frameEvent = try EventDescriptor()
        var watch = FrameAnswerWatch()
        if let answerPatience { watch.patience = answerPatience }
        state = Monitor(State(releases: Ends(try DescriptorRingReader(back)), watch: watch))
    }

    /// Whether the compositor animates windows from the layer and back to it.
    package var knowsFlights: Bool { version >= ProtocolVersion.flights }

    /// Whether the compositor's windows have a volume control.
    package var knowsSound: Bool { version >= ProtocolVersion.sound }

    /// Whether the compositor's windows have a buffering indicator.
    package var knowsBuffering: Bool { version >= ProtocolVersion.buffering }

    /// The descriptors that are sent with `openSession`.
    var descriptors: [Int32] { [frames.descriptor.raw, back.descriptor.raw, frameEvent.raw] }

    /// Sends a frame.
    ///
    /// - Returns: False if it was refused, because the compositor is lost or holds too many frames.
    func push(_ frame: VideoFrame, due: Int64) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            Self.collect(&state)
            if state.isClosed { socket.shutdown() }
            guard !state.isClosed else { return false }
            // The frame was sent before: it is on screen, or the window does not show it yet.
            if state.held[frame.id] != nil { return true }
            if !state.held.isEmpty { state.watch.sent(at: MonotonicTime.now) }
            guard state.held.count < FrameEntry.inFlightLimit else { return false }
            do {
                try announce(frame, &state)
            } catch {
                // The reading thread detects the closed connection and notifies the handlers.
                state.isClosed = true
                socket.shutdown()
                return false
            }
            state.held[frame.id] = frame
            let format = state.formats[frame.format] ?? 0
            writer.push(
                FrameEntry(
                    frame: frame.id, slot: frame.buffer.slot.id, format: format,
                    presentationTime: frame.presentationTime, hostTime: due
                ).entry)
            frameEvent.signal()
            return true
        }
    }

    /// Takes back released frames, and returns whether the compositor has stopped or resumed answering since the last
    /// call.
    func checkAnswers() -> FrameAnswerWatch.Change? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            Self.collect(&state)
            return state.watch.check(at: MonotonicTime.now)
        }
    }

    /// Logs and reports a change. Must not be called under a lock.
    func report(_ change: FrameAnswerWatch.Change) {
        switch change {
        case .stalled:
            logger.warning(
                "swiftplay-compositor takes no frames: the picture is in the player's own place until it does")
        case .answered: logger.notice("swiftplay-compositor takes frames again")
        }
        onChange(change)
    }

    /// Sets the overlay of later frames. Sends nothing if it has not changed.
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
                try send(.overlay(session: session, shape: shape), [memory.descriptor.raw])
            } catch {
                // The reading thread detects the closed connection and notifies the handlers.
                state.isClosed = true
                socket.shutdown()
            }
        }
    }

    /// Clears the record of the overlay, so that it is sent again to a new window.
    func forgetOverlay() { state.withLock { $0.overlay = nil } }

    /// Announces memory and a format that the compositor does not know yet.
    private func announce(_ frame: VideoFrame, _ state: inout State) throws(SystemCallError) {
        let slot = frame.buffer.slot
        if state.slots[slot.id] == nil {
            for (id, weak) in state.slots where weak.slot == nil {
                state.slots[id] = nil
                try send(.dropSlot(session: session, slot: id))
            }
            let descriptor = try slot.descriptor()
            try send(.slot(session: session, slot: slot.id), [descriptor.raw])
            state.slots[slot.id] = WeakSlot(slot: slot)
        }
        if state.formats[frame.format] == nil {
            // Format numbers are reused. The frames of the replaced format have been released by then.
            let number = state.nextFormat % Self.formatLimit
            state.formats = state.formats.filter { $0.value != number }
            try send(.format(session: session, number: number, format: frame.format))
            state.formats[frame.format] = number
            state.nextFormat += 1
        }
    }

    private static func collect(_ state: inout State) {
        // If the counter that the compositor wrote is invalid, the picture closes and takes back all frames.
        do {
            while let entry = try state.releases.reader.pop() {
                state.held[ReleaseEntry(entry).frame] = nil
                state.watch.released()
            }
        } catch { state.isClosed = true }
        if state.isClosed { state.held = [:] }
    }

    /// Takes back released frames.
    func collect() { state.withLock { Self.collect(&$0) } }

    func send(_ message: ClientMessage, _ descriptors: [Int32] = []) throws(SystemCallError) {
        try socket.send(message.encoded, descriptors: descriptors)
    }

    /// Ends the picture: sends no more frames and takes back all frames.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.held = [:]
            state.slots = [:]
        }
    }
}
