import CompositorProtocol
import SharedFrames
import SystemCalls
import WireFormat

/// The frames of a Picture-in-Picture session: reading them from the ring, showing them, and releasing them to the
/// program.
extension PiPSession {
    /// Opens the surface for pictures of `format`. Returns a message with the size at which the pictures are drawn, or
    /// an empty array if the program does not need that size.
    private func open(_ format: FrameFormat) -> [ServerMessage] {
        guard let size = surface.open(format.displaySize, opening.request) else { return [] }
        return [.renderSize(session: number, width: UInt32(size.width), height: UInt32(size.height))]
    }

    /// Opens the surface with ``waitingFrame``, the newest frame that has arrived.
    ///
    /// Opening the surface and drawing the first frame takes some milliseconds. Meanwhile the program shows newer
    /// frames in its layer; showing an older frame over them would be a step back in time.
    ///
    /// - Parameter acceptsOutdatedFrame: Whether to show the waiting frame even if a newer frame has arrived.
    /// - Returns: The messages to the program, and `isDone`: false if a newer frame has arrived and must be shown
    ///   instead.
    /// - Throws: `MalformedMessage` if the frame names an unknown slot or format.
    func openWithNextFrame(
        acceptsOutdatedFrame: Bool
    ) throws(MalformedMessage) -> (messages: [ServerMessage], isDone: Bool) {
        var messages: [ServerMessage] = []
        if let entry = waitingFrame, !acceptsOutdatedFrame {
            if !surface.isOpen, let format = buffers.format(entry.format) { messages += open(format) }
            let result = try buffers.withPicture(entry) { picture, format in
                surface.showFirstFrame(picture, format: format) { ring.hasUnread }
            }
            switch result {
            case .unnecessary: break
            case .outdated: return (messages, false)
            case .shown(let time):
                (waitingFrame, opening.isPending) = (nil, false)
                currentFrame = CurrentFrame(entry: entry, shownAt: time)
                return (messages, true)
            }
        }
        opening.isPending = false
        guard let entry = waitingFrame.take() else { return (messages, true) }
        return (try messages + show(entry), true)
    }

    /// Reads frames from the ring and shows the newest. If the surface shows late frames, older frames are queued and
    /// shown first.
    ///
    /// - Parameter ringLength: The length of the ring before the program's messages were read. Later entries may name
    ///   slots and formats that later messages announce.
    /// - Returns: The messages to the program.
    /// - Throws: `MalformedMessage` if the ring or a frame is invalid.
    func readFrames(upTo ringLength: UInt64) throws(MalformedMessage) -> [ServerMessage] {
        var newFrames: [LateFrameQueue.LateFrame] = []
        do {
            while true {
                let isShownInLayer = ring.position >= returnState.ringLengthAtStart
                guard let entry = try ring.pop(upTo: ringLength) else { break }
                newFrames.append(LateFrameQueue.LateFrame(entry: FrameEntry(entry), isShownInLayer: isShownInLayer))
            }
        } catch { throw MalformedMessage("a frame ring reports more entries than it holds") }
        guard let newestEntry = newFrames.last?.entry else { return [] }
        let droppedEntries = lateFrames.add(newFrames)
        // The window may cover the program's layer as soon as its first picture is sent, before the X server reports
        // that the window is on screen.
        if opening.isStarted, surface.isOpen, surface.showsLateFrames, currentFrame != nil {
            for entry in droppedEntries { release(entry, shownAt: 0) }
            return try showNextLateFrame(now: MonotonicTime.now)
        }
        for entry in droppedEntries + lateFrames.removeAll().dropLast() { release(entry, shownAt: 0) }
        if let replacedEntry = waitingFrame.take() { release(replacedEntry, shownAt: 0) }
        guard opening.isStarted, !opening.isPending else {
            waitingFrame = newestEntry
            return []
        }
        return try show(newestEntry)
    }

