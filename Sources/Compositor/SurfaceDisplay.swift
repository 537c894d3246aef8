import CompositorProtocol
import SharedFrames
import SystemCalls
import VideoOutput
import WireFormat

/// A connection to a display server on which surfaces open. Used by one thread.
protocol SurfaceDisplay: AnyObject {
    /// The descriptor that becomes readable when the display server sends events; -1 for a display without events.
    var descriptor: Int32 { get }
    /// Whether the connection to the display has failed.
    var isLost: Bool { get }

    /// Creates a surface on the display; `descriptors` came with the program's message `openSession`.
    func makeSurface(_ surface: ClientMessage.Surface, _ descriptors: [SharedDescriptor]) throws(SurfaceFailure)
        -> any FloatingSurface

    /// Handles a bounded number of events.
    ///
    /// - Parameters:
    ///   - isReading: Whether to read events from the display, or only those that the X library has already queued.
    ///   - body: Called on the calling thread with a surface and its events.
    /// - Returns: Whether there were events. More may be pending.
    func processEvents(reading isReading: Bool, _ body: (any FloatingSurface, [SurfaceEvent]) -> Void) -> Bool
}

/// The reason why a surface cannot be created.
enum SurfaceFailure: Error {
    /// The program broke the protocol.
    case protocolViolation(MalformedMessage)
    /// The display or terminal cannot be used, for this reason.
    case unusable(String)
}

/// The function that connects to the display of a ``SurfaceLocation``.
enum SurfaceDisplays {
    /// Connects to a display, and waits for the display server to reply. Does not wait for
    /// ``SurfaceLocation/noDisplay``.
    ///
    /// - Parameters:
    ///   - location: An X display, or ``SurfaceLocation/noDisplay`` for surfaces in terminals and surfaces that draw
    ///     nothing.
    ///   - deadline: The host time by which the server must accept the connection. Its replies have no deadline.
    ///   - onConnecting: Called on the calling thread before the wait for replies. `interrupt` ends the wait and may be
    ///     called on any thread.
    /// - Throws: `SurfaceFailure.unusable` if the connection fails.
    static func open(
        _ location: SurfaceLocation, until deadline: Int64,
        onConnecting: (_ interrupt: @escaping @Sendable () -> Void) -> Void
    ) throws(SurfaceFailure) -> any SurfaceDisplay {
        switch location {
        case .noDisplay: return NullDisplay()
        case .display(let name, let authority):
            do throws(XError) {
                let socket = try XDisplaySocket(display: name, until: deadline)
                onConnecting { socket.shutdown() }
                return X11Display(try XConnection(socket: socket, authority: authority))
            } catch { throw .unusable(error.description) }
        }
    }
}

/// The stand-in display for surfaces that need no display server: terminals, and surfaces that draw nothing.
final class NullDisplay: SurfaceDisplay {
    let descriptor: Int32 = -1, isLost = false

    func makeSurface(
        _ surface: ClientMessage.Surface, _ descriptors: [SharedDescriptor]
    ) throws(SurfaceFailure) -> any FloatingSurface {
        guard case .terminal(let features) = surface else { return HeadlessSurface() }
        guard descriptors.count >= 5 else {
            throw .protocolViolation(MalformedMessage("a terminal lacks its descriptors"))
        }
        let sharedMemory: SharedTerminalMemory
        do throws(SystemCallError) {
            sharedMemory = try SharedTerminalMemory(received: descriptors[4].raw)
        } catch { throw .protocolViolation(MalformedMessage("\(error)")) }
        do throws(SystemCallError) {
            return TerminalSurface(
                try TerminalWindow(features: features, terminal: descriptors[3].raw, sharedMemory: sharedMemory))
        } catch { throw .unusable("the terminal cannot be used: \(error)") }
    }

    func processEvents(reading isReading: Bool, _ body: (any FloatingSurface, [SurfaceEvent]) -> Void) -> Bool {
        false
    }
}
