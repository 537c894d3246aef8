import Dispatch
import SharedFrames
import SwiftPlay
import SystemCalls
import VideoOutput

/// Shows a player's controls in its window: handles the pointer, runs the timers, and draws the controls when they
/// change. Main queue only.
///
/// While the controls are hidden, there are no timers, no drawing and no overlay.
@MainActor
final class ControlsPresenter {
    private let window: PlayerWindow
    let layer: PlayerLayer
    /// Decides when the player's controls and the mouse pointer are visible.
    private var visibility = ControlsVisibility()
    /// Turns events of the pointer into actions on the controls.
    var pointer = ControlsPointer()
    /// Creates the preview pictures that appear above the position slider.
    let previews = PreviewPictures()
    /// The positions, 0 to 1, that a drag of the position slider requests: the running seek and the newest waiting one.
    private var scrubRequests = LatestRequest<Double>()
    /// The earliest host time at which a drag of the position slider may cause its next seek, in nanoseconds.
    private var nextScrubTime: Int64 = 0
    /// The shortest time between two seeks that a drag of the position slider causes, in nanoseconds.
    private static let scrubInterval: Int64 = 16_000_000
    /// The appearance of the controls as last drawn; nil while no controls are drawn.
    private var drawnScene: ControlsScene?
    /// The timer that updates the controls; nil while the controls do not change with time.
    private var updateTimer: (any DispatchSourceTimer)?
    /// A redraw that is left to the frames that follow the frame `frameID`; nil if none is pending. At the host time
    /// `deadline`, in nanoseconds, the controls are redrawn without waiting for newer frames.
    private var deferredRedraw: (frameID: UInt64, deadline: Int64)?
    /// The longest wait for newer video frames before the controls are drawn without them, in nanoseconds.
    private static let deferredRedrawTimeout: Int64 = 150_000_000
    /// The time between two updates while the controls are visible, in nanoseconds.
    private static let updateInterval: Int64 = 200_000_000

    /// Decides when the buffering ring is shown. Depends on how long the player has been buffering.
    private var busyIndicator = BusyIndicator()
    /// The number of the video frame that was last shown on screen.
    private var lastFrameNumber: UInt64?
    /// Whether the buffering ring was visible at the last call of ``onBufferingShown``.
    private var isBufferingShown = false
    /// Called with true when the buffering ring appears, and with false when it disappears.
    var onBufferingShown: ((Bool) -> Void)?

    /// The closure that returns the state of the player and the window for the controls to show.
    var currentState: () -> ControlsState = { ControlsState() }
    /// Called with each command that the user gives by the controls.
    var onCommand: ((PlayerViewController.Command) -> Void)?
    /// Called with mpv's name of a key or mouse button that does not belong to the controls.
    var onKey: ((String) -> Void)?
    /// The message that is drawn over the picture, also while the controls are hidden; nil for none.
    var message: String? { didSet { if oldValue != message { update() } } }

    init(window: PlayerWindow, layer: PlayerLayer) {
        self.window = window
        self.layer = layer
        previews.onRequestEnd = { [weak self] in self?.update() }
    }

    /// Whether the user is dragging the position slider.
    var isScrubbing: Bool { pointer.isScrubbing }

    /// Whether the controls may be shown; false hides them.
    var areControlsAllowed = true {
        didSet {
            guard areControlsAllowed != oldValue else { return }
            if !areControlsAllowed { perform(pointer.cancel()) }
            updateVisibility(.controlsAllowed(areControlsAllowed))
        }
    }

    /// Shows the controls, as a movement of the pointer does.
    func show() { updateVisibility(.pointerMoved(isOverControls: isOverPanel)) }

    /// Redraws the controls after the player has a new item or the window has opened or changed its size.
    func handleItemOrWindowChange() {
        perform(pointer.cancel())
        if window.windowOutput == nil {
            visibility = ControlsVisibility()
            deferredRedraw = nil
            previews.releaseDecoder()
            scheduleTimer()
        }
        update()
        updatePointerVisibility()
    }

    /// Handles an event of the video output. Returns true if the event needs no further handling.
    func handle(_ event: OutputEvent) -> Bool {
        switch event {
        case .pointer(let event):
            handle(event)
            return true
        case .resized: update()
        case .fullScreenChanged:
            update()
            updatePointerVisibility()
        default: break
        }
        return false
    }

