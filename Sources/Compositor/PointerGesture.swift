import SharedFrames

/// What a pointer does to a floating window: a pure state machine. Places are root coordinates, times host nanoseconds.
package struct PointerGesture: Sendable {
    package enum Action: Equatable, Sendable {
        case press(ControlsLayout.Button)
        /// To this part of a line, 0 to 1.
        case slide(ControlsLayout.Line, Double)
        case setFrame(PixelRect)
        /// The window was thrown.
        case fly(to: WindowPlacement.Corner)
        /// The window was let go, or has its new size: it stays there.
        case settle
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

    /// Pixels that a hand may tremble.
    private static let tremble = 4
    /// Two clicks within this are one double click, nanoseconds.
    private static let doubleClick: Int64 = 400_000_000
    /// The last so many nanoseconds of a movement tell its speed; from so many pixels a second on the window is thrown.
    private static let speedSpan: Int64 = 100_000_000
    private static let throwSpeed = 600.0

    private var state = State.idle
    private var steps: [Step] = []
    private var lastClick: Int64?

    package init() {}

    /// It is the picture that is held, and nothing on it.
    package var holdsPicture: Bool { if case .moving = state { true } else { false } }

    /// Something is held.
    package var isActive: Bool { if case .idle = state { false } else { true } }

    /// - Parameters:
    ///   - x: of the pointer on the screen; `inX` in the window.
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

    /// The pointer was taken away from us.
    package mutating func cancel() { state = .idle }
}
