import CXCB
import Glibc
import SharedFrames
import SystemCalls

extension X11Output {
    /// Reads and handles the events of the X server until the window is closed or the connection fails. The event
    /// thread runs this method.
    func readEvents() {
        let keyboard = XKeyboard(connection: connection)
        while let event = waitForEvent() {
            defer { free(event) }
            if state.withLock({ $0.isClosed }) { return }
            handle(event, keyboard)
            // Handle all queued events first. Then one query of the windows above this window is enough for all these
            // events.
            var mayChangeStacking = Self.mayChangeStacking(event, window.id)
            var mayHaveMoved = reportsMove(event)
            while let queuedEvent = xcb_poll_for_queued_event(connection.pointer) {
                defer { free(queuedEvent) }
                if state.withLock({ $0.isClosed }) { return }
                handle(queuedEvent, keyboard)
                mayChangeStacking = mayChangeStacking || Self.mayChangeStacking(queuedEvent, window.id)
                mayHaveMoved = mayHaveMoved || reportsMove(queuedEvent)
            }
            if mayHaveMoved { updateOrigin() }
            if mayChangeStacking { updateCoverage() }
        }
        if !state.withLock({ $0.isClosed }) { onEvent(.lost("the connection to the X server was lost")) }
    }

    /// Returns the next event; nil if the connection has failed. Meanwhile sends a full-screen request for which an
    /// earlier one was not answered in time.
    private func waitForEvent() -> UnsafeMutablePointer<xcb_generic_event_t>? {
        while let sendTime = state.withLock({ $0.isClosed ? nil : $0.fullScreen.sendTime }) {
            if let event = xcb_poll_for_event(connection.pointer) { return event }
            guard xcb_connection_has_error(connection.pointer) == 0 else { return nil }
            // While another thread waits for a reply, it also reads events from the socket.
            let now = MonotonicTime.now, nextCheck = min(sendTime, now + 50_000_000)
            _ = try? Poll.waitReadable(connection.descriptor, until: nextCheck)
            if now >= sendTime { carryOutFullScreenRequest() }
        }
        return xcb_wait_for_event(connection.pointer)
    }

    /// Returns whether an event may mean that the window has moved on the screen.
    /// Each move of a top-level window may move an embedded window.
    private func reportsMove(_ event: UnsafeMutablePointer<xcb_generic_event_t>) -> Bool {
        switch Int32(event.pointee.response_type & 0x7f) {
        // The structures of these three events start alike: the window that receives the report, then the window that
        // changed.
        case XCB_CONFIGURE_NOTIFY, XCB_MAP_NOTIFY, XCB_REPARENT_NOTIFY:
            event.withMemoryRebound(to: xcb_configure_notify_event_t.self, capacity: 1) {
                isEmbedded || $0.pointee.event == window.id
            }
        default: false
        }
    }

    /// Reads the window's position on the screen. Waits for the server; call it on the event thread.
    private func updateOrigin() {
        let origin = window.origin
        state.withLock { $0.origin = origin }
    }

    /// Handles one event of the server.
    private func handle(_ event: UnsafeMutablePointer<xcb_generic_event_t>, _ keyboard: XKeyboard) {
        if keyboard.handle(event) { return }
        switch Int32(event.pointee.response_type & 0x7f) {
        case XCB_KEY_PRESS:
            event.withMemoryRebound(to: xcb_key_press_event_t.self, capacity: 1) { key in
                if let name = keyboard.name(of: key.pointee) { onEvent(.key(name)) }
            }
        case XCB_BUTTON_PRESS, XCB_BUTTON_RELEASE, XCB_MOTION_NOTIFY, XCB_LEAVE_NOTIFY: handlePointer(event)
        // The root window also reports these events for other top-level windows.
        case XCB_CONFIGURE_NOTIFY, XCB_MAP_NOTIFY, XCB_UNMAP_NOTIFY, XCB_DESTROY_NOTIFY:
            event.withMemoryRebound(to: xcb_configure_notify_event_t.self, capacity: 1) { notification in
                if notification.pointee.event == window.id {
                    handleOwnWindowChange(event)
                } else if notification.pointee.event == parent, notification.pointee.window == parent {
                    // If the parent is the root window, it also reports events about other top-level windows.
                    handleParentChange(event)
                }
            }
        case XCB_EXPOSE:
            event.withMemoryRebound(to: xcb_expose_event_t.self, capacity: 1) {
                if $0.pointee.count == 0 { handleExpose() }
            }
        case XCB_FOCUS_IN, XCB_FOCUS_OUT: handleFocus(event)
        case XCB_VISIBILITY_NOTIFY:
            event.withMemoryRebound(to: xcb_visibility_notify_event_t.self, capacity: 1) { notification in
                let isObscured = UInt32(notification.pointee.state) == XCB_VISIBILITY_FULLY_OBSCURED.rawValue
                updateVisibility { $0.isObscured = isObscured }
            }
        case XCB_PROPERTY_NOTIFY:
            event.withMemoryRebound(to: xcb_property_notify_event_t.self, capacity: 1) {
                handlePropertyChange($0.pointee.atom)
            }
        case XCB_CLIENT_MESSAGE:
            event.withMemoryRebound(to: xcb_client_message_event_t.self, capacity: 1) { message in
                // Messages for other windows also arrive because the root window's events are selected.
                guard message.pointee.window == window.id else { return }
                if message.pointee.type == connection.atoms.wmProtocols,
                    message.pointee.data.data32.0 == connection.atoms.wmDeleteWindow
                {
                    onEvent(.closeRequested)
                }
                if message.pointee.type == connection.atoms.wake {
                    carryOutFullScreenRequest()
                    carryOutResizeRequest()
                }
            }
        default: break
        }
    }

