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
    var slots = SlotTable()
    var ring: DescriptorRingReader
    private let releases: DescriptorRingWriter
    let frameEvent: EventDescriptor
    var window: PiPWindow?
    /// What came while the ones before it were late.
    var backlog = FrameBacklog()
    /// How many entries the ring had when the picture began to fly back: those after them are seen at the layer, too.
    var fedAloneUntil = UInt64.max
    /// When its picture came back to the program's window.
    private var landedAt: Int64?
    /// Nanoseconds for which a picture that has landed stays for what is late.
    private static let landingPatience: Int64 = 50_000_000
    var overlay: SharedOverlay?
    var facts = PlaybackFacts(isPaused: false, position: 0, duration: 0)
    var sound: SoundFacts?
    var isLinear = false
    var isBuffering = false
    /// The frame that is (to be) seen. Held until the next one is on screen.
    var current: FrameEntry?
    var currentShownAt: Int64 = 0
    var currentFrame: UInt64? { current?.frame }
    /// A window was asked for and the program waits to hear that its first frame is seen.
    var awaitsShown = false
    private(set) var isStarted = false
    /// When a window whose close button was pressed goes, whatever its program does: one that hangs does nothing. Host time.
    var closesAt: Int64?
    var opening = PiPWindow.Opening()
    /// The window is not made, or has no picture yet.
    var isOpening = false
    /// The newest frame that came before the first is seen: that one.
    var waiting: FrameEntry?
    /// The picture on screen has to be drawn once more: ``drawPending(now:)`` does, once in a turn.
    var needsRedraw = false
    /// When drawing is tried again, though the server has not said that it can be; nil while the server is not waited for.
    var retryAt: Int64?
    /// Looks at the ring, one after another, that found no frame.
    private var emptyLooks = 0
    /// Until when the event of frames is not polled; host time.
    private var restsUntil: Int64?
    /// The event of frames was seen, and the ring is still to be read.
    var hasUnreadFrames = false

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

    /// The descriptor that becomes readable with new frames; -1 while the session rests after signals without frames.
    func frameDescriptor(now: Int64) -> Int32 {
        if let end = restsUntil, now >= end { restsUntil = nil }
        return restsUntil == nil ? frameEvent.raw : -1
    }

    /// Counts a look at the ring. A program's event may be readable for ever (a semaphore with a huge count, say): after
    /// many looks that found no frame it is polled only once in ``rest``.
    func noteLook(foundFrames: Bool, now: Int64) {
        emptyLooks = foundFrames ? 0 : emptyLooks + 1
        if emptyLooks >= Self.emptyLookLimit { restsUntil = now + Self.rest }
    }

    private static let emptyLookLimit = 16
    /// Nanoseconds.
    private static let rest: Int64 = 20_000_000

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

    func set(_ facts: PlaybackFacts) {
        self.facts = facts
        window?.facts = facts
        if facts.isPaused { redraw() }
    }

    func set(_ sound: SoundFacts) {
        self.sound = sound
        window?.sound = sound
        if facts.isPaused { redraw() }
    }

    /// Whether the controls are without skipping and seeking.
    func set(isLinear: Bool) {
        self.isLinear = isLinear
        window?.isLinear = isLinear
        redraw()
    }

    /// Whether the program waits for media.
    func set(isBuffering: Bool) {
        self.isBuffering = isBuffering
        if window?.setBuffering(isBuffering, now: MonotonicTime.now) == true { redraw() }
    }

    /// What lies over the frames from now on.
    func set(_ overlay: SharedOverlay?) {
        self.overlay = overlay
        window?.overlay = overlay
        // While it plays the next frame brings it, at its own time.
        if facts.isPaused { redraw() }
    }

    /// Has the picture on screen drawn once more at the end of this turn: its size, controls or overlay changed.
    func redraw() { needsRedraw = window != nil && current != nil }

    /// A window is to be opened: ``openNext(whateverCame:)`` does.
    func start(_ opening: PiPWindow.Opening) {
        (isStarted, isOpening) = (true, true)
        awaitsShown = true
        self.opening = opening
    }

    /// Takes its window off the screen for a time, and puts it there again.
    func setSuspended(_ isSuspended: Bool) {
        guard let window else { return }
        window.setSuspended(isSuspended)
        if !isSuspended { redraw() }
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
        (needsRedraw, retryAt) = (false, nil)
        terminal?.stop()
        overlay = nil
        letGo()
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

    /// When it has something to do next; host time.
    var nextTick: Int64? {
        let landing = landedAt.map { $0 + Self.landingPatience }
        return [landing ?? window?.nextTick, terminal?.nextTick, closesAt, nextDrawing, restsUntil].compactMap { $0 }.min()
    }

    /// When a picture is to be drawn. An answer of the server comes earlier than ``retryAt``, and wakes the loop.
    private var nextDrawing: Int64? {
        guard needsRedraw || !backlog.isEmpty else { return nil }
        let due = needsRedraw ? 0 : heldUntil ?? 0
        guard let retryAt, window?.isReady == false else { return due }
        return max(retryAt, due)
    }

    func letGo() {
        if let current { release(current, shownAt: currentShownAt) }
        current = nil
        currentShownAt = 0
    }

    func release(_ entry: FrameEntry, shownAt: Int64) {
        releases.push(ReleaseEntry(frame: entry.frame, shownAt: shownAt).entry)
    }
}
