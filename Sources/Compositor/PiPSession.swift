import CompositorProtocol
import SharedFrames
import SystemCalls
import WireFormat

/// One Picture-in-Picture session of a program: its frame ring, its buffers, and the surface that shows the frames.
/// Used by the surface's thread.
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
    /// The host time at which the window is closed after its close button was pressed, even if the program does not
    /// respond.
    var closesAt: Int64?
    /// The newest frame that arrived before the first one was shown.
    var waiting: FrameEntry?
    var redrawing = Redraw()

    /// Maps the rings of a session.
    ///
    /// - Parameters:
    ///   - number: The session's number in messages to its program.
    ///   - surface: The surface that shows the session's frames.
    ///   - descriptors: The frame ring and the release ring.
    /// - Throws: `MalformedMessage` if a descriptor is missing or unusable.
    init(number: UInt32, surface: any FloatingSurface, descriptors: [SharedDescriptor]) throws(MalformedMessage) {
        guard descriptors.count >= 2 else { throw MalformedMessage("a session lacks its descriptors") }
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
        // The current frame cannot be redrawn from memory that was unmapped.
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

    /// Sets whether the controls offer no skipping and no seeking.
    func set(isLinear: Bool) {
        surface.content.isLinear = isLinear
        if surface.drawsControls { redraw() }
    }

    /// Sets whether the program waits for media.
    func set(isBuffering: Bool) {
        if surface.setBuffering(isBuffering, now: MonotonicTime.now) { redraw() }
    }

    /// Sets the overlay that is drawn over the frames; `nil` for none.
    func set(_ overlay: SharedOverlay?) {
        surface.content.overlay = overlay
        redrawIfPaused()
    }

    /// Requests a redraw while the program is paused. During playback the next frame draws new controls and a new
    /// overlay.
    private func redrawIfPaused() {
        if surface.content.playback.isPaused, surface.drawsControls { redraw() }
    }

    /// Requests that the current frame is redrawn at the end of this turn.
    func redraw() { redrawing.isNeeded = surface.isOpen && current != nil }

    /// Begins opening the surface. ``openNext(whateverCame:)`` opens it with the next frame.
    func start(_ request: FloatingOpening) { opening = .begin(request) }

    /// Hides the surface for a time, or shows it again.
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

    /// The host time at which the next late frame is due; `nil` if none waits.
    var heldUntil: Int64? { backlog.heldUntil }

    /// Begins the return animation. The program also shows all later frames in its own layer.
    ///
    /// - Returns: The first outcomes; `nil` if the surface has no animations.
    func beginReturn(to place: PixelRect) -> [FloatingOutcome]? {
        let end = ring.written
        guard let outcomes = surface.land(on: place) else { return nil }
        flight.fedAloneUntil = end
        return outcomes
    }

    /// Notes that the return animation has finished.
    func land(now: Int64) { flight.land(now: now) }

    var hasLanded: Bool { flight.landedAt != nil }

    /// Returns whether the surface can be closed after the return animation.
    func isDone(now: Int64) -> Bool { flight.isDone(hasLateFrames: !backlog.isEmpty, now: now) }

    /// The host time at which the session's next timed work is due; `nil` if there is none.
    var nextTick: Int64? {
        [flight.deadline ?? surface.nextTick, closesAt, nextDrawing].compactMap { $0 }.min()
    }

    /// The host time at which a frame is to be drawn; `nil` if none is. An event of a busy display wakes the thread
    /// earlier.
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
