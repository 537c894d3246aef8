import CXCB
import CompositorProtocol
import SharedFrames
import SystemCalls
import VideoOutput

/// What the user does in the window.
extension PiPWindow {
    func handle(_ event: UnsafeMutablePointer<xcb_generic_event_t>) -> [Outcome] {
        switch Int32(event.pointee.response_type & 0x7f) {
        case XCB_EXPOSE: return markExposed()
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
            let isClose = event.withMemoryRebound(to: xcb_client_message_event_t.self, capacity: 1) {
                $0.pointee.type == connection.atoms.wmProtocols && $0.pointee.data.data32.0 == connection.atoms.wmDeleteWindow
            }
            return isClose ? [.action(.close)] : []
        default: return []
        }
    }

    private var layout: ControlsLayout { ControlsLayout(size: drawnSize) }

    private func point(isInside: Bool, _ place: (x: Int, y: Int)?) -> [Outcome] {
        let now = place.flatMap { layout.button(x: $0.x, y: $0.y) }
        guard isInside != isPointerInside || now != pointed else { return [] }
        isPointerInside = isInside
        pointed = now
        return [.needsRedraw]
    }

    private func motion(_ event: xcb_motion_notify_event_t) -> [Outcome] {
        guard gesture.isActive else { return point(isInside: true, (Int(event.event_x), Int(event.event_y))) }
        return perform(gesture.move(
            x: Int(event.root_x), y: Int(event.root_y), inX: Int(event.event_x), picture: picture, area: area, layout: layout,
            at: MonotonicTime.now))
    }

    private func press(_ event: xcb_button_press_event_t) -> [Outcome] {
        switch event.detail {
        case 1:
            return stopGlide() + perform(gesture.press(
                x: Int(event.root_x), y: Int(event.root_y), inX: Int(event.event_x), inY: Int(event.event_y), frame: frame, layout: layout,
                at: MonotonicTime.now))
        case 4, 5:
            // The wheel: a tenth larger or smaller.
            let now = glide?.to ?? frame
            resize(to: now.width + (event.detail == 4 ? 1 : -1) * max(16, now.width / 10))
            return []
        default: return []
        }
    }

    private func release(_ event: xcb_button_press_event_t) -> [Outcome] {
        guard event.detail == 1 else { return [] }
        return perform(gesture.release(
            x: Int(event.root_x), y: Int(event.root_y), inX: Int(event.event_x), inY: Int(event.event_y), frame: frame, layout: layout,
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
            case .seek(let part): return facts.duration > 0 ? .action(.seek(to: Int64(part * Double(facts.duration)))) : nil
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
