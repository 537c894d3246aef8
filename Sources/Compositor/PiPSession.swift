import CompositorProtocol
import SharedFrames
import SystemCalls
import WireFormat

/// One picture of one program that may float: its ring, its memory, and the surface that shows it. Used by the
/// surface's thread.
final class PiPSession {
    let surface: any FloatingSurface
    /// The session's number in messages to its program.
    let number: UInt32
    var slots = SlotTable()
    var ring: DescriptorRingReader
    private let releases: DescriptorRingWriter
    /// Frames that arrived while the ones before them were late.
    var backlog = FrameBacklog()
    var opening = Opening()
    var flight = Return()
    var current: Shown?
    /// Host time at which a window whose close button was pressed is closed, whatever its program does.
    var closesAt: Int64?
    /// The newest frame that arrived before the first one was shown.
    var waiting: FrameEntry?
    var redrawing = Redraw()

    /// - Parameter descriptors: ring of frames, ring of releases.
    init(number: UInt32, surface: any FloatingSurface, descriptors: [SharedDescriptor]) throws(MalformedMessage) {
        guard descriptors.count >= 2 else { throw MalformedMessage("a session without its descriptors") }
        (self.number, self.surface) = (number, surface)
        do {
            ring = try FrameFeed.ring(descriptors[0])
            let back = try MemoryFile(
                received: FileDescriptor(duplicating: descriptors[1].raw), minimumSize: DescriptorRing.byteCount,
                maximumSize: FrameFeed.ringByteLimit)
            releases = try DescriptorRingWriter(back)
        } catch { throw MalformedMessage("\(error)") }
    }

    var currentFrame: UInt64? { current?.entry.frame }
    var needsRedraw: Bool { redrawing.isNeeded }

    func add(slot: UInt32, descriptor: SharedDescriptor) throws(MalformedMessage) {
        let own: FileDescriptor
        do {
            own = try FileDescriptor(duplicating: descriptor.raw)
        } catch { throw MalformedMessage("\(error)") }
        try slots.add(slot: slot, descriptor: own)
    }

    func drop(slot: UInt32) {
        // The frame on screen may not be drawn anew from memory that is gone.
        if current?.entry.slot == slot { letGo() }
        if let entry = waiting, entry.slot == slot {
            waiting = nil
            release(entry, shownAt: 0)
        }
        for entry in backlog.removeAll(in: slot) { release(entry, shownAt: 0) }
        slots.drop(slot: slot)
    }

    func set(format: UInt32, _ value: FrameFormat) throws(MalformedMessage) { try slots.set(format: format, value) }

    func set(_ playback: PlaybackFacts) {
        surface.content.playback = playback
        redrawIfPaused()
    }

    func set(_ sound: SoundFacts) {
        surface.content.sound = sound
        redrawIfPaused()
    }

    /// Sets whether the controls are without skipping and seeking.
    func set(isLinear: Bool) {
        surface.content.isLinear = isLinear
        if surface.drawsControls { redraw() }
    }

    /// Sets whether the program waits for media.
    func set(isBuffering: Bool) {
        if surface.setBuffering(isBuffering, now: MonotonicTime.now) { redraw() }
    }

    /// Sets what lies over the frames from now on.
    func set(_ overlay: SharedOverlay?) {
        surface.content.overlay = overlay
        redrawIfPaused()
    }

    /// While the program plays, the next frame brings new controls and a new overlay at its own time.
    private func redrawIfPaused() {
        if surface.content.playback.isPaused, surface.drawsControls { redraw() }
    }

    /// Has the frame on screen drawn once more at the end of this turn.
    func redraw() { redrawing.isNeeded = surface.isOpen && current != nil }

    /// Has the surface opened with the next frames: ``openNext(whateverCame:)`` does so.
    func start(_ request: FloatingOpening) { opening = .begin(request) }

    /// Takes the surface off the screen for a time, or puts it back.
    func setSuspended(_ isSuspended: Bool) {
        guard surface.isOpen else { return }
        surface.setSuspended(isSuspended)
        if !isSuspended, surface.drawsControls { redraw() }
    }

    func stop() {
        if let waiting = waiting.take() { release(waiting, shownAt: 0) }
        for entry in backlog.removeAll() { release(entry, shownAt: 0) }
        (opening, flight, redrawing) = (Opening(), Return(), Redraw())
        closesAt = nil
        surface.close()
        surface.content.overlay = nil
        letGo()
    }

    /// Host time at which the next late frame is due.
    var heldUntil: Int64? { backlog.heldUntil }

    /// Begins the flight back: the program shows at its layer, too, what it sends from now on.
    ///
    /// - Returns: nil when there is nothing on screen that can fly.
    func beginReturn(to place: PixelRect) -> [FloatingOutcome]? {
        let end = ring.written
        guard let outcomes = surface.land(on: place) else { return nil }
        flight.fedAloneUntil = end
        return outcomes
    }

    /// Notes that the picture has arrived at the program's window.
    func land(now: Int64) { flight.land(now: now) }

    var hasLanded: Bool { flight.landedAt != nil }

    /// Whether the surface may be closed after the flight back.
    func isDone(now: Int64) -> Bool { flight.isDone(hasLateFrames: !backlog.isEmpty, now: now) }

    /// Host time at which the session has something to do next.
    var nextTick: Int64? {
        [flight.deadline ?? surface.nextTick, closesAt, nextDrawing].compactMap { $0 }.min()
    }

    /// Host time at which a frame is to be drawn. An answer of the display comes before the next attempt, and wakes the
    /// thread.
    private var nextDrawing: Int64? {
        guard needsRedraw || !backlog.isEmpty else { return nil }
        let due = needsRedraw ? 0 : heldUntil ?? 0
        guard let retryAt = redrawing.retryAt, !surface.isReady else { return due }
        return max(retryAt, due)
    }

    func letGo() {
        if let current { release(current.entry, shownAt: current.shownAt) }
        current = nil
    }

    func release(_ entry: FrameEntry, shownAt: Int64) {
        releases.push(ReleaseEntry(frame: entry.frame, shownAt: shownAt).entry)
    }
}
