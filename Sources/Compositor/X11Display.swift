import CXCB
import CompositorProtocol
import Glibc
import SystemCalls
import VideoOutput

/// A connection to an X server, and the windows on it.
final class X11Display: SurfaceDisplay {
    private struct WeakSurface { weak var surface: X11Surface? }

    private let connection: XConnection
    private let keyboard: XKeyboard
    private var surfaces: [WeakSurface] = []

    init(_ connection: XConnection) {
        self.connection = connection
        keyboard = XKeyboard(connection: connection)
    }

    var descriptor: Int32 { connection.descriptor }
    var isLost: Bool { connection.isBroken }

    func makeSurface(
        _ surface: ClientMessage.Surface, _ descriptors: [SharedDescriptor]
    ) throws(SurfaceFailure) -> any FloatingSurface {
        let made = X11Surface(connection, keyboard: keyboard)
        surfaces.removeAll { $0.surface == nil }
        surfaces.append(WeakSurface(surface: made))
        return made
    }

    func processEvents(reading isReading: Bool, _ body: (any FloatingSurface, [FloatingOutcome]) -> Void) -> Bool {
        for count in 0..<Self.eventsPerTurn {
            let next =
                isReading ? xcb_poll_for_event(connection.pointer) : xcb_poll_for_queued_event(connection.pointer)
            guard let event = next else { return count > 0 }
            defer { free(event) }
            handle(event, body)
        }
        return true
    }

    private static let eventsPerTurn = 256

    private func handle(
        _ event: UnsafeMutablePointer<xcb_generic_event_t>, _ body: (any FloatingSurface, [FloatingOutcome]) -> Void
    ) {
        if keyboard.handle(event) { return }
        if connection.isMonitorChange(event) {
            for entry in surfaces { entry.surface?.window?.monitorsChanged() }
            return
        }
        let target = XEvent.window(of: event)
        for entry in surfaces {
            guard let surface = entry.surface, let window = surface.window, window.owns(target) else { continue }
            return body(surface, window.handle(event))
        }
    }
}