    /// Shows the next late frame if it is due at `now` and can be drawn without waiting for the display.
    ///
    /// - Returns: The messages to the program.
    func showNextLateFrame(now: Int64) throws(MalformedMessage) -> [ServerMessage] {
        guard let dueTime = nextDueTime, now >= dueTime, canDraw(now: now) else { return [] }
        let isProgramLayerVisible = surface.isProgramLayerVisible
        if isProgramLayerVisible { for entry in lateFrames.removeFramesShownInLayer() { release(entry, shownAt: 0) } }
        guard let nextFrame = lateFrames.takeNextFrame(now: now) else { return [] }
        if !lateFrames.isEmpty, !isProgramLayerVisible { surface.finishAnimation() }
        let messages = try show(nextFrame)
        lateFrames.markShown(at: MonotonicTime.now)
        return messages
    }

    /// Shows a frame, and reports to the program that the previous frame is no longer used. Returns the messages to the
    /// program.
    private func show(_ entry: FrameEntry) throws(MalformedMessage) -> [ServerMessage] {
        let previousFrame = currentFrame
        currentFrame = CurrentFrame(entry: entry)
        var messages: [ServerMessage] = []
        if !surface.isOpen {
            guard let format = buffers.format(entry.format) else {
                throw MalformedMessage("a frame has a format that was not announced")
            }
            messages += open(format)
        }
        surface.didReceiveFrame(at: MonotonicTime.now)
        if canDraw(now: MonotonicTime.now) {
            currentFrame?.shownAt = try draw(entry)
            redrawState.isNeeded = false
        } else {
            redraw()
        }
        if let previousFrame { release(previousFrame.entry, shownAt: previousFrame.shownAt) }
        if surface.isExposed { messages += acknowledgeShownFrame() }
        return messages
    }

    /// Draws a frame.
    ///
    /// - Returns: The host time at which the frame was sent to the screen; 0 if it has not been sent yet.
    private func draw(_ entry: FrameEntry) throws(MalformedMessage) -> Int64 {
        try buffers.withPicture(entry) { surface.show($0, format: $1, frameNumber: entry.frame) } ?? 0
    }

    /// Records that a frame is on screen, and returns the message `shown` if the program waits for it.
    func didShow(_ frame: UInt64, now: Int64) -> [ServerMessage] {
        if frame == currentFrame?.entry.frame { currentFrame?.shownAt = now }
        return acknowledgeShownFrame(frame)
    }

    /// Called when the first drawn frame has become visible. Returns the message `shown` if the program waits for it.
    func surfaceDidBecomeVisible() -> [ServerMessage] { acknowledgeShownFrame() }

    /// Returns the message `shown` if the program waits for it and the frame is on screen; otherwise no message.
    private func acknowledgeShownFrame(_ frame: UInt64? = nil) -> [ServerMessage] {
        guard opening.awaitsFirstFrame, !needsRedraw, let currentFrame else { return [] }
        // When the program receives this message, it stops showing frames in its own layer, so the frame must be on
        // screen.
        guard surface.waitUntilProcessed() else { return [] }
        opening.awaitsFirstFrame = false
        return [.shown(session: number, frame: frame ?? currentFrame.entry.frame)]
    }

    /// Redraws the current frame if a redraw was requested in this iteration of the thread's loop.
    ///
    /// - Returns: The messages to the program.
    func redrawIfNeeded(now: Int64) throws(MalformedMessage) -> [ServerMessage] {
        guard needsRedraw else { return [] }
        guard surface.isOpen, let currentFrame else {
            redrawState.isNeeded = false
            return []
        }
        guard canDraw(now: now) else { return [] }
        redrawState.isNeeded = false
        let shownAt = try draw(currentFrame.entry)
        if currentFrame.shownAt == 0 { self.currentFrame?.shownAt = shownAt }
        return surface.isExposed ? acknowledgeShownFrame() : []
    }

    /// Returns whether a picture can be drawn without waiting for the display. If not, drawing is retried after the
    /// next event of the display, and after ``retryInterval``.
    private func canDraw(now: Int64) -> Bool {
        guard !surface.isReady else {
            redrawState.retryTime = nil
            return true
        }
        redrawState.retryTime = now + Self.retryInterval
        return false
    }

    /// Nanoseconds between two attempts to draw while the display sends no events.
    private static let retryInterval: Int64 = 100_000_000
}
