import SharedFrames

/// The recognizer of pointer gestures on a floating window. A pure state machine.
///
/// Positions are root coordinates in pixels, except for `inX` and `inY`, which are relative to the window. Times are
/// host times in nanoseconds.
package struct PointerGesture: Sendable {
    /// An action that a gesture causes.
    package enum Action: Equatable, Sendable {
        /// The user clicked a button.
        case press(ControlsLayout.Button)
        /// The user dragged a slider to this value, 0 to 1.
        case slide(ControlsLayout.Slider, Double)
        /// The user moved or resized the window to this rectangle.
        case setFrame(PixelRect)
        /// The user flung the window towards a corner.
        case moveToCorner(WindowPlacement.Corner)
        /// The user ended a move or a resize; the window keeps its rectangle.
        case savePlacement
        /// The user double-clicked the picture; the window changes to its next size.
        case nextSize
    }

    /// The part of the window that the user holds with the pressed pointer.
    private enum State: Sendable {
        /// The user does not press the primary button.
        case idle
        /// The user holds a button.
        case onButton(ControlsLayout.Button)
        /// The user holds a slider.
        case onSlider(ControlsLayout.Slider)
        /// The user holds the picture; `from` is the window's rectangle and (x, y) the pointer's position at the press.
        case moving(from: PixelRect, x: Int, y: Int, hasMoved: Bool)
        /// The user holds edges of the window; `from` is the window's rectangle and (x, y) the pointer's position at
        /// the press.
        case resizing(WindowEdges, from: PixelRect, x: Int, y: Int)
    }

    /// A position of the pointer on the screen and its host time.
    private struct PointerSample: Sendable { var x: Int, y: Int, time: Int64 }

    /// The distance in pixels that the pointer must move before a press becomes a drag.
    private static let clickTolerance = 4
    /// The longest time between the clicks of a double click, in nanoseconds.
    private static let doubleClickTimeout: Int64 = 400_000_000
    /// The time at the end of a drag over which its speed is measured, in nanoseconds.
    private static let speedMeasurementTime: Int64 = 100_000_000
    /// The lowest speed of a fling, in pixels per second.
    private static let minimumFlingSpeed = 600.0

    /// The part of the window that the user holds.
    private var state = State.idle
    /// The pointer's positions during ``speedMeasurementTime``, oldest first; they give the speed of a fling.
    private var samples: [PointerSample] = []
    /// The host time of the last click on the picture that did not end a double click.
    private var lastClickTime: Int64?

    /// Creates a recognizer for a pointer that is not pressed.
    package init() {}

    /// Whether the user holds the picture itself, not a control or an edge.
    package var holdsPicture: Bool { if case .moving = state { true } else { false } }

    /// Whether the user holds the picture, a control or an edge.
    package var isActive: Bool { if case .idle = state { false } else { true } }

    /// Handles a press of the primary button.
    ///
    /// - Parameters:
    ///   - x: The horizontal position on the screen.
    ///   - y: The vertical position on the screen.
    ///   - inX: The horizontal position in the window.
    ///   - inY: The vertical position in the window.
    ///   - frame: The window's rectangle.
    ///   - layout: The window's controls.
    ///   - now: The host time.
    package mutating func press(
        x: Int, y: Int, inX: Int, inY: Int, frame: PixelRect, layout: ControlsLayout, at now: Int64
    ) -> [Action] {
        samples = [PointerSample(x: x, y: y, time: now)]
        if let button = layout.button(x: inX, y: inY) {
            state = .onButton(button)
        } else if let slider = layout.slider(x: inX, y: inY) {
            state = .onSlider(slider)
            return [.slide(slider, layout.value(of: slider, x: inX))]
        } else {
            let edges = WindowEdges(x: inX, y: inY, size: frame.size)
            state =
                edges.isEmpty
                ? .moving(from: frame, x: x, y: y, hasMoved: false) : .resizing(edges, from: frame, x: x, y: y)
        }
        return []
    }

    /// Handles a movement of the pointer. `picture` is the picture's display size and `area` the monitor's rectangle;
    /// the other parameters are those of ``press``.
    package mutating func move(
        x: Int, y: Int, inX: Int, picture: PixelSize, area: PixelRect, layout: ControlsLayout, at now: Int64
    ) -> [Action] {
        samples.append(PointerSample(x: x, y: y, time: now))
        samples.removeAll { now - $0.time > Self.speedMeasurementTime }
        switch state {
        case .idle, .onButton: return []
        case .onSlider(let slider): return [.slide(slider, layout.value(of: slider, x: inX))]
        case .moving(let startFrame, let x0, let y0, let hasMoved):
            guard hasMoved || abs(x - x0) >= Self.clickTolerance || abs(y - y0) >= Self.clickTolerance else {
                return []
            }
            state = .moving(from: startFrame, x: x0, y: y0, hasMoved: true)
            return [
                .setFrame(
                    PixelRect(
                        x: startFrame.x + x - x0, y: startFrame.y + y - y0, width: startFrame.width,
                        height: startFrame.height))
            ]
        case .resizing(let edges, let startFrame, let x0, let y0):
            return [.setFrame(edges.resize(startFrame, by: x - x0, y - y0, picture: picture, area: area))]
        }
    }

    /// Handles the release of the primary button. `area` is the monitor's rectangle; the other parameters are those of
    /// ``press``.
    package mutating func release(
        x: Int, y: Int, inX: Int, inY: Int, frame: PixelRect, layout: ControlsLayout, area: PixelRect, at now: Int64
    ) -> [Action] {
        defer { state = .idle }
        switch state {
        case .idle, .onSlider: return []
        case .onButton(let button): return layout.button(x: inX, y: inY) == button ? [.press(button)] : []
        case .resizing: return [.savePlacement]
        case .moving(_, _, _, true):
            guard let firstSample = samples.first(where: { now - $0.time <= Self.speedMeasurementTime }),
                now > firstSample.time
            else { return [.savePlacement] }
            let seconds = Double(now - firstSample.time) / 1e9
            let velocity = (x: Double(x - firstSample.x) / seconds, y: Double(y - firstSample.y) / seconds)
            guard (velocity.x * velocity.x + velocity.y * velocity.y).squareRoot() >= Self.minimumFlingSpeed else {
                return [.savePlacement]
            }
            return [.moveToCorner(WindowPlacement.corner(of: frame, velocity: velocity, in: area))]
        case .moving(_, _, _, false):
            if let lastClickTime, now - lastClickTime <= Self.doubleClickTimeout {
                self.lastClickTime = nil
                return [.nextSize]
            }
            lastClickTime = now
            return []
        }
    }

    /// Cancels the gesture, because the window is hidden, returns to the program, or must move to another monitor.
    package mutating func cancel() { state = .idle }
}
