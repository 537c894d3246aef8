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
    /// The mouse wheel was turned by a number of steps; positive steps scroll down.
    case wheel(Int)
    /// The size of the window has changed.
    case resized(PixelSize)
    /// The content of the window was lost.
    case exposed
    /// The window appeared on the screen, or was minimised.
    case shown(Bool)
    /// The window received or lost the keyboard focus.
    case focused(Bool)
    /// The X server has read the surface with the shared memory `segment`.
    case surfaceRead(segment: UInt32)
    /// The X server has refused a request; the text names the request and the error.
    case failed(String)
    /// The user requested to close the window.
    case closeRequested
}
