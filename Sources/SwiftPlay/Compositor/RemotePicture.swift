import CompositorProtocol
import Logging
import SharedFrames
import SystemCalls
import WireFormat

/// The library's end of one picture's way to the compositor: descriptors go out through a ring, releases come back
/// through another. No pixel moves.
///
/// Frames are held until the compositor lets go of them, or is gone. Any thread.
package final class RemotePicture: Sendable {
    private struct State {
        /// Frames that the compositor has.
        var held: [UInt64: VideoFrame] = [:]
        /// Slots it knows, weakly: one that is gone from the pool is taken back.
        var slots: [UInt32: WeakSlot] = [:]
        var formats: [FrameFormat: UInt32] = [:]
        var nextFormat: UInt32 = 0
        var releases: Ends
        var isClosed = false
        var watch = FrameAnswerWatch()
        /// What the compositor lays over the frames.
        var overlay: OverlayPicture?
    }

    /// The reading end of the releases, which cannot be copied.
    private final class Ends {
        var reader: DescriptorRingReader
        init(_ reader: consuming DescriptorRingReader) { self.reader = reader }
    }

    private struct WeakSlot { weak var slot: FrameSlot? }

    let session: UInt32
    /// Its window is on the desktop: a lock screen or screensaver would cover it.
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

    /// Formats that the compositor keeps at once.
    private static let formatLimit: UInt32 = 64

    /// - Parameters:
    ///   - version: of the protocol that the compositor speaks.
    ///   - answerPatience: how long the compositor may take to answer a frame, nanoseconds; nil: as long as usual.
    ///   - onChange: called when the compositor ceases to answer frames, and when it answers again.
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

    /// The compositor's windows come from the layer's place and fly back to it.
    package var knowsFlights: Bool { version >= ProtocolVersion.flights }

    /// The compositor's windows have a volume control.
    package var knowsSound: Bool { version >= ProtocolVersion.sound }

    /// The compositor's windows show that the player waits for media.
    package var knowsBuffering: Bool { version >= ProtocolVersion.buffering }

    /// What goes with `openSession`.
    var descriptors: [Int32] { [frames.descriptor.raw, back.descriptor.raw, frameEvent.raw] }

    /// Hands a frame on.
    ///
    /// - Returns: false when it was not taken: the compositor is gone, or holds too many already.
    func push(_ frame: VideoFrame, due: Int64) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            Self.collect(&state)
            if state.isClosed { socket.shutdown() }
            guard !state.isClosed else { return false }
            // It was handed on before: it is on screen there, or waits for the window.
            if state.held[frame.id] != nil { return true }
            if !state.held.isEmpty { state.watch.sent(at: MonotonicTime.now) }
            guard state.held.count < FrameEntry.inFlightLimit else { return false }
            do {
                try announce(frame, &state)
            } catch {
                // The thread that reads sees the end and tells everyone.
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

    /// Takes back what the compositor has released, and returns whether it has begun or ceased to answer since the last
    /// call.
    func checkAnswers() -> FrameAnswerWatch.Change? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            Self.collect(&state)
            return state.watch.check(at: MonotonicTime.now)
        }
    }

    /// Logs and reports what ``checkAnswers()`` returned. Not to be called under a lock.
    func report(_ change: FrameAnswerWatch.Change) {
        switch change {
        case .stalled:
            logger.warning(
                "swiftplay-compositor takes no frames: the picture is in the player's own place until it does")
        case .answered: logger.notice("swiftplay-compositor takes frames again")
        }
        onChange(change)
    }

    /// Lays something over the frames that are pushed from now on; nothing is sent when it lies there already.
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
                // As a frame that cannot be sent.
                state.isClosed = true
                socket.shutdown()
            }
        }
    }

    /// The window is new: nothing lies over its frames.
    func forgetOverlay() { state.withLock { $0.overlay = nil } }

    /// Tells the compositor of memory and of a format that it has not seen yet.
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
            // Numbers come round again; frames of a format that old are long released.
            let number = state.nextFormat % Self.formatLimit
            state.formats = state.formats.filter { $0.value != number }
            try send(.format(session: session, number: number, format: frame.format))
            state.formats[frame.format] = number
            state.nextFormat += 1
        }
    }

    private static func collect(_ state: inout State) {
        // A compositor whose count ran away is broken: what it holds is ours again.
        do {
            while let entry = try state.releases.reader.pop() {
                state.held[ReleaseEntry(entry).frame] = nil
                state.watch.released()
            }
        } catch { state.isClosed = true }
        if state.isClosed { state.held = [:] }
    }

    /// Takes back what the compositor has let go of.
    func collect() { state.withLock { Self.collect(&$0) } }

    func send(_ message: ClientMessage, _ descriptors: [Int32] = []) throws(SystemCallError) {
        try socket.send(message.encoded, descriptors: descriptors)
    }

    /// The compositor is gone, or the session is: nothing is sent any more, and all frames are ours again.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.held = [:]
            state.slots = [:]
        }
    }
}
