import Dispatch
import SharedFrames
import SwiftPlay
import SystemCalls
import VideoOutput

/// Presents the controls in a window: handles the pointer, runs the timers, and draws the controls when they change.
/// Main queue only.
///
/// While the controls are hidden, there are no timers, no drawing and no overlay.
@MainActor
final class ControlsPresenter {
    private let window: PlayerWindow
    private let layer: PlayerLayer
    private var visibility = ControlsVisibility()
    private var pointer = ControlsPointer()
    private let previews = PreviewPictures()
    /// The position to which the slider is dragged, and the earliest time of the next seek. Of several positions, the
    /// newest wins.
    private var scrubs = NewestWins<Double>()
    private var scrubsAt: Int64 = 0
    private static let scrubTime: Int64 = 16_000_000
    private var drawn: ControlsScene?
    private var clock: (any DispatchSourceTimer)?
    /// The frame on screen when drawing was left to later frames, and the time at which to check that they came.
    private var owed: (frame: UInt64, at: Int64)?
    private static let owedTime: Int64 = 150_000_000
    /// The interval of updates while the controls are visible, in nanoseconds.
    private static let lookTime: Int64 = 200_000_000

    /// Whether the player is buffering, and the frame on screen at the last check.
    private var busy = BusyIndicator()
    private var busyFrame: UInt64?
    private var isBusyShown = false
    /// Called when the buffering indicator appears or disappears.
    var onBusy: ((Bool) -> Void)?

    /// The callbacks for the state of the controls, for requests and for other keys.
    var facts: () -> ControlsFacts = { ControlsFacts() }
    var onCommand: ((PlayerViewController.Command) -> Void)?
    var onKey: ((String) -> Void)?
    /// The message for the user, visible with and without controls.
    var message: String? { didSet { if oldValue != message { update() } } }

    init(window: PlayerWindow, layer: PlayerLayer) {
        self.window = window
        self.layer = layer
        previews.onPicture = { [weak self] in self?.update() }
    }

    var isScrubbing: Bool { pointer.isScrubbing }

    /// Whether the controls may be shown.
    var isAllowed = true {
        didSet {
            guard isAllowed != oldValue else { return }
            if !isAllowed { perform(pointer.cancel()) }
            see(.allowed(isAllowed))
        }
    }

    /// Shows the controls, as a movement of the pointer does.
    func show() { see(.pointed(isOverControls: isOverPanel)) }

    /// Handles a new item or a new window.
    func begin() {
        perform(pointer.cancel())
        if window.canvas == nil {
            visibility = ControlsVisibility()
            owed = nil
            previews.rest()
            wind()
        }
        update()
        placePointer()
    }

    /// Handles an event of the output. Returns true if it needs no further handling.
    func hear(_ event: OutputEvent) -> Bool {
        switch event {
        case .pointer(let event):
            hear(event)
            return true
        case .resized: update()
        case .fullScreenChanged:
            update()
            placePointer()
        default: break
        }
        return false
    }

    private func hear(_ event: PointerEvent) {
        // Hidden controls receive no clicks.
        let actions = pointer.handle(event, layout: visibility.opacity > 0 ? layout() : nil, at: MonotonicTime.now)
        see(.held(pointer.isHolding))
        see(event == .left ? .left : .pointed(isOverControls: isOverPanel))
        perform(actions)
        update()
    }

    private var isOverPanel: Bool {
        guard let place = pointer.place else { return false }
        return layout().panel.contains(x: place.x, y: place.y)
    }

    private func layout(_ known: ControlsFacts? = nil) -> PlayerControlsLayout {
        PlayerControlsLayout(
            size: window.canvas?.size ?? PixelSize(width: 0, height: 0), wanted: (known ?? facts()).wanted)
    }

    private func see(_ input: ControlsVisibility.Input) {
        let actions = visibility.handle(input, at: MonotonicTime.now)
        if !actions.isEmpty { update() }
        for case .setIdle in actions { placePointer() }
        if visibility.opacity == 0 { previews.rest() }
        wind()
    }

    private func placePointer() { window.canvas?.setPointerHidden(visibility.isIdle && window.isFullScreen) }

    private func perform(_ actions: [ControlsPointer.Action]) {
        for action in actions {
            switch action {
            case .press(let control, let isSecondary): press(control, isSecondary)
            case .scrub(let part): if let part = scrubs.want(part) { scrub(to: part) }
            case .endScrub:
                if let part = scrubs.waiting { scrub(to: part) }
                scrubs = NewestWins()
            case .setVolume(let part): onCommand?(.setVolume(part))
            case .key(let name): onKey?(name)
            }
        }
    }

    private func scrub(to part: Double) {
        scrubsAt = MonotonicTime.now + Self.scrubTime
        wind()
        let facts = facts()
        guard facts.canSeek, let duration = facts.duration else { return }
        // Stops short of the end, so that a drag to the end does not start the next item.
        onCommand?(.seek(to: min(part * duration, max(0, duration - 0.1))))
    }

