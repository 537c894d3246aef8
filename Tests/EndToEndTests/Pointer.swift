import TestSupport

/// The desk's pointer.
enum Pointer {
    /// A button of the floating window and where it is in it: `ControlsLayout`'s places, as parts of a 16:9 window.
    enum Button {
        case restore, playPause, close
        var place: (x: Double, y: Double) {
            switch self {
            case .restore: (0.08, 0.14)
            case .playPause: (0.5, 0.5)
            case .close: (0.92, 0.14)
            }
        }
    }

    static func move(to area: Window.Area, x: Double, y: Double) throws {
        let (px, py) = (area.x + Int(Double(area.width) * x), area.y + Int(Double(area.height) * y))
        try run("xdotool", ["mousemove", "\(px)", "\(py)"])
    }

    static func moveAway() throws { try run("xdotool", ["mousemove", "5", "5"]) }

    /// Moves in first, as a hand does, then to the button.
    static func click(_ button: Button, in area: Window.Area) throws {
        try move(to: area, x: 0.3, y: 0.8)
        try move(to: area, x: button.place.x, y: button.place.y)
        try run("xdotool", ["click", "1"])
    }
}
