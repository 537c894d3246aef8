import CompositorProtocol
import SharedFrames
import SystemCalls
import WireFormat

/// The frames of a session: reading them from the ring, showing them, and releasing them to the program.
extension PiPSession {
    /// Opens the surface for a picture of a format.
    private func open(_ format: FrameFormat) -> [ServerMessage] {
        guard let size = surface.open(format.displaySize, opening.request) else { return [] }
        return [.renderSize(session: number, width: UInt32(size.width), height: UInt32(size.height))]
    }

    /// Opens the surface with the frame that waits for the start.
    ///
    /// Opening the surface and drawing the first frame takes some milliseconds. Meanwhile the program shows newer
    /// frames in its layer; showing an older frame over them would be a step back in time.
    ///
    /// - Parameter whateverCame: Whether to show the waiting frame even if a newer one has arrived.
    /// - Returns: The messages to the program, and false if a newer frame must be shown instead.
    /// - Throws: `MalformedMessage` if the frame names an unknown slot or format.
    func openNext(whateverCame: Bool) throws(MalformedMessage) -> (messages: [ServerMessage], isDone: Bool) {
        var messages: [ServerMessage] = []
        if let entry = waiting, !whateverCame {
            if !surface.isOpen, let format = slots.format(entry.format) { messages += open(format) }
            let result = try slots.withPicture(entry) { picture, format in
                surface.showFirst(picture, format: format) { ring.hasUnread }
            }
            switch result {
            case .unnecessary: break
            case .outdated: return (messages, false)
            case .shown(let time):
                (waiting, opening.isPending) = (nil, false)
                current = Shown(entry: entry, shownAt: time)
                return (messages, true)
            }
        }
        opening.isPending = false
        guard let entry = waiting.take() else { return (messages, true) }
        return (try messages + show(entry), true)
    }

    /// Reads frames from the ring and shows the newest. If the surface shows late frames, older frames are queued and
    /// shown first.
    ///
    /// - Parameter end: The length of the ring before the program's messages were read. Later entries may name slots
    ///   and formats that later messages announce.
    /// - Returns: The messages to the program.
    /// - Throws: `MalformedMessage` if the ring or a frame is invalid.
    func takeFrames(upTo end: UInt64) throws(MalformedMessage) -> [ServerMessage] {
        var new: [FrameBacklog.Late] = []
        do {
            while true {
                let isAtLayer = ring.position >= flight.fedAloneUntil
                guard let entry = try ring.pop(upTo: end) else { break }
                new.append(FrameBacklog.Late(entry: FrameEntry(entry), isAtLayer: isAtLayer))
            }
        } catch { throw MalformedMessage("a frame ring reports more entries than it holds") }
        guard let newest = new.last?.entry else { return [] }
        let passed = backlog.add(new)
        // The window may cover the program's layer from its first picture on, before the X server reports that.
        if opening.isStarted, surface.isOpen, surface.showsLateFrames, current != nil {
            for entry in passed { release(entry, shownAt: 0) }
            return try showNext(now: MonotonicTime.now)
        }
        for entry in passed + backlog.removeAll().dropLast() { release(entry, shownAt: 0) }
        if let passed = waiting.take() { release(passed, shownAt: 0) }
        guard opening.isStarted, !opening.isPending else {
            waiting = newest
            return []
        }
        return try show(newest)
    }

    /// Shows the next late frame if it is due by `now` and can be drawn without waiting for the display.
    ///
    /// - Returns: The messages to the program.
    func showNext(now: Int64) throws(MalformedMessage) -> [ServerMessage] {
        guard let due = heldUntil, now >= due, canDraw(now: now) else { return [] }
        let isLayerInView = surface.isLayerInView
        if isLayerInView { for entry in backlog.passOverSeen() { release(entry, shownAt: 0) } }
        guard let next = backlog.next(now: now) else { return [] }
        if !backlog.isEmpty, !isLayerInView { surface.hurry() }
        let messages = try show(next)
        backlog.shown(at: MonotonicTime.now)
        return messages
    }

    private func show(_ entry: FrameEntry) throws(MalformedMessage) -> [ServerMessage] {
        let previous = current
        current = Shown(entry: entry)
        var messages: [ServerMessage] = []
        if !surface.isOpen {
            guard let format = slots.format(entry.format) else {
                throw MalformedMessage("a frame has a format that was not announced")
            }
            messages += open(format)
        }
        surface.noteFrame(at: MonotonicTime.now)
        if canDraw(now: MonotonicTime.now) {
            current?.shownAt = try draw(entry)
            redrawing.isNeeded = false
        } else {
            redraw()
        }
        if let previous { release(previous.entry, shownAt: previous.shownAt) }
        if surface.isExposed { messages += acknowledge() }
        return messages
    }

    /// - Returns: The host time at which the frame was given to the screen; 0 if it was not yet.
    private func draw(_ entry: FrameEntry) throws(MalformedMessage) -> Int64 {
        try slots.withPicture(entry) { surface.show($0, format: $1, frame: entry.frame) } ?? 0
    }

    /// Notes that a frame is on screen.
    func noteShown(_ frame: UInt64, now: Int64) -> [ServerMessage] {
        if frame == current?.entry.frame { current?.shownAt = now }
        return acknowledge(frame)
    }

    /// Notes that the surface is on screen and painted.
    func exposed() -> [ServerMessage] { acknowledge() }

    private func acknowledge(_ frame: UInt64? = nil) -> [ServerMessage] {
        guard opening.awaitsShown, !needsRedraw, let current else { return [] }
        // The program stops showing the frame elsewhere when it receives this: the frame must be on screen.
        guard surface.confirm() else { return [] }
        opening.awaitsShown = false
        return [.shown(session: number, frame: frame ?? current.entry.frame)]
    }

    /// Redraws the current frame if that was requested in this turn.
    ///
    /// - Returns: The messages to the program.
    func drawPending(now: Int64) throws(MalformedMessage) -> [ServerMessage] {
        guard needsRedraw else { return [] }
        guard surface.isOpen, let current else {
            redrawing.isNeeded = false
            return []
        }
        guard canDraw(now: now) else { return [] }
        redrawing.isNeeded = false
        let shownAt = try draw(current.entry)
        if current.shownAt == 0 { self.current?.shownAt = shownAt }
        return surface.isExposed ? acknowledge() : []
    }

    /// Returns whether a picture can be drawn without waiting for the display. If not, drawing is retried after the
    /// next event of the display, and after ``retryInterval``.
    private func canDraw(now: Int64) -> Bool {
        guard !surface.isReady else {
            redrawing.retryAt = nil
            return true
        }
        redrawing.retryAt = now + Self.retryInterval
        return false
    }

    /// Nanoseconds between two attempts to draw while the display sends no events.
    private static let retryInterval: Int64 = 100_000_000
}
