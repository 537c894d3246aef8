import SharedFrames

/// The recognizer of pointer gestures on a floating window. A pure state machine.
///
/// Positions are root coordinates in pixels, except for `inX` and `inY`, which are relative to the window. Times are
/// host nanoseconds.
package struct PointerGesture: Sendable {
    /// The effect of a gesture.
    package enum Action: Equatable, Sendable {
        /// The user clicked a button.
        case press(ControlsLayout.Button)
        /// The user dragged a slider to this value, 0 to 1.
        case slide(ControlsLayout.Line, Double)
        /// The user moved or resized the window to this rectangle.
        case setFrame(PixelRect)
        /// The user flung the window towards a corner.
        case fly(to: WindowPlacement.Corner)
        /// The user ended a move or a resize; the window keeps its rectangle.
        case settle
        /// The user double-clicked the picture; the window changes to its next size.
        case nextSize
    }

    private enum State: Sendable {
        case idle
        case onButton(ControlsLayout.Button)
        case onLine(ControlsLayout.Line)
        case moving(from: PixelRect, x: Int, y: Int, hasMoved: Bool)
        case pulling(WindowEdges, from: PixelRect, x: Int, y: Int)
    }

    private struct Step: Sendable { var x: Int, y: Int, at: Int64 }

    /// The distance in pixels from which a press becomes a drag.
    private static let tremble = 4
    /// The longest time between the clicks of a double click, in nanoseconds.
    private static let doubleClick: Int64 = 400_000_000
    /// The time at the end of a drag over which its speed is measured, in nanoseconds.
    private static let speedSpan: Int64 = 100_000_000
    /// The lowest speed of a fling, in pixels per second.
    private static let throwSpeed = 600.0

    private var state = State.idle
    private var steps: [Step] = []
    private var lastClick: Int64?

    /// Creates an idle recognizer.
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
        steps = [Step(x: x, y: y, at: now)]
        if let button = layout.button(x: inX, y: inY) {
            state = .onButton(button)
        } else if let line = layout.line(x: inX, y: inY) {
            state = .onLine(line)
            return [.slide(line, layout.part(of: line, x: inX))]
        } else {
            let edges = WindowEdges(x: inX, y: inY, size: frame.size)
            state =
                edges.isEmpty
                ? .moving(from: frame, x: x, y: y, hasMoved: false) : .pulling(edges, from: frame, x: x, y: y)
        }
        return []
    }

    /// Handles a movement of the pointer.
    package mutating func move(
        x: Int, y: Int, inX: Int, picture: PixelSize, area: PixelRect, layout: ControlsLayout, at now: Int64
    ) -> [Action] {
        steps.append(Step(x: x, y: y, at: now))
        steps.removeAll { now - $0.at > Self.speedSpan }
        switch state {
        case .idle, .onButton: return []
        case .onLine(let line): return [.slide(line, layout.part(of: line, x: inX))]
        case .moving(let from, let x0, let y0, let hasMoved):
            guard hasMoved || abs(x - x0) >= Self.tremble || abs(y - y0) >= Self.tremble else { return [] }
            state = .moving(from: from, x: x0, y: y0, hasMoved: true)
            return [
                .setFrame(PixelRect(x: from.x + x - x0, y: from.y + y - y0, width: from.width, height: from.height))
            ]
        case .pulling(let edges, let from, let x0, let y0):
            return [.setFrame(edges.pull(from, by: x - x0, y - y0, picture: picture, area: area))]
        }
    }

    /// Handles the release of the primary button.
    package mutating func release(
        x: Int, y: Int, inX: Int, inY: Int, frame: PixelRect, layout: ControlsLayout, area: PixelRect, at now: Int64
    ) -> [Action] {
        defer { state = .idle }
        switch state {
        case .idle, .onLine: return []
        case .onButton(let button): return layout.button(x: inX, y: inY) == button ? [.press(button)] : []
        case .pulling: return [.settle]
        case .moving(_, _, _, true):
            guard let first = steps.first(where: { now - $0.at <= Self.speedSpan }), now > first.at else {
                return [.settle]
            }
            let seconds = Double(now - first.at) / 1e9
            let speed = (x: Double(x - first.x) / seconds, y: Double(y - first.y) / seconds)
            guard (speed.x * speed.x + speed.y * speed.y).squareRoot() >= Self.throwSpeed else { return [.settle] }
            return [.fly(to: WindowPlacement.corner(of: frame, thrown: speed, in: area))]
        case .moving(_, _, _, false):
            if let last = lastClick, now - last <= Self.doubleClick {
                lastClick = nil
                return [.nextSize]
            }
            lastClick = now
            return []
        }
    }

    /// Cancels the gesture, because the pointer was grabbed or the window was hidden.
    package mutating func cancel() { state = .idle }
}
