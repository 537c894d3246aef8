import CXCB
import CompositorProtocol
import SharedFrames
import SystemCalls
import VideoOutput

/// The input events of the floating window.
extension PiPWindow {
    /// Handles an X event of this window, or of the separate window that animates its picture (``pictureAnimation``).
    func handle(_ event: UnsafeMutablePointer<xcb_generic_event_t>) -> [Event] {
        if let pictureAnimation, XEvent.window(of: event) == pictureAnimation.window.id {
            return Int32(event.pointee.response_type & 0x7f) == XCB_EXPOSE ? handleAnimationWindowExposure() : []
        }
        switch Int32(event.pointee.response_type & 0x7f) {
        case XCB_EXPOSE: return markExposed()
        // The animation's window covers this window, which therefore receives no expose event.
        case XCB_MAP_NOTIFY:
            restoreStates()
            return pictureAnimation?.awaitsFloatingWindow == true ? markExposed() : []
        case XCB_UNMAP_NOTIFY:
            handleUnmapping()
            return []
        case XCB_CONFIGURE_NOTIFY:
            return event.withMemoryRebound(to: xcb_configure_notify_event_t.self, capacity: 1) { configure($0.pointee) }
        case XCB_ENTER_NOTIFY: return updateHover(isInside: true, nil)
        case XCB_LEAVE_NOTIFY: return updateHover(isInside: gesture.isActive, nil)
        case XCB_MOTION_NOTIFY:
            return event.withMemoryRebound(to: xcb_motion_notify_event_t.self, capacity: 1) { handleMotion($0.pointee) }
        case XCB_BUTTON_PRESS:
            return event.withMemoryRebound(to: xcb_button_press_event_t.self, capacity: 1) { handlePress($0.pointee) }
        case XCB_BUTTON_RELEASE:
            return event.withMemoryRebound(to: xcb_button_press_event_t.self, capacity: 1) { handleRelease($0.pointee) }
        case XCB_CLIENT_MESSAGE:
            return event.withMemoryRebound(to: xcb_client_message_event_t.self, capacity: 1) {
                handleClientMessage($0.pointee)
            }
        case XCB_KEY_PRESS:
            return event.withMemoryRebound(to: xcb_key_press_event_t.self, capacity: 1) { handleKey($0.pointee) }
        default: return []
        }
    }

    /// The positions of the controls in the window's current size.
    var layout: ControlsLayout {
        ControlsLayout(
            size: drawnSize, hasVolume: audio != nil, requiresLinearPlayback: requiresLinearPlayback,
            displayScale: connection.displayScale)
    }

    /// Handles a change of the window's position or size.
    func configure(_ event: xcb_configure_notify_event_t) -> [Event] {
        let isAnimating = frameAnimation != nil, isMoving = isAnimating || gesture.isActive
        // The event may carry an intermediate size of an animation. Use the window's current size instead.
        let size =
            isAnimating
            ? surface.size : window.currentSize ?? PixelSize(width: Int(event.width), height: Int(event.height))
        // While the compositor moves the window, events carry outdated positions. ICCCM 4.1.5: a window manager sends a
        // synthetic event (bit 0x80) with the position relative to the root. Real events of a managed window are
        // relative to its frame and do not count.
        let oldFrame = frame
        if !isMoving {
            if event.response_type & 0x80 != 0 || !connection.hasWindowManager {
                (frame.x, frame.y) = (Int(event.x), Int(event.y))
            }
            (frame.width, frame.height) = (size.width, size.height)
            // The window manager moved or resized the window, for example because the user dragged it with a key held.
            if frame != oldFrame { chosenFrame = frame }
        }
        guard !isAnimating, size != surface.size else { return [] }
        surface.resize(to: size)
        return [.resized(size), .needsRedraw]
    }

    /// Moves the window to its place on the current monitors after they changed.
    func handleMonitorChange() {
        let newMonitors = connection.monitors
        guard newMonitors != monitors else { return }
        monitors = newMonitors
        gesture.cancel()
        chosenFrame = Self.initialFrame(picture: pictureSize, monitors: newMonitors, memory: placementMemory)
        animate(to: chosenFrame)
    }

    /// Handles a request of the window manager (ICCCM `WM_PROTOCOLS`).
    private func handleClientMessage(_ message: xcb_client_message_event_t) -> [Event] {
        guard message.type == connection.atoms.wmProtocols else { return [] }
        switch message.data.data32.0 {
        case connection.atoms.wmDeleteWindow: return [.action(.close)]
        case connection.atoms.wmTakeFocus:
            // The keyboard focus stays with the program that has it. The window takes the focus only after the user
            // clicked the picture, never when the window appears.
            if let pressTime = picturePressTime, MonotonicTime.now - pressTime < Self.focusTimeout {
                window.takeFocus(at: message.data.data32.1)
            }
            return []
        default: return []
        }
    }

    /// Nanoseconds after a click on the picture within which the window may take the keyboard focus.
    private static let focusTimeout: Int64 = 1_000_000_000

    /// Handles a key: mpv's default keys for pausing, seeking, volume and muting. `p` and ENTER move the picture back
    /// to the program, and `q` closes the window.
    private func handleKey(_ event: xcb_key_press_event_t) -> [Event] {
        let volume = Int(audio?.volume ?? 0)
        return switch keyboard.name(of: event) {
        case "SPACE", "PLAYPAUSE": [.action(.playPause)]
        case "LEFT": skipAction(-5)
        case "RIGHT": skipAction(5)
        case "DOWN": skipAction(-60)
        case "UP": skipAction(60)
        case "9", "/", "VOLUME_DOWN": audio == nil ? [] : [.action(.volume(UInt16(max(0, volume - 20))))]
        case "0", "*", "VOLUME_UP": audio == nil ? [] : [.action(.volume(UInt16(min(1300, volume + 20))))]
        case "m", "MUTE": audio == nil ? [] : [.action(.mute)]
        case "p", "ENTER": [.action(.restore)]
        case "q", "Q": [.action(.close)]
        default: []
        }
    }

