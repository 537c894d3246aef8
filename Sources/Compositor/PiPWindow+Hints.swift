import CXCB
import SharedFrames
import VideoOutput

/// The floating window's properties for the window manager (ICCCM, EWMH).
extension PiPWindow {
    /// Sets all window properties before the window is mapped: window rules match on them, and later changes of the
    /// window's state would flicker.
    func setWindowProperties() {
        let atoms = connection.atoms
        window.setTitle("Picture-in-Picture")
        window.setClass(instance: "swiftplay-pip", name: "swiftplay")
        window.setProtocols(takesFocus: true)
        window.setInputHint(false)
        window.set(atoms.windowType, type: XCB_ATOM_ATOM.rawValue, [atoms.typeUtility])
        window.set(
            atoms.netWMState, type: XCB_ATOM_ATOM.rawValue,
            [atoms.stateAbove, atoms.stateSkipTaskbar, atoms.stateSkipPager]
                + (isOnAllWorkspaces ? [atoms.stateSticky] : []))
        if isOnAllWorkspaces { window.set(atoms.desktop, type: XCB_ATOM_CARDINAL.rawValue, [0xFFFF_FFFF]) }
        // EWMH: a user time of 0 prevents the keyboard focus when the window appears.
        window.set(atoms.userTime, type: XCB_ATOM_CARDINAL.rawValue, [0])
        // Motif hints that remove border and title: flags = 2 (the next field counts), decorations = 0 (none).
        window.set(atoms.motifHints, type: atoms.motifHints, [2, 0, 0, 0, 0])
        setHints()
    }

    /// Sets the size limits and the aspect ratio for the window manager.
    func setHints() {
        window.setSizeHints(
            position: (frame.x, frame.y), size: frame.size,
            minimum: PixelSize(width: WindowPlacement.minimumWidth, height: 32),
            aspect: (frameAnimation?.endFrame ?? frame).size)
    }
}