    package var hasFocus: Bool { !hasWindowManager || state.withLock { $0.hasFocus } }

    /// Publishes that the window received or lost the keyboard focus. Ignores the focus events that the server sends
    /// while a program grabs the keyboard, as a window manager does for its shortcuts. Without a window manager the
    /// focus follows the pointer, so all focus events are ignored.
    private func handleFocus(_ event: UnsafeMutablePointer<xcb_generic_event_t>) {
        let (mode, detail) = event.withMemoryRebound(to: xcb_focus_in_event_t.self, capacity: 1) {
            (UInt32($0.pointee.mode), UInt32($0.pointee.detail))
        }
        let modes = [XCB_NOTIFY_MODE_NORMAL.rawValue, XCB_NOTIFY_MODE_WHILE_GRABBED.rawValue]
        guard hasWindowManager, modes.contains(mode), detail <= XCB_NOTIFY_DETAIL_NONLINEAR_VIRTUAL.rawValue else {
            return
        }
        let isFocused = Int32(event.pointee.response_type & 0x7f) == XCB_FOCUS_IN
        let hasChanged = state.withLock { state in
            defer { state.hasFocus = isFocused }
            return state.hasFocus != isFocused
        }
        if hasChanged { onEvent(.focusChanged(isFocused)) }
    }

    /// Handles an event about this window: it was mapped, unmapped, moved or resized.
    private func handleOwnWindowChange(_ event: UnsafeMutablePointer<xcb_generic_event_t>) {
        switch Int32(event.pointee.response_type & 0x7f) {
        case XCB_MAP_NOTIFY: updateVisibility { $0.isMapped = true }
        case XCB_UNMAP_NOTIFY: updateVisibility { $0.isMapped = false }
        // Another program destroyed the window, usually together with the parent.
        case XCB_DESTROY_NOTIFY:
            state.withLock { $0.isDestroyed = true }
            onEvent(.closeRequested)
        default:
            event.withMemoryRebound(to: xcb_configure_notify_event_t.self, capacity: 1) { handleConfigure($0.pointee) }
        }
    }

    /// Handles an event about the parent of an embedded window: it was resized, mapped or unmapped.
    private func handleParentChange(_ event: UnsafeMutablePointer<xcb_generic_event_t>) {
        switch Int32(event.pointee.response_type & 0x7f) {
        case XCB_MAP_NOTIFY: updateVisibility { $0.isMapped = true }
        case XCB_UNMAP_NOTIFY: updateVisibility { $0.isMapped = false }
        case XCB_CONFIGURE_NOTIFY:
            event.withMemoryRebound(to: xcb_configure_notify_event_t.self, capacity: 1) { notification in
                window.setFrame(
                    PixelRect(
                        x: 0, y: 0, width: Int(notification.pointee.width), height: Int(notification.pointee.height)))
            }
        default: break
        }
    }

