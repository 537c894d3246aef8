import CXCB
import SharedFrames
import VideoOutput

/// While Control is held over the window, what lies below is seen, and clicked: nobody has to move the picture away for
/// a moment.
extension PiPWindow {
    /// Nanoseconds between two looks at the pointer: a key that is pressed over a window without the keyboard is told
    /// to nobody.
    private static let interval: Int64 = 60_000_000
    /// A fifth, where a compositing manager makes windows translucent (`_NET_WM_WINDOW_OPACITY`).
    private static let opacity: UInt32 = 0xFFFF_FFFF / 5
    /// What is left of the window where there is none, in pixels.
    private static let rim = 2

    /// Looks are taken only while the pointer is over the window.
    var nextLook: Int64? { isPointerInside || isSeeThrough ? lastLook + Self.interval : nil }

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
