import CompositorProtocol
import SharedFrames
import SystemCalls
import VideoOutput
import WireFormat

/// The way of a frame: out of the ring, into the window, and back to the program.
extension PiPSession {
    /// Makes the window for a picture of a format.
    private func open(_ format: FrameFormat) -> [ServerMessage] {
        guard let connection, window == nil else { return [] }
        let made = PiPWindow(connection: connection, picture: format.displaySize, opening: opening)
        (made.facts, made.sound) = (facts, sound)
        made.overlay = overlay
        made.isLinear = isLinear
        _ = made.setBuffering(isBuffering, now: MonotonicTime.now)
        // With its first picture, which is then the first thing seen.
        made.map()
        window = made
        return [.renderSize(session: key.session, width: UInt32(made.size.width), height: UInt32(made.size.height))]
    }

    /// Opens the window with the frame that waited for the start. What comes while the window is made and its first picture drawn, which takes
    /// some milliseconds, is seen at the layer by then: an older one over it would be a step back.
    ///
    /// - Returns: what the program is told; and whether it is shown, or a newer one is to be taken and shown in its stead.
    func openNext(whateverCame: Bool) throws(MalformedMessage) -> (messages: [ServerMessage], isDone: Bool) {
        var messages: [ServerMessage] = []
        if let connection, let entry = waiting, !whateverCame {
            if window == nil, let format = slots.format(entry.format) { messages += open(format) }
            if let flight = window?.flight?.window {
                try slots.withPicture(entry) { flight.prepare($0, format: $1, overlay: overlay) }
                guard !ring.hasUnread else { return (messages, false) }
                // The program writes into the ring before it draws: what is not there while nobody else draws is not on screen.
                let shown = connection.withServerGrabbed { ring.hasUnread ? nil : flight.putFirst() }
                guard let shown else { return (messages, false) }
                (waiting, isOpening) = (nil, false)
                (current, currentShownAt) = (entry, shown)
                // While the server brings it on screen.
                try slots.withPicture(entry) { flight.warmUp($0, format: $1) }
                return (messages, true)
            }
        }
        isOpening = false
        guard let entry = waiting.take() else { return (messages, true) }
        return (try messages + show(entry), true)
    }

    /// Entries in the ring by now. What they name has been announced.
    func lookAtRing() -> UInt64 {
        frameEvent.drain()
        return ring.written
    }

    /// Takes what is in the ring and shows the newest of it; and before that those before it, where they come late: a frame that is seen for
    /// a moment is not lost.
    ///
    /// - Returns: what the program is told.
    /// - Parameter end: ``lookAtRing()`` from before the program's messages were read: what is announced after that look may be named
    ///   by entries after it.
    func takeFrames(upTo end: UInt64) throws(MalformedMessage) -> [ServerMessage] {
        var new: [FrameBacklog.Late] = []
        do {
            while true {
                let isAtLayer = ring.position >= fedAloneUntil
                guard let entry = try ring.pop(upTo: end) else { break }
                new.append(FrameBacklog.Late(entry: FrameEntry(entry), isAtLayer: isAtLayer))
            }
        } catch { throw MalformedMessage("a ring that claims more than it holds") }
        noteLook(foundFrames: !new.isEmpty, now: MonotonicTime.now)
        guard let newest = new.last?.entry else { return [] }
        let passed = backlog.add(new)
        // From its first picture on the window may cover the layer, before the server has said so.
        if isStarted, window != nil, current != nil {
            for entry in passed { release(entry, shownAt: 0) }
            return try showNext(now: MonotonicTime.now)
        }
        for entry in passed + backlog.removeAll().dropLast() { release(entry, shownAt: 0) }
        if let passed = waiting.take() { release(passed, shownAt: 0) }
        guard isStarted, !isOpening else {
            waiting = newest
            return []
        }
        return try show(newest)
    }

