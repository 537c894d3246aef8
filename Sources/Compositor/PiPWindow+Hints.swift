import CXCB
import SharedFrames
import VideoOutput

/// What a window manager is told about the window.
extension PiPWindow {
    /// Everything a window manager should know, before the window is mapped: rules match on it, and a state that comes
    /// later flickers.
    func introduce() {
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
        // No keyboard focus when it appears.
        window.set(atoms.userTime, type: XCB_ATOM_CARDINAL.rawValue, [0])
        // No border and no title: flags = decorations, decorations = 0.
        window.set(atoms.motifHints, type: atoms.motifHints, [2, 0, 0, 0, 0])
        setHints()
    }

    func setHints() {
        window.setSizeHints(
            position: (frame.x, frame.y), size: frame.size,
            minimum: PixelSize(width: WindowPlacement.minimumWidth, height: 32),
            aspect: (glide?.to ?? frame).size)
    }
}