    /// Publishes that the user pressed or released a mouse button or moved the pointer.
    private func handlePointer(_ event: UnsafeMutablePointer<xcb_generic_event_t>) {
        let kind = Int32(event.pointee.response_type & 0x7f)
        switch kind {
        case XCB_BUTTON_PRESS, XCB_BUTTON_RELEASE:
            event.withMemoryRebound(to: xcb_button_press_event_t.self, capacity: 1) { button in
                recordPointer(button.pointee.root_x, button.pointee.root_y)
                guard let name = Self.buttonNames[button.pointee.detail] else { return }
                let x = Int(button.pointee.event_x), y = Int(button.pointee.event_y)
                onEvent(.pointer(kind == XCB_BUTTON_PRESS ? .pressed(name, x: x, y: y) : .released(name, x: x, y: y)))
            }
        case XCB_MOTION_NOTIFY:
            event.withMemoryRebound(to: xcb_motion_notify_event_t.self, capacity: 1) { motion in
                recordPointer(motion.pointee.root_x, motion.pointee.root_y)
                onEvent(.pointer(.moved(x: Int(motion.pointee.event_x), y: Int(motion.pointee.event_y))))
            }
        default:
            // The server also sends a leave event when a pointer grab starts, for example while a button is held. The
            // pointer has not moved then.
            let hasPointerLeft = event.withMemoryRebound(to: xcb_leave_notify_event_t.self, capacity: 1) {
                UInt32($0.pointee.mode) != XCB_NOTIFY_MODE_GRAB.rawValue
            }
            if hasPointerLeft { onEvent(.pointer(.left)) }
        }
    }

    /// Records the position of the pointer on the screen, which a drag of the window needs.
    private func recordPointer(_ x: Int16, _ y: Int16) { state.withLock { $0.pointerOnScreen = (Int(x), Int(y)) } }

    /// Repaints the parts of the window that another window no longer covers.
    private func handleExpose() {
        // The server has already painted the placeholder: it is the window's background.
        if state.withLock({ $0.background }) == .placeholder(size) { return }
        if !surface.repaint() { onEvent(.redrawNeeded) }
    }

    /// Handles a changed property of the window or of the root window (the current workspace).
    private func handlePropertyChange(_ atom: xcb_atom_t) {
        let atoms = connection.atoms
        switch atom {
        case atoms.netWMState:
            let windowStates = window.propertyWords(atoms.netWMState)
            updateVisibility { $0.isMinimised = windowStates.contains(atoms.stateHidden) }
            let isMaximised =
                windowStates.contains(atoms.stateMaximisedVertically)
                && windowStates.contains(atoms.stateMaximisedHorizontally)
            state.withLock { $0.isMaximised = isMaximised }
            handleFullScreen(windowStates.contains(atoms.stateFullScreen))
        case atoms.desktop, atoms.currentDesktop:
            let ownDesktop = window.propertyWords(atoms.desktop).first,
                currentDesktop = window.propertyWords(atoms.currentDesktop, ofRoot: true).first
            updateVisibility { ($0.desktop, $0.currentDesktop) = (ownDesktop, currentDesktop) }
        default: break
        }
    }

    /// Publishes a change of the full-screen state that the player did not request, for example after a keyboard
    /// shortcut of the window manager.
    private func handleFullScreen(_ isFullScreen: Bool) {
        if state.withLock({ $0.fullScreen.handleReport(isFullScreen) }) {
            if !isFullScreen { restoreFrame() }
            onEvent(.fullScreenChanged(isFullScreen))
        }
        // The next request may be waiting for the answer to an earlier one, and a resize request for the end of full
        // screen or of the maximised state.
        carryOutFullScreenRequest()
        carryOutResizeRequest()
    }

    /// Changes the recorded visibility of the window, and publishes visibility events for the player.
    func updateVisibility(_ change: (inout WindowVisibility) -> Void) {
        let (oldVisibility, newVisibility) = state.withLock { state in
            let oldVisibility = state.visibility
            change(&state.visibility)
            return (oldVisibility, state.visibility)
        }
        if oldVisibility.isShown != newVisibility.isShown { onEvent(.shownChanged(newVisibility.isShown)) }
        if oldVisibility.isVisible != newVisibility.isVisible {
            onEvent(.visibilityChanged(newVisibility.isVisible))
        }
    }

    /// Records the window's new rectangle, and publishes the size if it changed.
    private func handleConfigure(_ event: xcb_configure_notify_event_t) {
        let newSize = PixelSize(width: Int(event.width), height: Int(event.height))
        let hasSizeChanged = state.withLock { state in
            defer {
                state.frame = PixelRect(
                    x: Int(event.x), y: Int(event.y), width: newSize.width, height: newSize.height)
            }
            return state.frame.size != newSize
        }
        guard hasSizeChanged else { return }
        surface.resize(to: newSize)
        onEvent(.resized(newSize))
        onEvent(.redrawNeeded)
    }

    /// mpv's names of the mouse buttons, by X11's button number.
    private static let buttonNames: [UInt8: String] = [
        1: "MBTN_LEFT", 2: "MBTN_MID", 3: "MBTN_RIGHT", 4: "WHEEL_UP", 5: "WHEEL_DOWN", 6: "WHEEL_LEFT",
        7: "WHEEL_RIGHT",
        8: "MBTN_BACK", 9: "MBTN_FORWARD",
    ]
}
