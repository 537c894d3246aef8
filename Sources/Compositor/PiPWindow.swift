import CXCB
import CompositorProtocol
import SharedFrames
import VideoOutput

/// A floating window: shows frames, and its controls while the pointer is over it. Used by the compositor's one thread.
final class PiPWindow {
    /// What the user did in it.
    enum Outcome: Equatable {
        case action(ServerMessage.Action)
        /// Ready to be painted for the first time: it is on screen.
        case exposed
        case resized(PixelSize)
        case needsRedraw
        case nothing
    }

    let window: XWindow
    private let surface: XSurface
    private let connection: XConnection
    private var frame: PixelRect
    /// The size in which the picture is meant to be seen: decides the window's shape.
    private var picture: PixelSize
    private var isPointerInside = false
    private var pointed: ControlsLayout.Button?
    private var pressed: ControlsLayout.Button?
    /// Pointer and window when a drag began, in root coordinates.
    private var drag: (pointer: (x: Int, y: Int), window: (x: Int, y: Int))?
    private(set) var isExposed = false
    /// What lies over the picture, below the controls.
    var overlay: SharedOverlay?
    var facts = PlaybackFacts(isPaused: false, position: 0, duration: 0)

    init(connection: XConnection, picture: PixelSize) {
        self.connection = connection
        let screen = PixelSize(width: connection.screenSize.width, height: connection.screenSize.height)
        frame = WindowPlacement.initialFrame(picture: picture, screen: screen)
        self.picture = picture
        window = XWindow(connection: connection, frame: frame)
        surface = XSurface(connection: connection, window: window.id, size: frame.size)
        introduce(aspect: frame.size)
    }

    /// Everything a window manager should know, before the window is mapped: rules match on it, and a state that comes later flickers.
    private func introduce(aspect: PixelSize) {
        let atoms = connection.atoms
        window.setTitle("Picture-in-Picture")
        window.setClass(instance: "swiftplay-pip", name: "swiftplay")
        window.setProtocols()
        window.setInputHint(false)
        window.set(atoms.windowType, type: XCB_ATOM_ATOM.rawValue, [atoms.typeUtility])
        window.set(
            atoms.netWMState, type: XCB_ATOM_ATOM.rawValue,
            [atoms.stateAbove, atoms.stateSticky, atoms.stateSkipTaskbar, atoms.stateSkipPager])
        window.set(atoms.desktop, type: XCB_ATOM_CARDINAL.rawValue, [0xFFFF_FFFF])
        // No keyboard focus when it appears.
        window.set(atoms.userTime, type: XCB_ATOM_CARDINAL.rawValue, [0])
        // No border and no title: flags = decorations, decorations = 0.
        window.set(atoms.motifHints, type: atoms.motifHints, [2, 0, 0, 0, 0])
        window.setSizeHints(
            position: (frame.x, frame.y), size: frame.size, minimum: PixelSize(width: WindowPlacement.minimumWidth, height: 32),
            aspect: aspect)
    }

    /// Puts it on screen, above others.
    func map() {
        window.map()
        window.raise()
    }

    var size: PixelSize { surface.size }

    /// Takes on the shape of a picture that has another than the one before; the width and the lower right corner stay.
    private func follow(_ new: PixelSize) {
        let old = picture
        picture = new
        // A hundredth is what rounding makes of a size that changes and a shape that does not.
        let (now, before) = (new.width * old.height, old.width * new.height)
        guard !new.isEmpty, abs(now - before) > before / 100 else { return }
        let screen = PixelSize(width: connection.screenSize.width, height: connection.screenSize.height)
        let shaped = WindowPlacement.reshaped(frame, picture: new, screen: screen)
        guard shaped != frame else { return }
        window.setSizeHints(
            position: (shaped.x, shaped.y), size: shaped.size, minimum: PixelSize(width: WindowPlacement.minimumWidth, height: 32),
            aspect: shaped.size)
        window.setFrame(shaped)
    }

    /// Draws a picture with the controls over it and shows it.
    ///
    /// - Returns: the host time; nil when it could not be drawn.
    func show(_ picture: PictureMemory, format: FrameFormat) -> Int64? {
        follow(format.displaySize)
        let painter = ControlsPainter(
            layout: ControlsLayout(size: surface.size), facts: facts, pointed: pointed, showsButtons: isPointerInside)
        let isDrawn = surface.prepare(picture, format: format, gravity: .resizeAspect) { [overlay] pixels, size, stride in
            overlay?.draw(pixels, size, stride)
            painter.draw(pixels, size, stride)
        }
        guard isDrawn else { return nil }
        return surface.present()
    }

    func handle(_ event: UnsafeMutablePointer<xcb_generic_event_t>) -> [Outcome] {
        switch Int32(event.pointee.response_type & 0x7f) {
        case XCB_EXPOSE:
            let isPainted = surface.repaint(), first = !isExposed
            isExposed = true
            return (isPainted ? [] : [.needsRedraw]) + (first ? [.exposed] : [])
        case XCB_CONFIGURE_NOTIFY:
            return event.withMemoryRebound(to: xcb_configure_notify_event_t.self, capacity: 1) { configure($0.pointee) }
        case XCB_ENTER_NOTIFY: return pointer(inside: true, x: nil, y: nil)
        case XCB_LEAVE_NOTIFY: return pointer(inside: false, x: nil, y: nil)
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

    private func configure(_ event: xcb_configure_notify_event_t) -> [Outcome] {
        let size = PixelSize(width: Int(event.width), height: Int(event.height))
        // A managed window's place arrives in its own event, relative to the root; one from its parent's frame does not count.
        if event.response_type & 0x80 != 0 || drag == nil { (frame.x, frame.y) = (Int(event.x), Int(event.y)) }
        guard size != frame.size else { return [] }
        (frame.width, frame.height) = (size.width, size.height)
        surface.resize(to: size)
        return [.resized(size), .needsRedraw]
    }

    private func pointer(inside: Bool, x: Int?, y: Int?) -> [Outcome] {
        let layout = ControlsLayout(size: surface.size)
        let now: ControlsLayout.Button? = if let x, let y { layout.button(x: x, y: y) } else { nil }
        guard inside != isPointerInside || now != pointed else { return [] }
        isPointerInside = inside
        pointed = now
        return [.needsRedraw]
    }

    private func motion(_ event: xcb_motion_notify_event_t) -> [Outcome] {
        if let drag {
            frame.x = drag.window.x + Int(event.root_x) - drag.pointer.x
            frame.y = drag.window.y + Int(event.root_y) - drag.pointer.y
            window.setFrame(frame)
            return []
        }
        return pointer(inside: true, x: Int(event.event_x), y: Int(event.event_y))
    }

    private func press(_ event: xcb_button_press_event_t) -> [Outcome] {
        guard event.detail == 1 else { return [] }
        pressed = ControlsLayout(size: surface.size).button(x: Int(event.event_x), y: Int(event.event_y))
        if pressed == nil { drag = ((Int(event.root_x), Int(event.root_y)), (frame.x, frame.y)) }
        return []
    }

    private func release(_ event: xcb_button_press_event_t) -> [Outcome] {
        guard event.detail == 1 else { return [] }
        drag = nil
        let button = ControlsLayout(size: surface.size).button(x: Int(event.event_x), y: Int(event.event_y))
        defer { pressed = nil }
        guard let button, button == pressed else { return [] }
        return switch button {
        case .restore: [.action(.restore)]
        case .close: [.action(.close)]
        case .playPause: [.action(.playPause)]
        }
    }
}
