/// An event of the wall's window. Coordinates are pixels of the window.
enum WallEvent: Equatable {
    /// A key was pressed.
    case key(WallKey)
    /// The pointer moved.
    case pointerMoved(x: Int, y: Int)
    /// The pointer left the window.
    case pointerLeft
    /// The left button was pressed or released.
    case button(isPressed: Bool, x: Int, y: Int)
    /// The wheel was turned, by steps; down is positive.
    case wheel(Int)
    /// The window has another size.
    case resized(PixelArea)
    /// The content of the window was lost.
    case exposed
    /// The window appeared on the screen, or was minimised.
    case shown(Bool)
    /// The window received or lost the keyboard focus.
    case focused(Bool)
    /// The server has read the surface.
    case surfaceRead
    /// The user asked to close the window.
    case closeRequested
}