    /// Returns the action that skips by a number of seconds; empty if the program disables skipping.
    private func skipAction(_ seconds: Int64) -> [Event] {
        requiresLinearPlayback ? [] : [.action(.skip(seconds * 1_000_000_000))]
    }

    /// Updates which control is under the pointer. `position` is the pointer's position in the window; `nil` if the
    /// position is unknown.
    private func updateHover(isInside: Bool, _ position: (x: Int, y: Int)?) -> [Event] {
        let button = position.flatMap { layout.button(x: $0.x, y: $0.y) }
        isPointerOverVolumeControl =
            button == .mute || position.map { layout.slider(x: $0.x, y: $0.y) == .volume } ?? false
        guard isInside != isPointerInside || button != hoveredButton else { return [] }
        isPointerInside = isInside
        hoveredButton = button
        return [.needsRedraw]
    }

    /// Handles a movement of the pointer: the pointer hovers over the window, or the user drags.
    private func handleMotion(_ event: xcb_motion_notify_event_t) -> [Event] {
        guard gesture.isActive else { return updateHover(isInside: true, (Int(event.event_x), Int(event.event_y))) }
        return perform(
            gesture.move(
                x: Int(event.root_x), y: Int(event.root_y), inX: Int(event.event_x), picture: pictureSize,
                area: monitorFrame, layout: layout, at: MonotonicTime.now))
    }

    /// The numbers of the pointer's buttons in X events. A step of the wheel presses a button.
    private enum PointerButton {
        static let primary: xcb_button_t = 1, wheelUp: xcb_button_t = 4, wheelDown: xcb_button_t = 5
    }

    /// Handles a press of the primary button, or a step of the wheel.
    private func handlePress(_ event: xcb_button_press_event_t) -> [Event] {
        switch event.detail {
        case PointerButton.primary:
            let events =
                stopAnimation()
                + perform(
                    gesture.press(
                        x: Int(event.root_x), y: Int(event.root_y), inX: Int(event.event_x), inY: Int(event.event_y),
                        frame: frame, layout: layout,
                        at: MonotonicTime.now))
            picturePressTime = gesture.holdsPicture ? MonotonicTime.now : nil
            // Without a window manager there is no `WM_TAKE_FOCUS` request.
            if gesture.holdsPicture, !connection.hasWindowManager { window.takeFocus(at: event.time) }
            return events
        case PointerButton.wheelUp, PointerButton.wheelDown:
            let isUp = event.detail == PointerButton.wheelUp
            if isPointerOverVolumeControl, let audio {
                return [.action(.volume(UInt16(max(0, min(1300, Int(audio.volume) + (isUp ? 50 : -50))))))]
            }
            // The wheel resizes the window by a tenth, at least by 16 pixels.
            let currentFrame = frameAnimation?.endFrame ?? frame
            resize(to: currentFrame.width + (isUp ? 1 : -1) * max(16, currentFrame.width / 10))
            return []
        default: return []
        }
    }

    /// Handles the release of the primary button, which ends a gesture.
    private func handleRelease(_ event: xcb_button_press_event_t) -> [Event] {
        guard event.detail == PointerButton.primary else { return [] }
        let redrawEvents: [Event] = draggedPosition.take() == nil ? [] : [.needsRedraw]
        return redrawEvents
            + perform(
                gesture.release(
                    x: Int(event.root_x), y: Int(event.root_y), inX: Int(event.event_x), inY: Int(event.event_y),
                    frame: frame, layout: layout, area: monitorFrame, at: MonotonicTime.now))
    }

    /// Animates the window to a new width and saves its new rectangle.
    private func resize(to width: Int) {
        animate(
            to: WindowPlacement.resized(
                frameAnimation?.endFrame ?? frame, width: width, picture: pictureSize, area: monitorFrame))
        savePlacement()
    }

    /// Carries out the effects of a pointer gesture. Returns the resulting events.
    private func perform(_ actions: [PointerGesture.Action]) -> [Event] {
        actions.compactMap { action in
            switch action {
            case .press(.restore): return .action(.restore)
            case .press(.close): return .action(.close)
            case .press(.playPause): return .action(.playPause)
            case .press(.skipBack): return .action(.skip(-10_000_000_000))
            case .press(.skipForward): return .action(.skip(10_000_000_000))
            case .press(.mute): return .action(.mute)
            case .slide(.progress, let fraction):
                guard playback.duration > 0 else { return nil }
                draggedPosition = fraction
                return .action(.seek(to: Int64(fraction * Double(playback.duration))))
            case .slide(.volume, let fraction): return .action(.volume(UInt16(fraction * 1000)))
            case .setFrame(let newFrame): setFrame(newFrame)
            case .moveToCorner(let corner):
                animate(to: WindowPlacement.frame(frame.size, in: corner, of: monitorFrame))
                savePlacement()
            case .savePlacement: savePlacement()
            case .nextSize:
                resize(to: WindowPlacement.nextWidth(after: frame.width, picture: pictureSize, area: monitorFrame))
            }
            return nil
        }
    }
}
