/// The visibility of a window, as the X server and the window manager report it.
struct WindowVisibility: Equatable, Sendable {
    /// Whether the window is mapped; false after it was withdrawn.
    var isMapped = true
    /// Whether other windows cover the whole window, according to the server (`VisibilityNotify`). Always false under a
    /// compositing manager.
    var isObscured = false
    /// Whether other windows cover the whole window, according to the stacking order and the windows' rectangles.
    /// Updated only under a compositing manager.
    var isCovered = false
    /// Whether the window is minimised (`_NET_WM_STATE_HIDDEN`). A minimised window may stay mapped for a preview.
    var isMinimised = false
    /// The window's workspace (`_NET_WM_DESKTOP`); nil if the window manager does not set it.
    var desktop: UInt32?
    /// The current workspace (`_NET_CURRENT_DESKTOP` of the root window).
    var currentDesktop: UInt32?

    /// The value of `_NET_WM_DESKTOP` for a window on all workspaces (EWMH).
    private static let allWorkspaces: UInt32 = 0xFFFF_FFFF

    /// Whether a part of the window is visible.
    var isVisible: Bool { isShown && !isObscured && !isCovered }

    /// Whether the window is mapped, not minimised and on the current workspace. Other windows may cover it.
    var isShown: Bool {
        let isOnOtherWorkspace =
            desktop.map { own in own != Self.allWorkspaces && currentDesktop.map { $0 != own } ?? false } ?? false
        return isMapped && !isMinimised && !isOnOtherWorkspace
    }
}
