/// What a pointer does over an output, in pixels of its area.
package enum PointerEvent: Sendable, Equatable {
    case moved(x: Int, y: Int)
    /// A button by mpv's name: `MBTN_LEFT`, `WHEEL_UP`.
    case pressed(String, x: Int, y: Int)
    case released(String, x: Int, y: Int)
    /// It is somewhere else.
    case left
}
