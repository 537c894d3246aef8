/// A pointer event over an output. Positions are in pixels of the output's area.
package enum PointerEvent: Sendable, Equatable {
    /// The pointer has moved to this position.
    case moved(x: Int, y: Int)
    /// The user pressed a button, given by mpv's name: `MBTN_LEFT`, `WHEEL_UP`.
    case pressed(String, x: Int, y: Int)
    /// The user released a button, given by mpv's name.
    case released(String, x: Int, y: Int)
    /// The pointer has left the output's area.
    case left
}
