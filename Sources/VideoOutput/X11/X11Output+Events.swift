import CXCB
import Glibc
import SharedFrames

extension X11Output {
    /// The thread "x11 events": until the window is closed or the server is gone.
    func readEvents() {
        let keyboard = XKeyboard(connection: connection)
        while let event = xcb_wait_for_event(connection.pointer) {
            defer { free(event) }
            if state.withLock({ $0.isClosed }) { return }
            handle(event, keyboard)
            // One look at the other windows serves all the events that have arrived.
            var changesStacking = Self.changesStacking(event, window.id), moves = Self.moves(event, window.id)
            while let next = xcb_poll_for_queued_event(connection.pointer) {
                defer { free(next) }
                if state.withLock({ $0.isClosed }) { return }
                handle(next, keyboard)
                changesStacking = changesStacking || Self.changesStacking(next, window.id)
                moves = moves || Self.moves(next, window.id)
            }
            if moves { updateOrigin() }
            if changesStacking { updateCoverage() }
        }
        if !state.withLock({ $0.isClosed }) { onEvent(.lost("the connection to the X server was lost")) }
    }

    /// Returns whether an event may mean that our window is elsewhere on the screen now.
    private static func moves(_ event: UnsafeMutablePointer<xcb_generic_event_t>, _ own: xcb_window_t) -> Bool {
        switch Int32(event.pointee.response_type & 0x7f) {
        // All three have the window that they are reported to first, and then the window that they are about.
        case XCB_CONFIGURE_NOTIFY, XCB_MAP_NOTIFY, XCB_REPARENT_NOTIFY:
            event.withMemoryRebound(to: xcb_configure_notify_event_t.self, capacity: 1) { $0.pointee.event == own }
        default: false
        }
    }

    /// Reads where the window is. Waits for the server; on the event thread.
    private func updateOrigin() {
        let origin = window.origin
        state.withLock { $0.origin = origin }
    }

    private func handle(_ event: UnsafeMutablePointer<xcb_generic_event_t>, _ keyboard: XKeyboard) {
        if keyboard.handle(event) { return }
        switch Int32(event.pointee.response_type & 0x7f) {
        case XCB_KEY_PRESS:
            event.withMemoryRebound(to: xcb_key_press_event_t.self, capacity: 1) { key in
                if let name = keyboard.name(of: key.pointee) { onEvent(.key(name)) }
            }
        case XCB_BUTTON_PRESS, XCB_BUTTON_RELEASE, XCB_MOTION_NOTIFY, XCB_LEAVE_NOTIFY: point(event)
        // Events of other windows are reported to the root.
        case XCB_CONFIGURE_NOTIFY, XCB_MAP_NOTIFY, XCB_UNMAP_NOTIFY:
            event.withMemoryRebound(to: xcb_configure_notify_event_t.self, capacity: 1) { notice in
                if notice.pointee.event == window.id { ownWindowChanged(event) }
            }
        case XCB_EXPOSE:
            event.withMemoryRebound(to: xcb_expose_event_t.self, capacity: 1) { if $0.pointee.count == 0 { expose() } }
        case XCB_VISIBILITY_NOTIFY:
            event.withMemoryRebound(to: xcb_visibility_notify_event_t.self, capacity: 1) { notice in
                let isObscured = UInt32(notice.pointee.state) == XCB_VISIBILITY_FULLY_OBSCURED.rawValue
                look { $0.isObscured = isObscured }
            }
        case XCB_PROPERTY_NOTIFY:
            event.withMemoryRebound(to: xcb_property_notify_event_t.self, capacity: 1) {
                propertyChanged($0.pointee.atom)
            }
        case XCB_CLIENT_MESSAGE:
            event.withMemoryRebound(to: xcb_client_message_event_t.self, capacity: 1) { message in
                // Messages for other windows arrive, too: the root's events are selected.
                if message.pointee.window == window.id, message.pointee.type == connection.atoms.wmProtocols,
                    message.pointee.data.data32.0 == connection.atoms.wmDeleteWindow
                {
                    onEvent(.closeRequested)
                }
            }
        default: break
        }
    }