    /// Passes an event of the pointer to the controls and performs the resulting actions.
    private func handle(_ event: PointerEvent) {
        // Hidden controls receive no clicks.
        let actions = pointer.handle(event, layout: visibility.opacity > 0 ? layout() : nil, at: MonotonicTime.now)
        updateVisibility(.controlHeld(pointer.isButtonHeld))
        updateVisibility(event == .left ? .pointerLeft : .pointerMoved(isOverControls: isOverPanel))
        perform(actions)
        update()
    }

    /// Whether the pointer is over the panel that contains the controls.
    private var isOverPanel: Bool {
        guard let position = pointer.position else { return false }
        return layout().panel.contains(x: position.x, y: position.y)
    }

    /// Returns the layout of the controls that the current item offers, for `knownState` or, if it is nil, the current
    /// state.
    private func layout(_ knownState: ControlsState? = nil) -> PlayerControlsLayout {
        PlayerControlsLayout(
            size: window.windowOutput?.size ?? PixelSize(width: 0, height: 0),
            requested: (knownState ?? currentState()).availableControls,
            displayScale: window.windowOutput?.displayScale ?? 1)
    }

    /// Passes an event to ``visibility``, and performs the actions that it returns.
    private func updateVisibility(_ input: ControlsVisibility.Input) {
        let actions = visibility.handle(input, at: MonotonicTime.now)
        if !actions.isEmpty { update() }
        for case .setIdle in actions { updatePointerVisibility() }
        if visibility.opacity == 0 { previews.releaseDecoder() }
        scheduleTimer()
    }

    /// Hides the pointer in full screen if it has not moved for a while.
    private func updatePointerVisibility() {
        window.windowOutput?.setPointerHidden(visibility.isIdle && window.isFullScreen)
    }

    /// Performs the actions that the user requested with the pointer.
    private func perform(_ actions: [ControlsPointer.Action]) {
        for action in actions {
            switch action {
            case .press(let control, let isSecondary): press(control, isSecondary)
            case .scrub(let fraction): if let fraction = scrubRequests.request(fraction) { scrub(to: fraction) }
            case .endScrub:
                if let fraction = scrubRequests.waitingValue { scrub(to: fraction) }
                scrubRequests = LatestRequest()
            case .setVolume(let fraction): onCommand?(.setVolume(fraction))
            case .moveWindow: if window.options.isDraggable { window.windowOutput?.beginMove() }
            case .key(let name): onKey?(name)
            }
        }
    }

    /// Seeks to a position within the current item: 0 is its start and 1 its end.
    private func scrub(to fraction: Double) {
        nextScrubTime = MonotonicTime.now + Self.scrubInterval
        scheduleTimer()
        let state = currentState()
        guard state.canSeek, let duration = state.duration else { return }
        // Stop 0.1 s before the end, so that a drag to the end does not start the next item.
        onCommand?(.seek(to: min(fraction * duration, max(0, duration - 0.1))))
    }

    /// Requests the function of a button that the user clicked. The secondary mouse button selects the previous track.
    private func press(_ control: PlayerControl, _ isSecondary: Bool) {
        switch control {
        case .previous: if currentState().hasPreviousItem { onCommand?(.previousItem) }
        case .playPause: onCommand?(.togglePlayback)
        case .next: if currentState().hasNextItem { onCommand?(.nextItem) }
        case .mute: onCommand?(.toggleMute)
        case .audioTracks: onCommand?(.cycleAudioTrack(by: isSecondary ? -1 : 1))
        case .subtitles: onCommand?(.cycleSubtitles(by: isSecondary ? -1 : 1))
        case .quality: onCommand?(.cycleVariant(by: isSecondary ? -1 : 1))
        case .pictureInPicture: onCommand?(.togglePictureInPicture)
        case .fullScreen: onCommand?(.toggleFullScreen)
        case .volume, .time, .scrubber: break
        }
    }

    // MARK: Drawing