    /// Shows the next frame of the backlog if it is due by `now` and can be drawn without waiting for the server.
    func showNext(now: Int64) throws(MalformedMessage) -> [ServerMessage] {
        guard let due = heldUntil, now >= due, canDraw(now: now) else { return [] }
        let isLayerInView = window?.isLayerInView == true
        if isLayerInView { for entry in backlog.passOverSeen() { release(entry, shownAt: 0) } }
        guard let next = backlog.next(now: now) else { return [] }
        if !backlog.isEmpty, !isLayerInView, window?.isExposed == true { window?.flight?.window.hurry() }
        let messages = try show(next)
        backlog.shown(at: MonotonicTime.now)
        return messages
    }

    private func show(_ entry: FrameEntry) throws(MalformedMessage) -> [ServerMessage] {
        let previous = current, previousShownAt = currentShownAt
        current = entry
        var messages: [ServerMessage] = []
        if let terminal {
            currentShownAt = 0
            try slots.withPicture(entry) { terminal.show($0, $1, frame: entry.frame) }
            if let previous { release(previous, shownAt: previousShownAt) }
            // Written in its turn: see `proceed`.
            return []
        }
        guard connection != nil else {
            // Without a display the frame counts as seen when its time has come: now.
            currentShownAt = try slots.withPicture(entry) { _, _ in MonotonicTime.now }
            messages += acknowledge()
            if let previous { release(previous, shownAt: previousShownAt) }
            return messages
        }
        if window == nil {
            guard let format = slots.format(entry.format) else { throw MalformedMessage("a frame of a format that was not announced") }
            messages += open(format)
        }
        guard let window else { return messages }
        window.busy.noteFrame(at: MonotonicTime.now)
        currentShownAt = 0
        if canDraw(now: MonotonicTime.now) {
            currentShownAt = try slots.withPicture(entry) { window.show($0, format: $1) } ?? 0
            needsRedraw = false
        } else {
            redraw()
        }
        if let previous { release(previous, shownAt: previousShownAt) }
        if window.isExposed { messages += acknowledge() }
        return messages
    }

    /// Writes what a terminal takes, and what is missing in cells that were given to us.
    ///
    /// - Returns: what the program is told; `sessionFailed` when its terminal is gone.
    func proceed(now: Int64) throws(MalformedMessage) -> [ServerMessage] {
        guard let terminal, let current else { return [] }
        var messages: [ServerMessage] = []
        // A program that changes its mind all the time does not keep the others waiting.
        for _ in 0..<4 {
            switch terminal.proceed(now: now) {
            case .idle: return messages
            case .needsPainting: try slots.withPicture(current) { terminal.show($0, $1, frame: current.frame) }
            case .shown(let frame):
                if frame == current.frame { currentShownAt = MonotonicTime.now }
                messages += acknowledge(frame)
            case .lost(let reason): return messages + [.sessionFailed(session: key.session, reason: reason)]
            }
        }
        return messages
    }

    /// The window is on screen and painted.
    func exposed() -> [ServerMessage] { acknowledge() }

    private func acknowledge(_ frame: UInt64? = nil) -> [ServerMessage] {
        guard awaitsShown, !needsRedraw, let current else { return [] }
        // The program stops showing the frame elsewhere when it hears this: it must be true.
        if let connection, !connection.sync() { return [] }
        awaitsShown = false
        return [.shown(session: key.session, frame: frame ?? current.frame)]
    }

    /// Draws the frame on screen once more where that was asked for in this turn.
    ///
    /// - Returns: what the program is told.
    func drawPending(now: Int64) throws(MalformedMessage) -> [ServerMessage] {
        guard needsRedraw else { return [] }
        guard let window, let current else {
            needsRedraw = false
            return []
        }
        guard canDraw(now: now) else { return [] }
        needsRedraw = false
        let shownAt = try slots.withPicture(current) { window.show($0, format: $1) }
        if currentShownAt == 0 { currentShownAt = shownAt ?? 0 }
        return window.isExposed ? acknowledge() : []
    }

    /// Whether a picture can be drawn without waiting for the X server. If not, drawing is tried again when the server
    /// says so, and after ``retryInterval``.
    private func canDraw(now: Int64) -> Bool {
        guard let window, !window.isReady else {
            retryAt = nil
            return true
        }
        retryAt = now + Self.retryInterval
        return false
    }

    /// Nanoseconds between two attempts to draw while the server is silent.
    private static let retryInterval: Int64 = 100_000_000
}