    private func press(_ control: PlayerControl, _ isSecondary: Bool) {
        switch control {
        case .playPause: onCommand?(.togglePlayback)
        case .mute: onCommand?(.toggleMute)
        case .audioTracks: onCommand?(.cycleAudioTrack(by: isSecondary ? -1 : 1))
        case .subtitles: onCommand?(.cycleSubtitles(by: isSecondary ? -1 : 1))
        case .pictureInPicture: onCommand?(.togglePictureInPicture)
        case .fullScreen: onCommand?(.toggleFullScreen)
        case .volume, .time, .scrubber: break
        }
    }

    // MARK: Drawing

    /// Updates the scene and draws it if it has changed.
    func update() {
        let busyStep = followBuffering()
        guard let canvas = window.canvas else { return drawn = nil }
        let opacity = visibility.opacity
        guard opacity > 0 || message != nil || busyStep != nil else {
            guard drawn.take() != nil else { return }
            canvas.setControls(nil, covering: 0)
            return redraw()
        }
        let facts = facts(), layout = layout(facts)
        var scene = ControlsScene(layout: layout, facts: facts, opacity: opacity)
        (scene.message, scene.busyStep) = (message, busyStep)
        if opacity > 0 {
            scene.pointed = pointer.pointed(in: layout)
            scene.hover = hover(facts, layout, scene.pointed)
        }
        guard scene != drawn else { return }
        drawn = scene
        canvas.setControls(PlayerControlsPainter(scene).picture, covering: opacity > 0 ? layout.panel.height : 0)
        redraw()
    }

    /// Updates the buffering indicator.
    ///
    /// - Returns: The position of its ring; nil while it is hidden.
    private func followBuffering() -> Int? {
        // Does not read the router's frame, whose lock may be held while the display server draws.
        let now = MonotonicTime.now, frame = layer.player?.statistics.lastFrameID, wasWaiting = busy.isWaiting
        if frame != busyFrame {
            busyFrame = frame
            busy.noteFrame(at: now)
        }
        busy.setWaiting(layer.player?.isBuffering ?? false, at: now)
        if busy.isWaiting || wasWaiting { wind() }
        let step = busy.step(at: now)
        if isBusyShown != (step != nil) {
            isBusyShown.toggle()
            onBusy?(isBusyShown)
        }
        return isAllowed ? step : nil
    }

    private func hover(_ facts: ControlsFacts, _ layout: PlayerControlsLayout, _ pointed: PlayerControl?)
        -> ControlsScene.Hover?
    {
        guard pointed == .scrubber, facts.canSeek, let duration = facts.duration, let place = pointer.place else {
            return nil
        }
        let line = layout.line, x = min(max(place.x, line.x), line.x + line.width - 1), part = layout.filmPart(x: x)
        var hover = ControlsScene.Hover(x: x, text: ControlsFacts.clock(part * duration))
        // During a drag the video itself shows the position.
        if !pointer.isScrubbing, let item = layer.player?.currentItem {
            hover.picture = previews.picture(at: part, of: item, limit: layout.previewLimit)
        }
        return hover
    }

    /// Redraws the picture on screen, unless new frames are about to come and include the controls.
    private func redraw() {
        let router = layer.router
        if router.destination != .remote, let current = router.current, let player = layer.player,
            player.timeControlStatus == .playing, !player.isSeeking,
            (player.currentItem?.nominalFrameRate ?? 0) * Double(player.rate) >= 20
        {
            owed = owed ?? (current.id, MonotonicTime.now + Self.owedTime)
            return wind()
        }
        owed = nil
        router.redraw()
    }

    /// Draws the controls if the expected frames did not come. The second frame is the first that was prepared since.
    private func settle() {
        guard let due = owed, MonotonicTime.now >= due.at else { return }
        owed = nil
        if (layer.router.current?.id ?? 0) < due.frame + 2 { layer.router.redraw() }
    }

    // MARK: Time

    private func wind() {
        let now = MonotonicTime.now
        let next = [
            visibility.wakesAt, owed?.at, busy.nextChange(after: now), scrubs.running.map { _ in scrubsAt },
            visibility.opacity > 0 ? now + Self.lookTime : nil,
        ]
        .compactMap(\.self).min()
        guard let next else {
            clock?.cancel()
            return clock = nil
        }
        if clock == nil {
            let timer = DispatchSource.makeTimerSource(queue: .main)
            timer.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.tick() } }
            timer.resume()
            clock = timer
        }
        clock?.schedule(deadline: .now() + .nanoseconds(Int(max(0, next - now))), leeway: .milliseconds(5))
    }

    private func tick() {
        settle()
        if scrubs.running != nil, MonotonicTime.now >= scrubsAt, let part = scrubs.finish() { scrub(to: part) }
        see(.tick)
        if visibility.opacity > 0 || busy.isWaiting { update() }
    }
}
