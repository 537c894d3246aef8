/// Whether a window can be seen, from what server and window manager say of it: a pure value.
struct WindowSight: Equatable, Sendable {
    var isMapped = true
    /// Covered by other windows as a whole, as the server reports it (`VisibilityNotify`): never under a compositing
    /// manager.
    var isObscured = false
    /// Covered by other windows as a whole, by their order and geometry: read under a compositing manager only.
    var isCovered = false
    /// `_NET_WM_STATE_HIDDEN`: minimised, also where the window stays mapped for its preview.
    var isMinimised = false
    /// `_NET_WM_DESKTOP`; nil: not told.
    var desktop: UInt32?
    /// The root's `_NET_CURRENT_DESKTOP`.
    var currentDesktop: UInt32?

    /// On all of them (EWMH).
    private static let everywhere: UInt32 = 0xFFFF_FFFF

    var isVisible: Bool { isShown && !isObscured && !isCovered }

    /// The user has it on the screen, be it below others.
    var isShown: Bool {
        let isElsewhere =
            desktop.map { own in own != Self.everywhere && currentDesktop.map { $0 != own } ?? false } ?? false
        return isMapped && !isMinimised && !isElsewhere
    }
}
