import CXCB
import SharedFrames

/// The states and the size of the window, which the window manager controls.
extension X11Output {
    /// A change of the window's size that the program requested.
    enum ResizeRequest: Equatable {
        /// Adapt the window to a picture of a new item.
        case picture(PixelSize)
        /// Give the window the size of its picture, multiplied by a factor.
        case scale(Double)
    }

    package var isEmbedded: Bool { parent != nil }

    package var displayScale: Double { connection.displayScale }

    package func setOnTop(_ isOnTop: Bool) {
        if hasWindowManager { window.requestState(isOnTop, connection.atoms.stateAbove) }
    }

    package func setDecorated(_ isDecorated: Bool) { if hasWindowManager { window.setDecorated(isDecorated) } }

    package func setMaximised(_ isMaximised: Bool) {
        let atoms = connection.atoms
        if hasWindowManager {
            window.requestState(isMaximised, atoms.stateMaximisedVertically, atoms.stateMaximisedHorizontally)
        }
    }

    package func minimise() { if hasWindowManager { window.minimise() } }

    package func beginMove() {
        let (pointer, isFullScreen) = state.withLock { ($0.pointerOnScreen, $0.fullScreen.isOn) }
        if hasWindowManager, !isFullScreen { window.beginMove(x: pointer.x, y: pointer.y) }
    }

    /// Removes the window from the screen and from the window manager's list. ``activate()`` shows the window again.
    package func hide() { isEmbedded ? window.unmap() : window.withdraw() }

    /// Unminimises and raises the window. A window in a window of another program takes the keyboard focus.
    package func activate() {
        window.map()
        if hasWindowManager {
            window.sendRootMessage(connection.atoms.activeWindow, (1, 0, 0, 0, 0))
        } else {
            window.raise()
            if isEmbedded { window.takeFocus(at: UInt32(XCB_CURRENT_TIME)) }
        }
    }

    // MARK: Size

    package func adaptSize(to picture: PixelSize) { requestResize(.picture(picture)) }

    package func setScale(_ scale: Double) { requestResize(.scale(scale)) }

    /// Leaves a change of the window's size to the event thread, because it waits for the server.
    private func requestResize(_ request: ResizeRequest) {
        guard !isEmbedded else { return }
        state.withLock { $0.resizeRequest = request }
        window.wake()
    }

    /// Carries out the pending change of the window's size, unless the window is maximised or in full screen: then the
    /// change stays pending. Waits for the server; call it on the event thread.
    func carryOutResizeRequest() {
        let pending = state.withLock { state -> (request: ResizeRequest, picture: PixelSize, nominalSize: PixelSize)? in
            guard !state.fullScreen.isOn, !state.fullScreen.isPending, !state.isMaximised, !state.isClosed,
                let request = state.resizeRequest.take()
            else { return nil }
            if case .picture(let picture) = request { state.pictureSize = picture }
            return (request, state.pictureSize, state.nominalSize)
        }
        guard let pending, let origin = window.origin, let size = window.currentSize else { return }
        let decorations = hasWindowManager ? window.decorations ?? WindowDecorations() : WindowDecorations()
        let windowCentre = (x: origin.x + size.width / 2, y: origin.y + size.height / 2), monitors = connection.monitors
        let monitor = monitors.first { $0.contains(x: windowCentre.x, y: windowCentre.y) } ?? monitors[0]
        let area = decorations.clientArea(within: connection.workArea(of: monitor, isManaged: hasWindowManager))
        var rules = sizing, isScaleRequest = false
        if case .scale(let scale) = pending.request {
            (rules, isScaleRequest) = (WindowSizing(), true)
            (rules.scale, rules.appliesDisplayScale) = (scale, sizing.appliesDisplayScale)
        }
        let newSize = rules.frame(
            picture: pending.picture, monitor: monitor, available: area, displayScale: displayScale
        ).size
        // If the options give the window the size of the previous item, the user's own size stays.
        let isResized = isScaleRequest || newSize != pending.nominalSize
        state.withLock { $0.nominalSize = newSize }
        window.setSizeHints(
            position: nil, size: isResized ? newSize : size, minimum: Self.minimumSize,
            aspect: keepsAspectRatio ? rules.aspect(picture: pending.picture, window: newSize) : nil)
        guard isResized else { return connection.flush() }
        // The upper left corner stays in place unless the window would leave the work area.
        let x = max(area.x, min(origin.x, area.x + area.width - newSize.width))
        let y = max(area.y, min(origin.y, area.y + area.height - newSize.height))
        // A managed window is positioned by the corner of its frame (ICCCM 4.1.5). Without a position, openbox moves
        // the window to the top of the screen.
        window.setFrame(
            PixelRect(
                x: x - decorations.left, y: y - decorations.top, width: newSize.width, height: newSize.height))
    }
}
