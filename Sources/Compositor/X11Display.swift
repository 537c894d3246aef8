import CXCB
import CompositorProtocol
import Glibc
import SystemCalls
import VideoOutput

/// A connection to an X server, and the windows on it.
final class X11Display: SurfaceDisplay {
    /// A weak reference to a surface.
    private struct WeakSurface { weak var surface: X11Surface? }

    /// The connection to the X server.
    private let connection: XConnection
    /// The keyboard of the X server.
    private let keyboard: XKeyboard
    /// Finds the full-screen window above which the floating windows are kept.
    private let fullScreenTracker: FullScreenTracker
    /// The surfaces on this display; references to released surfaces are nil.
    private var surfaces: [WeakSurface] = []

    /// Creates the display without surfaces.
    init(_ connection: XConnection) {
        self.connection = connection
        keyboard = XKeyboard(connection: connection)
        fullScreenTracker = FullScreenTracker(connection)
    }

    var descriptor: Int32 { connection.descriptor }
    var isLost: Bool { connection.isBroken }

    func makeSurface(
        _ surface: ClientMessage.Surface, _ descriptors: [SharedDescriptor]
    ) throws(SurfaceFailure) -> any FloatingSurface {
        let newSurface = X11Surface(connection, keyboard: keyboard)
        newSurface.fullScreenWindow = fullScreenTracker.fullScreenWindow
        surfaces.removeAll { $0.surface == nil }
        surfaces.append(WeakSurface(surface: newSurface))
        return newSurface
    }

    func processEvents(reading isReading: Bool, _ body: (any FloatingSurface, [SurfaceEvent]) -> Void) -> Bool {
        for handledEventCount in 0..<Self.eventsPerCall {
            let nextEvent =
                isReading ? xcb_poll_for_event(connection.pointer) : xcb_poll_for_queued_event(connection.pointer)
            guard let event = nextEvent else { return handledEventCount > 0 }
            defer { free(event) }
            handle(event, body)
        }
        return true
    }

    /// The largest number of events that one call of ``processEvents(reading:_:)`` handles.
    private static let eventsPerCall = 256

    /// Passes an event to the keyboard, to all windows, or to its window.
    private func handle(
        _ event: UnsafeMutablePointer<xcb_generic_event_t>, _ body: (any FloatingSurface, [SurfaceEvent]) -> Void
    ) {
        if keyboard.handle(event) { return }
        if connection.isMonitorChange(event) {
            for entry in surfaces { entry.surface?.window?.handleMonitorChange() }
            return
        }
        let hasChanged = fullScreenTracker.handle(event) { id in
            surfaces.contains { $0.surface?.window?.owns(id) == true }
        }
        if hasChanged {
            for entry in surfaces { entry.surface?.fullScreenWindow = fullScreenTracker.fullScreenWindow }
        }
        let windowID = XEvent.window(of: event)
        for entry in surfaces {
            guard let surface = entry.surface, let window = surface.window, window.owns(windowID) else { continue }
            return body(surface, window.handle(event))
        }
    }
}
