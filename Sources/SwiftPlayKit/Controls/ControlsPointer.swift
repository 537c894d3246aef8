import VideoOutput

/// A state machine that turns events of the pointer into actions on the player's controls. Times are host times in
/// nanoseconds.
struct ControlsPointer: Sendable {
    /// An action that an event of the pointer requests.
    enum Action: Equatable, Sendable {
        /// The user clicked a control. The secondary mouse button requests the opposite function, such as the previous
        /// audio track instead of the next.
        case press(PlayerControl, isSecondary: Bool)
        /// The user dragged the position slider; the value is the position within the item, 0 to 1.
        case scrub(Double)
        /// The user released the position slider.
        case endScrub
        /// The user dragged the volume slider; the value is the fraction of the slider's length, 0 to 1.
        case setVolume(Double)
        /// The user began to drag the picture.
        case moveWindow
        /// The user pressed a mouse button or turned the wheel outside of the controls; the value is mpv's name of the
        /// event, such as `MBTN_LEFT_DBL`.
        case key(String)
    }

    /// The control on which the held mouse button was pressed.
    private enum State: Sendable {
        /// No mouse button is held.
        case idle
        /// The mouse button was pressed on a button of the controls; the string is mpv's name of the mouse button.
        case onButton(PlayerControl, String)
        /// The mouse button was pressed on the position slider, or on the volume slider.
        case onScrubber, onVolume
        /// The mouse button was pressed on the panel between the controls; the value is mpv's name of the mouse button.
        case onPanel(String)
        /// The primary mouse button was pressed on the picture at this position.
        case onPicture(x: Int, y: Int)
    }

    /// The position and the host time of a click.
    private struct Click: Sendable { var x: Int, y: Int, time: Int64 }

    /// The longest time between the clicks of a double click, in nanoseconds.
    private static let doubleClickTime: Int64 = 400_000_000
    /// The largest horizontal and vertical distance between the clicks of a double click, in pixels.
    private static let doubleClickTolerance = 6

    /// The distance in pixels that the pointer must move before a press on the picture becomes a drag.
    private static let dragTolerance = 4

    /// The control on which the held mouse button was pressed.
    private var state = State.idle
    /// The last click outside of the controls, which may become a double click.
    private var lastClick: Click?
    /// The position of the pointer in pixels; nil while the pointer is outside of the window.
    private(set) var position: (x: Int, y: Int)?

    /// Whether a mouse button is held on the controls.
    var isButtonHeld: Bool {
        switch state {
        case .idle, .onPicture: false
        default: true
        }
    }
    /// Whether the user is dragging the position slider.
    var isScrubbing: Bool { if case .onScrubber = state { true } else { false } }

    /// Returns the control that the user holds with the mouse button or, if no control is held, the control under the
    /// pointer; nil for none.
    func hoveredControl(in layout: PlayerControlsLayout) -> PlayerControl? {
        switch state {
        case .idle: position.flatMap { layout.control(x: $0.x, y: $0.y) }
        case .onScrubber: .scrubber
        case .onVolume: .volume
        case .onButton(let control, _): position.flatMap { layout.control(x: $0.x, y: $0.y) } == control ? control : nil
        case .onPanel, .onPicture: nil
        }
    }

    /// Handles an event of the pointer and returns the resulting actions.
    ///
    /// - Parameter layout: The layout of the visible controls; nil while they are hidden, so that clicks hit the
    ///   picture.
    mutating func handle(_ event: PointerEvent, layout: PlayerControlsLayout?, at now: Int64) -> [Action] {
        switch event {
        case .moved(let x, let y):
            let hasMovedHorizontally = position?.x != x
            position = (x, y)
            if case .onPicture(let pressX, let pressY) = state {
                guard abs(x - pressX) >= Self.dragTolerance || abs(y - pressY) >= Self.dragTolerance else { return [] }
                // The window manager receives the release of the button. A drag is not part of a double click.
                (state, lastClick) = (.idle, nil)
                return [.moveWindow]
            }
            guard let layout, hasMovedHorizontally else { return [] }
            switch state {
            case .onScrubber: return [.scrub(layout.positionFraction(x: x))]
            case .onVolume: return [.setVolume(layout.volumeFraction(x: x))]
            case .idle, .onButton, .onPanel, .onPicture: return []
            }
        case .left:
            if !isButtonHeld { position = nil }
            return []
        case .pressed(let button, let x, let y):
            position = (x, y)
            // Ignore a second mouse button while one is held.
            guard !isButtonHeld else { return [] }
            return press(button, x, y, layout, now)
        case .released(let button, let x, let y):
            position = (x, y)
            return release(button, x, y, layout)
        }
    }

    /// Ends the drag of a slider because the controls disappear, and returns the resulting actions.
    mutating func cancel() -> [Action] {
        defer { state = .idle }
        return isScrubbing ? [.endScrub] : []
    }

    /// Handles a press of a mouse button or a turn of the wheel, and returns the resulting actions.
    private mutating func press(_ button: String, _ x: Int, _ y: Int, _ layout: PlayerControlsLayout?, _ now: Int64)
        -> [Action]
    {
        let isClick = button == "MBTN_LEFT" || button == "MBTN_RIGHT"
        if isClick, let layout, layout.panel.contains(x: x, y: y) {
            lastClick = nil
            switch layout.control(x: x, y: y) {
            case .scrubber? where button == "MBTN_LEFT":
                state = .onScrubber
                return [.scrub(layout.positionFraction(x: x))]
            case .volume? where button == "MBTN_LEFT":
                state = .onVolume
                return [.setVolume(layout.volumeFraction(x: x))]
            case .scrubber?, .volume?, .time?, nil: state = .onPanel(button)
            case let control?: state = .onButton(control, button)
            }
            return []
        }
        guard button == "MBTN_LEFT" else { return [.key(button)] }
        state = .onPicture(x: x, y: y)
        if let lastClick, now - lastClick.time <= Self.doubleClickTime,
            abs(x - lastClick.x) <= Self.doubleClickTolerance, abs(y - lastClick.y) <= Self.doubleClickTolerance
        {
            self.lastClick = nil
            return [.key("MBTN_LEFT_DBL")]
        }
        lastClick = Click(x: x, y: y, time: now)
        return [.key(button)]
    }

    /// Handles the release of a mouse button and returns the resulting actions.
    private mutating func release(_ button: String, _ x: Int, _ y: Int, _ layout: PlayerControlsLayout?) -> [Action] {
        switch state {
        case .onScrubber where button == "MBTN_LEFT":
            state = .idle
            return [.endScrub]
        case .onVolume where button == "MBTN_LEFT": state = .idle
        case .onPanel(button): state = .idle
        case .onPicture where button == "MBTN_LEFT": state = .idle
        case .onButton(let control, button):
            state = .idle
            return layout?.control(x: x, y: y) == control ? [.press(control, isSecondary: button == "MBTN_RIGHT")] : []
        default: break
        }
        return []
    }
}
