import TestSupport

/// Moves the mouse pointer of the X server and clicks with it, with `xdotool`.
enum Pointer {
    /// A button of the Picture-in-Picture window. ``position`` is a fraction of the size of a 16:9 window, as
    /// `ControlsLayout` computes it.
    enum Button {
        case restore, playPause, close
        var position: (x: Double, y: Double) {
            switch self {
            case .restore: (0.08, 0.14)
            case .playPause: (0.5, 0.5)
            case .close: (0.92, 0.14)
            }
        }
    }

    /// Moves the pointer to a point of the screen rectangle `area`; `x` and `y` are fractions of its width and height.
    static func move(to area: Window.Area, x: Double, y: Double) throws {
        let (px, py) = (area.x + Int(Double(area.width) * x), area.y + Int(Double(area.height) * y))
        try run("xdotool", ["mousemove", "\(px)", "\(py)"])
    }

    /// Moves the pointer to the upper left corner of the screen.
    static func moveAway() throws { try run("xdotool", ["mousemove", "5", "5"]) }

    /// Clicks a button of the Picture-in-Picture window at `area`. Moves the pointer into the window first, which shows
    /// the controls, because hidden controls do not react to clicks.
    static func click(_ button: Button, in area: Window.Area) throws {
        try move(to: area, x: 0.3, y: 0.8)
        try move(to: area, x: button.position.x, y: button.position.y)
        try run("xdotool", ["click", "1"])
    }
}
