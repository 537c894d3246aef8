import CXCB
import SharedFrames

/// The creation of a player's window with all its properties.
extension X11Output {
    /// A new window that is not mapped yet.
    struct Opening {
        let window: XWindow
        /// The rectangle of the window, on the screen or in its parent.
        let frame: PixelRect
        /// The rectangle of the window outside of full screen.
        let normalFrame: PixelRect
    }

    /// Creates the window according to the options. Waits for the server.
    ///
    /// - Throws: `XError` if the parent in the options does not exist.
    static func openWindow(
        _ connection: XConnection, _ pictureSize: PixelSize, _ options: Options, isManaged: Bool
    ) throws(XError) -> Opening {
        if let parent = options.parent { return try openEmbedded(connection, parent, options) }
        let sizing = options.sizing, monitors = connection.monitors
        let fullScreenIndex = options.isFullScreen ? options.fullScreenMonitor.index : nil
        let chosenMonitor = (fullScreenIndex ?? options.monitorIndex).flatMap {
            monitors.indices.contains($0) ? monitors[$0] : nil
        }
        let monitor = chosenMonitor ?? connection.pointerMonitor
        let area = connection.workArea(of: monitor, isManaged: isManaged)
        func frame(in available: PixelRect) -> PixelRect {
            sizing.frame(
                picture: pictureSize, monitor: monitor, available: available, displayScale: connection.displayScale)
        }
        var normalFrame = frame(in: area)
        let fillsScreen = options.isFullScreen && !isManaged
        let fullFrame =
            options.fullScreenMonitor == .all
            ? options.fullScreenMonitor.area(of: monitor, monitors: monitors) : monitor
        let window = XWindow(connection: connection, frame: fillsScreen ? fullFrame : normalFrame)
        setProperties(of: window, connection, options)
        let smallestClientArea = WindowDecorations.largest.clientArea(within: area)
        if isManaged, options.hasDecorations, frame(in: smallestClientArea).size != normalFrame.size {
            // Query the decorations only if they can change the size, because the reply delays the first picture.
            // Decorations depend on the window's type and class, which are already set.
            normalFrame = frame(in: window.estimateDecorations().clientArea(within: area))
            window.setFrame(normalFrame, isFlushed: false)
        }
        let hasStartPosition = sizing.geometry?.hasPosition == true || chosenMonitor != nil
        window.setSizeHints(
            position: hasStartPosition ? (normalFrame.x, normalFrame.y) : nil, size: normalFrame.size,
            minimum: minimumSize,
            aspect: options.keepsAspectRatio
                ? sizing.aspect(picture: pictureSize, window: normalFrame.size) : nil)
        return Opening(window: window, frame: fillsScreen ? fullFrame : normalFrame, normalFrame: normalFrame)
    }

    /// The smallest size of the window to which the window manager resizes it, in pixels.
    static let minimumSize = PixelSize(width: 32, height: 32)

    /// Creates the window in a window of another program, in that window's size.
    private static func openEmbedded(
        _ connection: XConnection, _ parent: xcb_window_t, _ options: Options
    ) throws(XError) -> Opening {
        guard let size = connection.watchParent(parent) else {
            throw XError("the X server has no window with the ID \(parent)")
        }
        let frame = PixelRect(x: 0, y: 0, width: size.width, height: size.height)
        let window = XWindow(connection: connection, parent: parent, frame: frame)
        window.setTitle(options.title)
        window.setClass(instance: options.instanceName, name: options.className)
        return Opening(window: window, frame: frame, normalFrame: frame)
    }

    /// Sets the properties of a top-level window, except its size hints.
    private static func setProperties(of window: XWindow, _ connection: XConnection, _ options: Options) {
        window.setTitle(options.title)
        window.setClass(instance: options.instanceName, name: options.className)
        window.setProtocols()
        window.setInputHint(true, opensMinimised: options.isMinimised)
        window.set(connection.atoms.windowType, type: XCB_ATOM_ATOM.rawValue, [connection.atoms.typeNormal])
        if !options.hasDecorations { window.setDecorated(false) }
        let atoms = connection.atoms
        let initialStates =
            (options.isFullScreen ? [atoms.stateFullScreen] : []) + (options.isOnTop ? [atoms.stateAbove] : [])
            + (options.isMaximised ? [atoms.stateMaximisedVertically, atoms.stateMaximisedHorizontally] : [])
        if !initialStates.isEmpty { window.set(atoms.netWMState, type: XCB_ATOM_ATOM.rawValue, initialStates) }
    }
}

extension XConnection {
    /// Requests the events about a window of another program, and returns its size; nil if there is no such window.
    /// Waits for the server.
    func watchParent(_ parent: xcb_window_t) -> PixelSize? {
        xcb_change_window_attributes(
            pointer, parent, XCB_CW_EVENT_MASK.rawValue, [XCB_EVENT_MASK_STRUCTURE_NOTIFY.rawValue])
        guard let reply = xcb_get_geometry_reply(pointer, xcb_get_geometry(pointer, parent), nil) else { return nil }
        defer { free(reply) }
        return PixelSize(width: Int(reply.pointee.width), height: Int(reply.pointee.height))
    }
}
