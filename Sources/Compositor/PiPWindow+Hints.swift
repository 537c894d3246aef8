import CXCB
import SharedFrames
import SystemCalls
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
        window.setDecorated(false)
        setHints()
    }

    /// Makes the window a transient window of a full-screen window, so that it stays above that window; `nil` ends
    /// that.
    func setTransientParent(_ parent: xcb_window_t?) {
        if transientParent != nil { lastTransientTime = MonotonicTime.now }
        transientParent = parent
        window.setTransientParent(parent)
    }

    /// Shows the window again after the window manager has minimised it together with its transient parent.
    func handleUnmapping() {
        // The report that the full-screen window is no longer active may arrive before this event.
        let wasTransient =
            transientParent != nil
            || lastTransientTime.map { MonotonicTime.now - $0 < Self.minimisingTimeout } == true
        guard wasTransient, !isHidden, pictureAnimation == nil else { return }
        setTransientParent(nil)
        // A window manager may refuse to restore a minimised window that the user has not used, but it shows a new
        // window.
        window.withdraw()
        restoresStates = true
        window.map()
    }

    /// Requests the states that the window manager discarded when the window was withdrawn.
    func restoreStates() {
        guard restoresStates else { return }
        restoresStates = false
        let atoms = connection.atoms
        window.requestState(true, atoms.stateAbove, isOnAllWorkspaces ? atoms.stateSticky : 0)
        window.requestState(true, atoms.stateSkipTaskbar, atoms.stateSkipPager)
    }

    /// Nanoseconds after the end of ``transientParent`` within which the window manager may minimise the window
    /// together with that parent.
    private static let minimisingTimeout: Int64 = 1_000_000_000

    /// Sets the size limits and the aspect ratio for the window manager.
    func setHints() {
        window.setSizeHints(
            position: (frame.x, frame.y), size: frame.size,
            minimum: PixelSize(width: WindowPlacement.minimumWidth, height: 32),
            aspect: (frameAnimation?.endFrame ?? frame).size)
    }
}
