import CXCB
import CompositorProtocol
import SharedFrames
import SystemCalls
import VideoOutput

/// The input events of the window.
extension PiPWindow {
    /// Handles an event of the window or of its animation's window.
    func handle(_ event: UnsafeMutablePointer<xcb_generic_event_t>) -> [Outcome] {
        if let flight, XEvent.window(of: event) == flight.window.id {
            return Int32(event.pointee.response_type & 0x7f) == XCB_EXPOSE ? flightExposed() : []
        }
        switch Int32(event.pointee.response_type & 0x7f) {
        case XCB_EXPOSE: return markExposed()
        // Below an animation's window this window is covered and receives no expose event.
        case XCB_MAP_NOTIFY: return flight?.isHandingOver == true ? markExposed() : []
        case XCB_CONFIGURE_NOTIFY:
            return event.withMemoryRebound(to: xcb_configure_notify_event_t.self, capacity: 1) { configure($0.pointee) }
        case XCB_ENTER_NOTIFY: return point(isInside: true, nil)
        case XCB_LEAVE_NOTIFY: return point(isInside: gesture.isActive, nil)
        case XCB_MOTION_NOTIFY:
            return event.withMemoryRebound(to: xcb_motion_notify_event_t.self, capacity: 1) { motion($0.pointee) }
        case XCB_BUTTON_PRESS:
            return event.withMemoryRebound(to: xcb_button_press_event_t.self, capacity: 1) { press($0.pointee) }
        case XCB_BUTTON_RELEASE:
            return event.withMemoryRebound(to: xcb_button_press_event_t.self, capacity: 1) { release($0.pointee) }
        case XCB_CLIENT_MESSAGE:
            return event.withMemoryRebound(to: xcb_client_message_event_t.self, capacity: 1) { asked($0.pointee) }
        case XCB_KEY_PRESS:
            return event.withMemoryRebound(to: xcb_key_press_event_t.self, capacity: 1) { key($0.pointee) }
        default: return []
        }
    }

    var layout: ControlsLayout { ControlsLayout(size: drawnSize, hasVolume: sound != nil, isLinear: isLinear) }

    /// Handles a request of the window manager (ICCCM `WM_PROTOCOLS`).
    private func asked(_ message: xcb_client_message_event_t) -> [Outcome] {
        guard message.type == connection.atoms.wmProtocols else { return [] }
        switch message.data.data32.0 {
        case connection.atoms.wmDeleteWindow: return [.action(.close)]
        case connection.atoms.wmTakeFocus:
            // The keyboard focus stays with the program that has it. The window takes the focus only after the user
            // clicked the picture, never when the window appears.
            if let picked = pickedAt, MonotonicTime.now - picked < 1_000_000_000 {
                window.takeFocus(at: message.data.data32.1)
            }
            return []
        default: return []
        }
    }

    /// Handles a key: mpv's default bindings, as far as a floating window supports their commands.
    private func key(_ event: xcb_key_press_event_t) -> [Outcome] {
        let volume = Int(sound?.volume ?? 0)
        return switch keyboard.name(of: event) {
        case "SPACE", "PLAYPAUSE": [.action(.playPause)]
        case "LEFT": skip(-5)
        case "RIGHT": skip(5)
        case "DOWN": skip(-60)
        case "UP": skip(60)
        case "9", "/", "VOLUME_DOWN": sound == nil ? [] : [.action(.volume(UInt16(max(0, volume - 20))))]
        case "0", "*", "VOLUME_UP": sound == nil ? [] : [.action(.volume(UInt16(min(1300, volume + 20))))]
        case "m", "MUTE": sound == nil ? [] : [.action(.mute)]
        case "p", "ENTER": [.action(.restore)]
        case "q", "Q": [.action(.close)]
        default: []
        }
    }

    private func skip(_ seconds: Int64) -> [Outcome] { isLinear ? [] : [.action(.skip(seconds * 1_000_000_000))] }

    private func point(isInside: Bool, _ place: (x: Int, y: Int)?) -> [Outcome] {
        let now = place.flatMap { layout.button(x: $0.x, y: $0.y) }
        isPointedAtVolume = now == .mute || place.map { layout.line(x: $0.x, y: $0.y) == .volume } ?? false
        guard isInside != isPointerInside || now != pointed else { return [] }
        isPointerInside = isInside
        pointed = now
        return [.needsRedraw]
    }

    private func motion(_ event: xcb_motion_notify_event_t) -> [Outcome] {
        guard gesture.isActive else { return point(isInside: true, (Int(event.event_x), Int(event.event_y))) }
        return perform(
            gesture.move(
                x: Int(event.root_x), y: Int(event.root_y), inX: Int(event.event_x), picture: picture, area: area,
                layout: layout,
                at: MonotonicTime.now))
    }

    private func press(_ event: xcb_button_press_event_t) -> [Outcome] {
        switch event.detail {
        case 1:
            let outcomes =
                stopGlide()
                + perform(
                    gesture.press(
                        x: Int(event.root_x), y: Int(event.root_y), inX: Int(event.event_x), inY: Int(event.event_y),
                        frame: frame, layout: layout,
                        at: MonotonicTime.now))
            pickedAt = gesture.holdsPicture ? MonotonicTime.now : nil
            // Without a window manager there is no `WM_TAKE_FOCUS` request.
            if gesture.holdsPicture, !connection.hasWindowManager { window.takeFocus(at: event.time) }
            return outcomes
        case 4, 5:
            if isPointedAtVolume, let sound {
                return [.action(.volume(UInt16(max(0, min(1300, Int(sound.volume) + (event.detail == 4 ? 50 : -50))))))]
            }
            // The wheel resizes the window by a tenth.
            let now = glide?.to ?? frame
            resize(to: now.width + (event.detail == 4 ? 1 : -1) * max(16, now.width / 10))
            return []
        default: return []
        }
    }

    private func release(_ event: xcb_button_press_event_t) -> [Outcome] {
        guard event.detail == 1 else { return [] }
        return perform(
            gesture.release(
                x: Int(event.root_x), y: Int(event.root_y), inX: Int(event.event_x), inY: Int(event.event_y),
                frame: frame, layout: layout,
                area: area, at: MonotonicTime.now))
    }

    private func resize(to width: Int) {
        fly(to: WindowPlacement.resized(glide?.to ?? frame, width: width, picture: picture, area: area))
        settle()
    }

    private func perform(_ actions: [PointerGesture.Action]) -> [Outcome] {
        actions.compactMap { action in
            switch action {
            case .press(.restore): return .action(.restore)
            case .press(.close): return .action(.close)
            case .press(.playPause): return .action(.playPause)
            case .press(.skipBack): return .action(.skip(-10_000_000_000))
            case .press(.skipForward): return .action(.skip(10_000_000_000))
            case .press(.mute): return .action(.mute)
            case .slide(.progress, let part):
                return facts.duration > 0 ? .action(.seek(to: Int64(part * Double(facts.duration)))) : nil
            case .slide(.volume, let part): return .action(.volume(UInt16(part * 1000)))
            case .setFrame(let new): setFrame(new)
            case .fly(let corner):
                fly(to: WindowPlacement.frame(frame.size, in: corner, of: area))
                settle()
            case .settle: settle()
            case .nextSize: resize(to: WindowPlacement.nextWidth(after: frame.width, picture: picture, area: area))
            }
            return nil
        }
    }
}
