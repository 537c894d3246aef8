import CompositorProtocol
import SharedFrames
import SystemCalls
import WireFormat

/// One Picture-in-Picture session of a program: its frame ring, its buffers, and the surface that shows the frames.
/// Used by the drawing thread.
final class PiPSession {
    /// The window or terminal cells that show the frames.
    let surface: any FloatingSurface
    /// The session's number in messages to its program.
    let number: UInt32
    /// The frame buffers and formats that the program has announced.
    var buffers = BufferRegistry()
    /// The ring buffer in which the program announces its frames.
    var ring: SharedRingReader
    /// The ring buffer in which the compositor returns frame buffers to the program.
    private let releaseRing: SharedRingWriter
    /// The frames that arrived while the frames before them were late.
    var lateFrames = LateFrameQueue()
    /// The progress of opening the surface for the first frame.
    var opening = Opening()
    /// The state of the animation that moves the picture back to the program's window.
    var returnState = ReturnAnimationState()
    /// The frame that is on screen, or is drawn next; `nil` before the first frame and after ``stop()``.
    var currentFrame: CurrentFrame?
    /// The host time at which the window is closed after its close button was pressed, even if the program does not
    /// respond.
    var closeDeadline: Int64?
    /// The newest frame that arrived before any frame was shown; `nil` if no frame waits.
    var waitingFrame: FrameEntry?
    /// Whether and when the current frame is drawn again.
    var redrawState = RedrawState()

    /// Maps the memory of a session's frame ring and release ring.
    ///
    /// - Parameters:
    ///   - number: The session's number in messages to its program.
    ///   - surface: The surface that shows the session's frames.
    ///   - descriptors: The descriptors of the frame ring and of the release ring.
    /// - Throws: `MalformedMessage` if a descriptor is missing or unusable.
    init(number: UInt32, surface: any FloatingSurface, descriptors: [SharedDescriptor]) throws(MalformedMessage) {
        guard descriptors.count >= 2 else { throw MalformedMessage("a session lacks its descriptors") }
        (self.number, self.surface) = (number, surface)
        do {
            ring = try FrameRingWatcher.mapRing(descriptors[0])
            let releaseRingMemory = try MemoryFile(
                received: FileDescriptor(duplicating: descriptors[1].raw), minimumSize: SharedRing.byteCount,
                maximumSize: FrameRingWatcher.ringByteLimit)
            releaseRing = try SharedRingWriter(releaseRingMemory)
        } catch { throw MalformedMessage("\(error)") }
    }

    /// The number of the current frame; `nil` without one.
    var currentFrameNumber: UInt64? { currentFrame?.entry.frame }
    /// Whether the current frame must be drawn again.
    var needsRedraw: Bool { redrawState.isNeeded }

    /// Adds a frame buffer that the program has announced.
    func add(slot: UInt32, descriptor: SharedDescriptor) throws(MalformedMessage) {
        let ownDescriptor: FileDescriptor
        do {
            ownDescriptor = try FileDescriptor(duplicating: descriptor.raw)
        } catch { throw MalformedMessage("\(error)") }
        try buffers.add(slot: slot, descriptor: ownDescriptor)
    }

    /// Unmaps a frame buffer, and reports to the program that the frames in it are no longer used.
    func drop(slot: UInt32) {
        // The current frame cannot be redrawn from memory that was unmapped.
        if currentFrame?.entry.slot == slot { releaseCurrentFrame() }
        if let entry = waitingFrame, entry.slot == slot {
            waitingFrame = nil
            release(entry, shownAt: 0)
        }
        for entry in lateFrames.removeAll(in: slot) { release(entry, shownAt: 0) }
        buffers.drop(slot: slot)
    }

    /// Stores a format that the program has announced.
    func set(format: UInt32, _ value: FrameFormat) throws(MalformedMessage) { try buffers.set(format: format, value) }

    /// Sets the playback state that the controls show.
    func set(_ playback: PlaybackState) {
        surface.content.playback = playback
        redrawIfPaused()
    }

    /// Sets the volume that the controls show.
    func set(_ audio: AudioState) {
        surface.content.audio = audio
        redrawIfPaused()
    }

    /// Sets the position up to which the item is loaded, in nanoseconds; 0 to show no loaded part.
    func set(loadedUntil: Int64) {
        guard surface.content.loadedUntil != loadedUntil else { return }
        surface.content.loadedUntil = loadedUntil
        redrawIfPaused()
    }

