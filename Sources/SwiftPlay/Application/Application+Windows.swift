/// Windows that the program draws itself.
extension Application {
    /// The visibility and the focus of a window (UIScene.ActivationState).
    public enum ActivationState: Sendable, CaseIterable {
        /// The window is minimised, or on another workspace.
        case background
        /// The window is on the screen, and another window has the keyboard focus. Other windows may cover it.
        case foregroundInactive
        /// The window has the keyboard focus.
        case foregroundActive
    }

    /// Reports the visibility and the focus of a window that the program opened without ``SwiftPlay``, for example with
    /// XCB or a toolkit. Such windows count for ``role`` as those of `PlayerWindow` do. A program that never calls this
    /// method and has no `PlayerWindow` counts as a program without windows.
    ///
    /// - Parameters:
    ///   - state: The visibility and the focus of the window; nil when the window is closed.
    ///   - window: The identity of the program's object for the window, which must exist until the call with nil.
    public func setActivationState(_ state: ActivationState?, ofWindow window: ObjectIdentifier) {
        guard let state else { return removeWindow(window) }
        changeWindow(window) { $0.setActivationState(state) }
    }
}

extension ProgramWindows.Window {
    /// Records whether the window is visible and has the focus, by the state that the program reports.
    mutating func setActivationState(_ state: Application.ActivationState) {
        isShown = state != .background
        isFocused = state == .foregroundActive
    }
}
