import CompositorProtocol
import SharedFrames
import SystemCalls
import WireFormat

/// The way of a frame: out of the ring, onto the surface, and back to the program.
extension PiPSession {
    /// Opens the surface for a picture of a format.
    private func open(_ format: FrameFormat) -> [ServerMessage] {
        guard let size = surface.open(format.displaySize, opening.request) else { return [] }
        return [.renderSize(session: number, width: UInt32(size.width), height: UInt32(size.height))]
    }

    /// Opens the surface with the frame that waits for the start. Opening it and drawing the first frame takes some
    /// milliseconds. The program shows newer frames at its layer meanwhile: an older one over them would be a step
    /// back.
    ///
    /// - Parameter whateverCame: the waiting frame is shown even if a newer one has arrived.
    /// - Returns: messages to the program; and false when a newer frame is to be shown instead.
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

    /// Takes frames out of the ring and shows the newest; before that the ones before it, if they are late and the
    /// surface shows late frames.
    ///
    /// - Parameter end: the length of the ring when the program's messages had not been read yet: entries after it may
    ///   name slots and formats that are announced in later messages.
    /// - Returns: messages to the program.
    func takeFrames(upTo end: UInt64) throws(MalformedMessage) -> [ServerMessage] {
        var new: [FrameBacklog.Late] = []
        do {
            while true {
                let isAtLayer = ring.position >= flight.fedAloneUntil
                guard let entry = try ring.pop(upTo: end) else { break }
                new.append(FrameBacklog.Late(entry: FrameEntry(entry), isAtLayer: isAtLayer))
            }
        } catch { throw MalformedMessage("a ring that claims more than it holds") }
        guard let newest = new.last?.entry else { return [] }
        let passed = backlog.add(new)
        // From its first picture on the window may cover the layer, before the server has said so.
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
                throw MalformedMessage("a frame of a format that was not announced")
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

    /// - Returns: the host time at which the frame was given to the screen; 0: it was not yet.
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

    /// Draws the frame on screen once more where that was asked for in this turn.
    ///
    /// - Returns: messages to the program.
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

    /// Whether a picture can be drawn without waiting for the display. If not, drawing is tried again when the display
    /// says so, and after ``retryInterval``.
    private func canDraw(now: Int64) -> Bool {
        guard !surface.isReady else {
            redrawing.retryAt = nil
            return true
        }
        redrawing.retryAt = now + Self.retryInterval
        return false
    }

    /// Nanoseconds between two attempts to draw while the display is silent.
    private static let retryInterval: Int64 = 100_000_000
}
