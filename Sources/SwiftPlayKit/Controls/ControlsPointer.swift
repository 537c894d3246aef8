import VideoOutput

/// The pointer's actions on the controls of a window: a pure state machine. Times are host times in nanoseconds.
struct ControlsPointer: Sendable {
    enum Action: Equatable, Sendable {
        /// A control was clicked; the secondary button requests the opposite.
        case press(PlayerControl, isSecondary: Bool)
        /// The slider was dragged to a part of the item, 0 to 1.
        case scrub(Double)
        case endScrub
        case setVolume(Double)
        /// An event outside of the controls, with mpv's name: `MBTN_LEFT_DBL`, `WHEEL_UP`.
        case key(String)
    }

    private enum State: Sendable {
        case idle
        case onButton(PlayerControl, String)
        case onScrubber, onVolume
        /// The space between the controls.
        case onPanel(String)
    }

    private struct Click: Sendable { var x: Int, y: Int, at: Int64 }

    /// The limits of a double click in time and distance.
    private static let doubleClick: Int64 = 400_000_000
    private static let tremble = 6

    private var state = State.idle
    private var lastClick: Click?
    /// The position of the pointer; nil outside of the window.
    private(set) var place: (x: Int, y: Int)?

    /// Whether a button is held.
    var isHolding: Bool { if case .idle = state { false } else { true } }
    var isScrubbing: Bool { if case .onScrubber = state { true } else { false } }

    /// The control that is held or else under the pointer.
    func pointed(in layout: PlayerControlsLayout) -> PlayerControl? {
        switch state {
        case .idle: place.flatMap { layout.control(x: $0.x, y: $0.y) }
        case .onScrubber: .scrubber
        case .onVolume: .volume
        case .onButton(let control, _): place.flatMap { layout.control(x: $0.x, y: $0.y) } == control ? control : nil
        case .onPanel: nil
        }
    }

    /// Handles an event.
    ///
    /// - Parameter layout: The layout of the visible controls; nil while they are hidden, so that clicks hit the
    ///   picture.
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
            // Ignores a second button while one is held.
            guard !isHolding else { return [] }
            return press(button, x, y, layout, now)
        case .released(let button, let x, let y):
            place = (x, y)
            return release(button, x, y, layout)
        }
    }

    /// Ends a drag, because the controls disappeared.
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
