import CXCB
import SharedFrames
import VideoOutput

/// The see-through mode: while Control is held over the window, the windows below are visible and receive clicks, so
/// that the user need not move the picture away.
extension PiPWindow {
    /// Nanoseconds between two queries of the pointer. Polling is needed because a window without the keyboard focus
    /// receives no key events.
    private static let interval: Int64 = 60_000_000
    /// The opacity with a compositing manager: one fifth, as a value of `_NET_WM_WINDOW_OPACITY`.
    private static let opacity: UInt32 = 0xFFFF_FFFF / 5
    /// The width of the visible rim without a compositing manager, in pixels.
    private static let rim = 2

    /// The host time of the next query; `nil` while the mode is off and the pointer is outside the window.
    var nextLook: Int64? { isPointerInside || isSeeThrough ? lastLook + Self.interval : nil }

    /// Queries the pointer and the Control key, and updates the see-through mode.
    func lookThrough(now: Int64) {
        lastLook = now
        let pointer = window.pointer
        let isInside =
            pointer.map { $0.x >= 0 && $0.y >= 0 && $0.x < drawnSize.width && $0.y < drawnSize.height } ?? false
        let isHeld = (pointer?.modifiers ?? 0) & XCB_MOD_MASK_CONTROL.rawValue != 0
        let wanted = isInside && isHeld && !gesture.isActive
        guard wanted != isSeeThrough else { return }
        isSeeThrough = wanted
        window.letPointerThrough(wanted)
        if wanted, connection.isComposited {
            window.set(connection.atoms.opacity, type: XCB_ATOM_CARDINAL.rawValue, [Self.opacity])
        } else if wanted {
            window.setRim(Self.rim, of: drawnSize)
        } else {
            window.set(connection.atoms.opacity, type: XCB_ATOM_CARDINAL.rawValue, [0xFFFF_FFFF])
            window.setRim(nil, of: drawnSize)
        }
        connection.flush()
    }
}