    /// Draws the controls, the message and the buffering ring, if their appearance has changed.
    func update() {
        let bufferingStep = updateBusyIndicator()
        guard let windowOutput = window.windowOutput else { return drawnScene = nil }
        let opacity = visibility.opacity
        guard opacity > 0 || message != nil || bufferingStep != nil else {
            guard drawnScene.take() != nil else { return }
            windowOutput.setControls(nil, covering: 0)
            return redraw()
        }
        let state = currentState(), layout = layout(state)
        var scene = ControlsScene(layout: layout, state: state, opacity: opacity)
        (scene.message, scene.bufferingStep) = (message, bufferingStep)
        if opacity > 0 {
            scene.hoveredControl = pointer.hoveredControl(in: layout)
            scene.sliderPreview = sliderPreview(state, layout, scene.hoveredControl)
        }
        guard scene != drawnScene else { return }
        drawnScene = scene
        windowOutput.setControls(PlayerControlsPainter(scene).picture, covering: opacity > 0 ? layout.panel.height : 0)
        redraw()
    }

    /// Shows or hides the buffering ring.
    ///
    /// - Returns: The animation step of the buffering ring; nil while the ring is hidden.
    private func updateBusyIndicator() -> Int? {
        // Read the frame's number from the statistics: a lock on the frame router could wait for the display server.
        let now = MonotonicTime.now, frame = layer.player?.statistics.lastFrameID, wasWaiting = busyIndicator.isWaiting
        if frame != lastFrameNumber {
            lastFrameNumber = frame
            busyIndicator.didShowFrame(at: now)
        }
        busyIndicator.setWaiting(layer.player?.isBuffering ?? false, at: now)
        if busyIndicator.isWaiting || wasWaiting { scheduleTimer() }
        let step = busyIndicator.step(at: now)
        if isBufferingShown != (step != nil) {
            isBufferingShown.toggle()
            onBufferingShown?(isBufferingShown)
        }
        return areControlsAllowed ? step : nil
    }

    /// Redraws the picture on screen with the controls, unless new video frames are about to include them.
    private func redraw() {
        let router = layer.router
        if router.destination != .remote, let currentFrame = router.currentFrame, let player = layer.player,
            player.timeControlStatus == .playing, !player.isSeeking,
            (player.currentItem?.nominalFrameRate ?? 0) * Double(player.rate) >= 20
        {
            deferredRedraw = deferredRedraw ?? (currentFrame.id, MonotonicTime.now + Self.deferredRedrawTimeout)
            return scheduleTimer()
        }
        deferredRedraw = nil
        router.redraw()
    }

    /// Draws the controls if fewer than two new video frames were shown in time. One new frame is not enough, because
    /// it may have been composed before the controls changed.
    private func redrawIfOverdue() {
        guard let overdueRedraw = deferredRedraw, MonotonicTime.now >= overdueRedraw.deadline else { return }
        deferredRedraw = nil
        if (layer.router.currentFrame?.id ?? 0) < overdueRedraw.frameID + 2 { layer.router.redraw() }
    }

    // MARK: Timer

    /// Sets the update timer to the earliest time at which the controls change.
    private func scheduleTimer() {
        let now = MonotonicTime.now
        let nextUpdate = [
            visibility.nextTick, deferredRedraw?.deadline, busyIndicator.nextChange(after: now),
            scrubRequests.runningValue.map { _ in nextScrubTime },
            visibility.opacity > 0 ? now + Self.updateInterval : nil,
        ]
        .compactMap(\.self).min()
        guard let nextUpdate else {
            updateTimer?.cancel()
            return updateTimer = nil
        }
        if updateTimer == nil {
            let timer = DispatchSource.makeTimerSource(queue: .main)
            timer.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.tick() } }
            timer.resume()
            updateTimer = timer
        }
        updateTimer?.schedule(deadline: .now() + .nanoseconds(Int(max(0, nextUpdate - now))), leeway: .milliseconds(5))
    }

    /// Updates the controls when the update timer fires.
    private func tick() {
        redrawIfOverdue()
        if scrubRequests.runningValue != nil, MonotonicTime.now >= nextScrubTime, let value = scrubRequests.finish() {
            scrub(to: value)
        }
        updateVisibility(.tick)
        if visibility.opacity > 0 || busyIndicator.isWaiting { update() }
    }
}
