import Dispatch
import SharedFrames
import SwiftPlay
import SystemCalls
import VideoOutput

/// Brings the controls to a window: hears the pointer, keeps the time, has them drawn when something of them changes.
/// Main queue only.
///
/// While they are hidden there is no timer, nothing is drawn and nothing laid over the picture.
@MainActor
final class ControlsPresenter {
    private let window: PlayerWindow
    private let layer: PlayerLayer
    private var visibility = ControlsVisibility()
    private var pointer = ControlsPointer()
    private let previews = PreviewPictures()
    /// Where the scrubber is dragged to, and when the next such seek may begin: of places that come faster the newest
    /// wins.
    private var scrubs = NewestWins<Double>()
    private var scrubsAt: Int64 = 0
    private static let scrubTime: Int64 = 16_000_000
    private var drawn: ControlsScene?
    private var clock: (any DispatchSourceTimer)?
    /// The frame that was on screen when a drawing was left to the ones after it, and when that is looked at.
    private var owed: (frame: UInt64, at: Int64)?
    private static let owedTime: Int64 = 150_000_000
    /// How often what they show is looked at while they are seen, nanoseconds.
    private static let lookTime: Int64 = 200_000_000

    /// Whether the player waits for media, and the frame that was on screen when that was looked at last.
    private var busy = BusyIndicator()
    private var busyFrame: UInt64?
    private var isBusyShown = false
    /// Called with whether the user is to see that media is waited for, when that changes.
    var onBusy: ((Bool) -> Void)?

    /// What they show, and what is done with them. A key is one that is not the controls'.
    var facts: () -> ControlsFacts = { ControlsFacts() }
    var onCommand: ((PlayerViewController.Command) -> Void)?
    var onKey: ((String) -> Void)?
    /// A word to the user; seen whether or not the controls are.
    var message: String? { didSet { if oldValue != message { update() } } }

    init(window: PlayerWindow, layer: PlayerLayer) {
        self.window = window
        self.layer = layer
        previews.onPicture = { [weak self] in self?.update() }
    }

    var isScrubbing: Bool { pointer.isScrubbing }

    /// Whether they may be seen at all.
    var isAllowed = true {
        didSet {
            guard isAllowed != oldValue else { return }
            if !isAllowed { perform(pointer.cancel()) }
            see(.allowed(isAllowed))
        }
    }

    /// Shows them as a movement of the pointer does.
    func show() { see(.pointed(isOverControls: isOverPanel)) }

    /// The item is another one, or the window has just opened.
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

    /// True: there is nothing more to be done about it.
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
        // What cannot be seen is not hit.
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
        // Short of the very end: who looks for a place near it has not asked for what comes after it.
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

    // MARK: drawing

    /// Looks at what is to be seen, and has it drawn if that is something else than before.
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

    /// Looks whether media is waited for.
    ///
    /// - Returns: the position of the ring that says so; nil while it is not to be seen.
    private func followBuffering() -> Int? {
        // Not the router's frame: its lock is held for as long as a display server takes to draw.
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
        // While it is dragged the film itself shows the place.
        if !pointer.isScrubbing, let item = layer.player?.currentItem {
            hover.picture = previews.picture(at: part, of: item, limit: layout.previewLimit)
        }
        return hover
    }

    /// The picture that is on screen is drawn again, unless the next ones are about to come and bring the controls
    /// along.
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

    /// Draws what was left to frames that did not come: the one after the next is the first that was made ready since.
    private func settle() {
        guard let due = owed, MonotonicTime.now >= due.at else { return }
        owed = nil
        if (layer.router.current?.id ?? 0) < due.frame + 2 { layer.router.redraw() }
    }

    // MARK: time

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
