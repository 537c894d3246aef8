import CompositorProtocol
import SharedFrames
import SystemCalls
import VideoOutput
import WireFormat

/// One picture of one program that may float: its ring, its memory, and its window while it has one. The compositor's one thread.
final class PiPSession {
    let key: SessionKey
    let surface: ClientMessage.Surface
    let connection: XConnection?
    /// Where the picture is seen in a terminal; nil elsewhere.
    let terminal: TerminalWindow?
    private var slots = SlotTable()
    private var ring: DescriptorRingReader
    private let releases: DescriptorRingWriter
    private let frameEvent: EventDescriptor
    private(set) var window: PiPWindow?
    /// What came while the ones before it were late.
    private var backlog = FrameBacklog()
    /// How many entries the ring had when the picture began to fly back: those after them are seen at the layer, too.
    private var fedAloneUntil = UInt64.max
    /// When its picture came back to the program's window.
    private var landedAt: Int64?
    /// Nanoseconds for which a picture that has landed stays for what is late.
    private static let landingPatience: Int64 = 50_000_000
    private var overlay: SharedOverlay?
    private var facts = PlaybackFacts(isPaused: false, position: 0, duration: 0)
    private var sound: SoundFacts?
    private var isLinear = false
    /// The frame that is (to be) seen. Held until the next one is on screen.
    private var current: FrameEntry?
    private var currentShownAt: Int64 = 0
    var currentFrame: UInt64? { current?.frame }
    /// A window was asked for and the program waits to hear that its first frame is seen.
    private(set) var awaitsShown = false
    private(set) var isStarted = false
    /// When a window whose close button was pressed goes, whatever its program does: one that hangs does nothing. Host time.
    var closesAt: Int64?
    private var opening = PiPWindow.Opening()
    /// The window is not made, or has no picture yet.
    private var isOpening = false
    /// The newest frame that came before the first is seen: that one.
    private var waiting: FrameEntry?

    /// - Parameter descriptors: ring of frames, ring of releases, event of frames.
    init(
        key: SessionKey, surface: ClientMessage.Surface, connection: XConnection?, terminal: TerminalWindow? = nil, descriptors: [SharedDescriptor]
    ) throws(MalformedMessage) {
        guard descriptors.count >= 3 else { throw MalformedMessage("a session without its three descriptors") }
        self.key = key
        self.surface = surface
        self.connection = connection
        self.terminal = terminal
        do {
            let limit = 1 << 20
            let frames = try MemoryFile(
                received: FileDescriptor(duplicating: descriptors[0].raw), minimumSize: DescriptorRing.byteCount, maximumSize: limit)
            let back = try MemoryFile(
                received: FileDescriptor(duplicating: descriptors[1].raw), minimumSize: DescriptorRing.byteCount, maximumSize: limit)
            ring = try DescriptorRingReader(frames)
            releases = try DescriptorRingWriter(back)
            frameEvent = try EventDescriptor(received: FileDescriptor(duplicating: descriptors[2].raw))
        } catch { throw MalformedMessage("\(error)") }
    }

    var frameDescriptor: Int32 { frameEvent.raw }

    func add(slot: UInt32, descriptor: SharedDescriptor) throws(MalformedMessage) {
        let own: FileDescriptor
        do {
            own = try FileDescriptor(duplicating: descriptor.raw)
        } catch { throw MalformedMessage("\(error)") }
        try slots.add(slot: slot, descriptor: own)
    }

    func drop(slot: UInt32) {
        // The frame on screen may not be drawn anew from memory that is gone.
        if current?.slot == slot { letGo() }
        if let entry = waiting, entry.slot == slot {
            waiting = nil
            release(entry, shownAt: 0)
        }
        for entry in backlog.removeAll(in: slot) { release(entry, shownAt: 0) }
        slots.drop(slot: slot)
    }

    func set(format: UInt32, _ value: FrameFormat) throws(MalformedMessage) { try slots.set(format: format, value) }

    func set(_ facts: PlaybackFacts) throws(MalformedMessage) {
        self.facts = facts
        window?.facts = facts
        if window != nil, facts.isPaused { try redraw() }
    }