    private func ownWindowChanged(_ event: UnsafeMutablePointer<xcb_generic_event_t>) {
        switch Int32(event.pointee.response_type & 0x7f) {
        case XCB_MAP_NOTIFY: look { $0.isMapped = true }
        case XCB_UNMAP_NOTIFY: look { $0.isMapped = false }
        default: event.withMemoryRebound(to: xcb_configure_notify_event_t.self, capacity: 1) { configure($0.pointee) }
        }
    }

    private func point(_ event: UnsafeMutablePointer<xcb_generic_event_t>) {
        let kind = Int32(event.pointee.response_type & 0x7f)
        switch kind {
        case XCB_BUTTON_PRESS, XCB_BUTTON_RELEASE:
            event.withMemoryRebound(to: xcb_button_press_event_t.self, capacity: 1) { button in
                guard let name = Self.buttons[button.pointee.detail] else { return }
                let x = Int(button.pointee.event_x), y = Int(button.pointee.event_y)
                onEvent(.pointer(kind == XCB_BUTTON_PRESS ? .pressed(name, x: x, y: y) : .released(name, x: x, y: y)))
            }
        case XCB_MOTION_NOTIFY:
            event.withMemoryRebound(to: xcb_motion_notify_event_t.self, capacity: 1) { motion in
                onEvent(.pointer(.moved(x: Int(motion.pointee.event_x), y: Int(motion.pointee.event_y))))
            }
        default:
            // A button that is held keeps the pointer ours, wherever it goes.
            let isReal = event.withMemoryRebound(to: xcb_leave_notify_event_t.self, capacity: 1) {
                UInt32($0.pointee.mode) != XCB_NOTIFY_MODE_GRAB.rawValue
            }
            if isReal { onEvent(.pointer(.left)) }
        }
    }

    private func expose() {
        // The server has painted it.
        if state.withLock({ $0.ground }) == .placeholder(size) { return }
        if !surface.repaint() { onEvent(.redrawNeeded) }
    }

    /// What the window manager says of the window, and of workspaces.
    private func propertyChanged(_ atom: xcb_atom_t) {
        let atoms = connection.atoms
        switch atom {
        case atoms.netWMState:
            let states = window.words(atoms.netWMState)
            look { $0.isMinimised = states.contains(atoms.stateHidden) }
            noticeFullScreen(states.contains(atoms.stateFullScreen))
        case atoms.desktop, atoms.currentDesktop:
            let own = window.words(atoms.desktop).first,
                current = window.words(atoms.currentDesktop, ofRoot: true).first
            look { ($0.desktop, $0.currentDesktop) = (own, current) }
        default: break
        }
    }

    /// A window manager has keys of its own for it.
    private func noticeFullScreen(_ now: Bool) {
        let changes = state.withLock { state in
            if state.awaitsFullScreen {
                // Until it has done what it was asked for, it speaks of the time before.
                if now == state.isFullScreen { state.awaitsFullScreen = false }
                return false
            }
            defer { state.isFullScreen = now }
            return state.isFullScreen != now
        }
        if changes { onEvent(.fullScreenChanged(now)) }
    }

    func look(_ change: (inout WindowSight) -> Void) {
        let (before, now) = state.withLock { state in
            let before = state.sight
            change(&state.sight)
            return (before, state.sight)
        }
        if before.isShown != now.isShown { onEvent(.shownChanged(now.isShown)) }
        if before.isVisible != now.isVisible { onEvent(.visibilityChanged(now.isVisible)) }
    }

    private func configure(_ event: xcb_configure_notify_event_t) {
        let new = PixelSize(width: Int(event.width), height: Int(event.height))
        let changed = state.withLock { state in
            defer { state.frame = PixelRect(x: Int(event.x), y: Int(event.y), width: new.width, height: new.height) }
            return state.frame.size != new
        }
        guard changed else { return }
        surface.resize(to: new)
        onEvent(.resized(new))
        onEvent(.redrawNeeded)
    }

    /// mpv's names of the mouse's buttons.
    private static let buttons: [UInt8: String] = [
        1: "MBTN_LEFT", 2: "MBTN_MID", 3: "MBTN_RIGHT", 4: "WHEEL_UP", 5: "WHEEL_DOWN", 6: "WHEEL_LEFT",
        7: "WHEEL_RIGHT",
        8: "MBTN_BACK", 9: "MBTN_FORWARD",
    ]
}
