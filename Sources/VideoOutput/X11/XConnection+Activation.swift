import CXCB

/// Bringing windows of other programs forward.
extension XConnection {
    /// The most windows that are searched.
    private static let windowLimit: UInt32 = 4096

    /// Requests that the window manager unminimises, raises and focuses the topmost window of a process
    /// (`_NET_ACTIVE_WINDOW`). Waits for the server.
    ///
    /// - Returns: Whether the process has a window that a window manager manages.
    package func activateWindow(ofProcess processID: Int32) -> Bool {
        guard hasWindowManager else { return false }
        let windows = propertyWords(atoms.clientListStacking, of: root, limit: Self.windowLimit)
        let cookies = windows.map {
            xcb_get_property(pointer, 0, $0, atoms.processID, XCB_ATOM_CARDINAL.rawValue, 0, 1)
        }
        // Every reply must be received.
        let owners = cookies.map { words(of: xcb_get_property_reply(pointer, $0, nil)).first }
        guard let index = owners.lastIndex(of: UInt32(bitPattern: processID)) else { return false }
        // The first value means that the user has chosen the window in a list of windows.
        XWindow.sendRootMessage(atoms.activeWindow, about: windows[index], (2, 0, 0, 0, 0), self)
        return true
    }
}
