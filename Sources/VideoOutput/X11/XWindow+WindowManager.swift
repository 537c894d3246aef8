import CXCB

/// Requests to the window manager about a managed window (EWMH, ICCCM, Motif).
extension XWindow {
    /// Sets whether the window manager draws a title bar and a frame around the window.
    package func setDecorated(_ isDecorated: Bool) {
        // Motif hints: flags = 2 (the field `decorations` counts), decorations = 1 (all) or 0 (none).
        set(
            connection.atoms.motifHints, type: connection.atoms.motifHints, [2, 0, isDecorated ? 1 : 0, 0, 0])
        connection.flush()
    }

    /// Declares the window as a transient window of another window (ICCCM `WM_TRANSIENT_FOR`), above which the window
    /// manager keeps it; nil ends that.
    package func setTransientParent(_ parent: xcb_window_t?) {
        if let parent {
            set(XCB_ATOM_WM_TRANSIENT_FOR.rawValue, type: XCB_ATOM_WINDOW.rawValue, [parent])
        } else {
            xcb_delete_property(connection.pointer, id, XCB_ATOM_WM_TRANSIENT_FOR.rawValue)
        }
        connection.flush()
    }

    /// Requests that the window manager sets or removes states (`_NET_WM_STATE`) of a mapped window.
    package func requestState(_ isSet: Bool, _ state: xcb_atom_t, _ secondState: xcb_atom_t = 0) {
        // The last parameter means that the request comes from a normal application.
        sendRootMessage(connection.atoms.netWMState, (isSet ? 1 : 0, state, secondState, 1, 0))
    }

    /// Requests that the window manager minimises the window (ICCCM 4.1.4).
    func minimise() {
        sendRootMessage(connection.atoms.wmChangeState, (UInt32(XCB_ICCCM_WM_STATE_ICONIC.rawValue), 0, 0, 0, 0))
    }

    /// Requests that the window manager moves the window with the pointer until the primary button is released
    /// (`_NET_WM_MOVERESIZE`).
    ///
    /// - Parameters:
    ///   - x: The horizontal position of the pointer on the screen.
    ///   - y: The vertical position of the pointer on the screen.
    func beginMove(x: Int, y: Int) {
        // End the pointer grab that the X server began for this window when the button was pressed: during that grab
        // the window manager cannot grab the pointer.
        xcb_ungrab_pointer(connection.pointer, UInt32(XCB_CURRENT_TIME))
        let moveDirection: UInt32 = 8, primaryButton: UInt32 = 1, normalApplication: UInt32 = 1
        sendRootMessage(
            connection.atoms.moveResize,
            (
                UInt32(bitPattern: Int32(clamping: x)), UInt32(bitPattern: Int32(clamping: y)), moveDirection,
                primaryButton, normalApplication
            ))
    }
}
