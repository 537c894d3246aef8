import VideoOutput

/// What a pointer does to the controls of a player's window: a pure state machine. Times are host nanoseconds.
struct ControlsPointer: Sendable {
    enum Action: Equatable, Sendable {
        /// A button was pressed and let go; with the other button its opposite is meant.
        case press(PlayerControl, isSecondary: Bool)
        /// To this part of the film, 0 to 1.
        case scrub(Double)
        case endScrub
        case setVolume(Double)
        /// What has nothing to do with the controls, by mpv's name: `MBTN_LEFT_DBL`, `WHEEL_UP`.
        case key(String)
    }

    private enum State: Sendable {
        case idle
        case onButton(PlayerControl, String)
        case onScrubber, onVolume
        /// Between the buttons: held for nothing.
        case onPanel(String)
    }

    private struct Click: Sendable { var x: Int, y: Int, at: Int64 }

    /// Two clicks within this, and so near to each other, are one double click.
    private static let doubleClick: Int64 = 400_000_000
    private static let tremble = 6

    private var state = State.idle
    private var lastClick: Click?
    /// Where the pointer is; nil: not over the window.
    private(set) var place: (x: Int, y: Int)?

    /// Something is held.
    var isHolding: Bool { if case .idle = state { false } else { true } }
    var isScrubbing: Bool { if case .onScrubber = state { true } else { false } }

    /// The control under the pointer, or the one that is held.
    func pointed(in layout: PlayerControlsLayout) -> PlayerControl? {
        switch state {
        case .idle: place.flatMap { layout.control(x: $0.x, y: $0.y) }
        case .onScrubber: .scrubber
        case .onVolume: .volume
        case .onButton(let control, _): place.flatMap { layout.control(x: $0.x, y: $0.y) } == control ? control : nil
        case .onPanel: nil
        }
    }

    /// - Parameter layout: nil while no controls are seen; what is pressed then is pressed on the picture.
    mutating func handle(_ event: PointerEvent, layout: PlayerControlsLayout?, at now: Int64) -> [Action] {
        switch event {
        case .moved(let x, let y):
            let isAlong = place?.x != x
            place = (x, y)
            guard let layout, isAlong else { return [] }
            switch state {
            case .onScrubber: return [.scrub(layout.filmPart(x: x))]
            case .onVolume: return [.setVolume(layout.volumePart(x: x))]
            case .idle, .onButton, .onPanel: return []
            }
        case .left:
            if !isHolding { place = nil }
            return []
        case .pressed(let button, let x, let y):
            place = (x, y)
            // A second button while one is held means nothing.
            guard !isHolding else { return [] }
            return press(button, x, y, layout, now)
        case .released(let button, let x, let y):
            place = (x, y)
            return release(button, x, y, layout)
        }
    }

    /// Lets go of what is held: the controls went away under the pointer.
    mutating func cancel() -> [Action] {
        defer { state = .idle }
        return isScrubbing ? [.endScrub] : []
    }

    private mutating func press(_ button: String, _ x: Int, _ y: Int, _ layout: PlayerControlsLayout?, _ now: Int64)
        -> [Action]
    {
        let isClick = button == "MBTN_LEFT" || button == "MBTN_RIGHT"
        if isClick, let layout, layout.panel.contains(x: x, y: y) {
            lastClick = nil
            switch layout.control(x: x, y: y) {
            case .scrubber? where button == "MBTN_LEFT":
                state = .onScrubber
                return [.scrub(layout.filmPart(x: x))]
            case .volume? where button == "MBTN_LEFT":
                state = .onVolume
                return [.setVolume(layout.volumePart(x: x))]
            case .scrubber?, .volume?, .time?, nil: state = .onPanel(button)
            case let control?: state = .onButton(control, button)
            }
            return []
        }
        guard button == "MBTN_LEFT" else { return [.key(button)] }
        if let last = lastClick, now - last.at <= Self.doubleClick, abs(x - last.x) <= Self.tremble,
            abs(y - last.y) <= Self.tremble
        {
            lastClick = nil
            return [.key("MBTN_LEFT_DBL")]
        }
        lastClick = Click(x: x, y: y, at: now)
        return [.key(button)]
    }

    private mutating func release(_ button: String, _ x: Int, _ y: Int, _ layout: PlayerControlsLayout?) -> [Action] {
        switch state {
        case .onScrubber where button == "MBTN_LEFT":
            state = .idle
            return [.endScrub]
        case .onVolume where button == "MBTN_LEFT": state = .idle
        case .onPanel(button): state = .idle
        case .onButton(let control, button):
            state = .idle
            return layout?.control(x: x, y: y) == control ? [.press(control, isSecondary: button == "MBTN_RIGHT")] : []
        default: break
        }
        return []
    }
}
