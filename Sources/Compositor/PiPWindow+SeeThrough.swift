import CXCB
import SharedFrames
import VideoOutput

/// The see-through mode: while the user holds Control over the window, the windows below are visible and receive
/// clicks, so that the user need not move the picture away.
extension PiPWindow {
    /// Nanoseconds between two queries of the pointer. Polling is needed because a window without the keyboard focus
    /// receives no key events.
    private static let pointerQueryInterval: Int64 = 60_000_000
    /// The opacity of the window in see-through mode with a compositing manager: one fifth, as a value of
    /// `_NET_WM_WINDOW_OPACITY`.
    private static let seeThroughOpacity: UInt32 = 0xFFFF_FFFF / 5
    /// The width of the window's border in see-through mode without a compositing manager, in pixels. Only the border
    /// is visible.
    private static let visibleBorderWidth = 2

    /// The host time of the next query of the pointer; `nil` while the see-through mode is off and the pointer is
    /// outside the window.
    var nextPointerQuery: Int64? {
        isPointerInside || isTransparent ? lastPointerQuery + Self.pointerQueryInterval : nil
    }

    /// Queries the pointer and the Control key, and switches the see-through mode on or off accordingly.
    func updateSeeThroughMode(now: Int64) {
        lastPointerQuery = now
        let pointer = window.pointerState
        let isInside =
            pointer.map { $0.x >= 0 && $0.y >= 0 && $0.x < drawnSize.width && $0.y < drawnSize.height } ?? false
        let isControlHeld = (pointer?.modifiers ?? 0) & XCB_MOD_MASK_CONTROL.rawValue != 0
        let shouldBeTransparent = isInside && isControlHeld && !gesture.isActive
        guard shouldBeTransparent != isTransparent else { return }
        isTransparent = shouldBeTransparent
        window.setInputTransparent(shouldBeTransparent)
        if shouldBeTransparent, connection.isComposited {
            window.set(connection.atoms.opacity, type: XCB_ATOM_CARDINAL.rawValue, [Self.seeThroughOpacity])
        } else if shouldBeTransparent {
            window.setBorderShape(Self.visibleBorderWidth, of: drawnSize)
        } else {
            window.set(connection.atoms.opacity, type: XCB_ATOM_CARDINAL.rawValue, [0xFFFF_FFFF])
            window.setBorderShape(nil, of: drawnSize)
        }
        connection.flush()
    }
}