    /// Sets whether skipping and seeking are disabled in the controls.
    func set(requiresLinearPlayback: Bool) {
        surface.content.requiresLinearPlayback = requiresLinearPlayback
        if surface.drawsControls { redraw() }
    }

    /// Sets whether the program waits for media; the surface then shows a buffering indicator.
    func set(isBuffering: Bool) {
        if surface.setBuffering(isBuffering, now: MonotonicTime.now) { redraw() }
    }

    /// Sets the overlay that is drawn over the frames; `nil` for none.
    func set(_ overlay: SharedOverlay?) {
        surface.content.overlay = overlay
        redrawIfPaused()
    }

    /// Sets the text of the next overlay, for surfaces that draw characters.
    func set(overlayText: String) { surface.content.overlayText = overlayText }

    /// Requests a redraw while the program is paused. During playback the next frame draws new controls and a new
    /// overlay.
    private func redrawIfPaused() {
        if surface.content.playback.isPaused, surface.drawsControls { redraw() }
    }

    /// Requests that the current frame is redrawn at the end of this iteration of the thread's loop.
    func redraw() { redrawState.isNeeded = surface.isOpen && currentFrame != nil }

    /// Begins opening the surface. ``openWithNextFrame(acceptsOutdatedFrame:)`` opens it with the next frame.
    func start(_ request: SurfaceOpenRequest) { opening = .opening(request) }

    /// Hides the surface during a video call, or shows it again.
    func setSuspended(_ isSuspended: Bool) {
        guard surface.isOpen else { return }
        surface.setSuspended(isSuspended)
        if !isSuspended, surface.drawsControls { redraw() }
    }

    /// Closes the surface, and reports to the program that no frame is used any more.
    func stop() {
        if let entry = waitingFrame.take() { release(entry, shownAt: 0) }
        for entry in lateFrames.removeAll() { release(entry, shownAt: 0) }
        (opening, returnState, redrawState) = (Opening(), ReturnAnimationState(), RedrawState())
        closeDeadline = nil
        surface.close()
        (surface.content.overlay, surface.content.overlayText) = (nil, "")
        releaseCurrentFrame()
    }

    /// The host time at which the next late frame is shown; `nil` if no late frame waits.
    var nextDueTime: Int64? { lateFrames.nextDueTime }

    /// Begins the return animation, which moves the picture back to the program's window. The program also shows all
    /// later frames in its own layer.
    ///
    /// - Returns: The surface's events at the start of the animation; `nil` if the surface has no animations.
    func beginReturnAnimation(to rect: PixelRect) -> [SurfaceEvent]? {
        let ringLength = ring.writtenCount
        guard let events = surface.beginReturnAnimation(to: rect) else { return nil }
        returnState.ringLengthAtStart = ringLength
        return events
    }

    /// Records that the return animation has finished.
    func markReturnAnimationFinished(now: Int64) { returnState.markReturnAnimationFinished(now: now) }

    /// Whether the return animation has finished.
    var isReturnAnimationFinished: Bool { returnState.finishTime != nil }

    /// Returns whether the return animation has finished and the surface can be closed: all late frames were shown, or
    /// the deadline for showing them has passed.
    func canClose(now: Int64) -> Bool { returnState.canClose(hasLateFrames: !lateFrames.isEmpty, now: now) }

    /// The host time at which the session's next timed work is due; `nil` if there is none.
    var nextTick: Int64? {
        [returnState.deadline ?? surface.nextTick, closeDeadline, nextDrawingTime].compactMap { $0 }.min()
    }

    /// The host time at which the drawing thread must draw the next frame; `nil` if no frame waits. While the display
    /// server is not ready, this is the time of the next attempt; an event of the server causes an earlier attempt.
    private var nextDrawingTime: Int64? {
        guard needsRedraw || !lateFrames.isEmpty else { return nil }
        let dueTime = needsRedraw ? 0 : nextDueTime ?? 0
        guard let retryTime = redrawState.retryTime, !surface.isReady else { return dueTime }
        return max(retryTime, dueTime)
    }

    /// Reports to the program that the current frame is no longer used. ``currentFrame`` is `nil` afterwards.
    func releaseCurrentFrame() {
        if let currentFrame { release(currentFrame.entry, shownAt: currentFrame.shownAt) }
        currentFrame = nil
    }

    /// Reports to the program that a frame is no longer used. `shownAt` is the host time at which the frame was shown;
    /// 0 if it was not shown.
    func release(_ entry: FrameEntry, shownAt: Int64) {
        releaseRing.push(ReleasedFrame(frame: entry.frame, shownAt: shownAt).entry)
    }
}