    func set(_ sound: SoundFacts) throws(MalformedMessage) {
        self.sound = sound
        window?.sound = sound
        if window != nil, facts.isPaused { try redraw() }
    }

    /// Whether the controls are without skipping and seeking.
    func set(isLinear: Bool) throws(MalformedMessage) {
        self.isLinear = isLinear
        window?.isLinear = isLinear
        if window != nil { try redraw() }
    }

    /// What lies over the frames from now on.
    func set(_ overlay: SharedOverlay?) throws(MalformedMessage) {
        self.overlay = overlay
        window?.overlay = overlay
        // While it plays the next frame brings it, at its own time.
        if window != nil, facts.isPaused { try redraw() }
    }

    /// A window is to be opened: ``openNext(whateverCame:)`` does.
    func start(_ opening: PiPWindow.Opening) {
        (isStarted, isOpening) = (true, true)
        awaitsShown = true
        self.opening = opening
    }

    /// Makes the window for a picture of a format.
    private func open(_ format: FrameFormat) -> [ServerMessage] {
        guard let connection, window == nil else { return [] }
        let made = PiPWindow(connection: connection, picture: format.displaySize, opening: opening)
        (made.facts, made.sound) = (facts, sound)
        made.overlay = overlay
        made.isLinear = isLinear
        // With its first picture, which is then the first thing seen.
        made.map()
        window = made
        return [.renderSize(session: key.session, width: UInt32(made.size.width), height: UInt32(made.size.height))]
    }

    /// Takes its window off the screen for a time, and puts it there again.
    func setSuspended(_ isSuspended: Bool) throws(MalformedMessage) {
        guard let window else { return }
        window.setSuspended(isSuspended)
        if !isSuspended { try redraw() }
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

    func stop() {
        if let waiting = waiting.take() { release(waiting, shownAt: 0) }
        for entry in backlog.removeAll() { release(entry, shownAt: 0) }
        (isStarted, isOpening) = (false, false)
        awaitsShown = false
        closesAt = nil
        landedAt = nil
        fedAloneUntil = .max
        window = nil
        terminal?.stop()
        overlay = nil
        letGo()
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

    /// When the next frame that waits for the one before it to be seen is due.
    var heldUntil: Int64? { backlog.heldUntil }

    /// The picture begins to fly back: the program shows at its layer, too, what it sends from now on.
    func beginReturn() { fedAloneUntil = ring.written }

    /// The picture is where the program shows it again.
    func land(now: Int64) { landedAt = landedAt ?? now }

    var hasLanded: Bool { landedAt != nil }

    /// The window may go: what came late has been seen in it. Nobody would see it below: newer ones are there by now.
    func isDone(now: Int64) -> Bool {
        guard let landedAt else { return false }
        return backlog.isEmpty || now >= landedAt + Self.landingPatience
    }

    /// When it has something to do next.
    var nextTick: Int64? { [hasLanded ? nil : window?.nextTick, terminal?.nextTick, closesAt, heldUntil].compactMap { $0 }.min() }

    /// Shows it, where that is so by `now`.
    func showNext(now: Int64) throws(MalformedMessage) -> [ServerMessage] {
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
        currentShownAt = try slots.withPicture(entry) { window.show($0, format: $1) } ?? 0
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
        guard awaitsShown, let current else { return [] }
        // The program stops showing the frame elsewhere when it hears this: it must be true.
        if let connection, !connection.sync() { return [] }
        awaitsShown = false
        return [.shown(session: key.session, frame: frame ?? current.frame)]
    }

    /// Draws the frame on screen once more: size or controls changed.
    func redraw() throws(MalformedMessage) {
        guard let window, let current else { return }
        _ = try slots.withPicture(current) { window.show($0, format: $1) }
    }

    private func letGo() {
        if let current { release(current, shownAt: currentShownAt) }
        current = nil
        currentShownAt = 0
    }

    private func release(_ entry: FrameEntry, shownAt: Int64) {
        releases.push(ReleaseEntry(frame: entry.frame, shownAt: shownAt).entry)
    }
}
