import CompositorProtocol
import SharedFrames
import SystemCalls
import VideoOutput
import WireFormat

/// A display on which surfaces open. Used by one thread.
protocol SurfaceDisplay: AnyObject {
    /// The descriptor that becomes readable with events; -1 for a display without events.
    var descriptor: Int32 { get }
    var isLost: Bool { get }

    func makeSurface(_ surface: ClientMessage.Surface, _ descriptors: [SharedDescriptor]) throws(SurfaceFailure)
        -> any FloatingSurface

    /// Handles a bounded number of events.
    ///
    /// - Parameters:
    ///   - isReading: Whether to read events from the display, or only from the library's queue.
    ///   - body: Called on the calling thread with the outcomes on a surface.
    /// - Returns: Whether there were events. More may be pending.
    func processEvents(reading isReading: Bool, _ body: (any FloatingSurface, [FloatingOutcome]) -> Void) -> Bool
}

/// The reason why a surface cannot be created.
enum SurfaceFailure: Error {
    /// The program broke the protocol.
    case breach(MalformedMessage)
    /// The display or terminal cannot be used, for this reason.
    case unusable(String)
}

enum SurfaceDisplays {
    /// Connects to a display. Waits for its server until `interrupt` is called or `deadline` passes.
    ///
    /// - Parameters:
    ///   - location: The display.
    ///   - deadline: The host time at which connecting fails.
    ///   - onConnecting: Called on the calling thread before the wait. `interrupt` may be called on any thread.
    /// - Throws: `SurfaceFailure.unusable` if the connection fails.
    static func open(
        _ location: SurfaceLocation, until deadline: Int64,
        onConnecting: (_ interrupt: @escaping @Sendable () -> Void) -> Void
    ) throws(SurfaceFailure) -> any SurfaceDisplay {
        switch location {
        case .local: return LocalDisplay()
        case .display(let name, let authority):
            do throws(XError) {
                let socket = try XDisplaySocket(display: name, until: deadline)
                onConnecting { socket.shutdown() }
                return X11Display(try XConnection(socket: socket, authority: authority))
            } catch { throw .unusable(error.description) }
        }
    }
}

/// The display for terminals and for surfaces without a display.
final class LocalDisplay: SurfaceDisplay {
    let descriptor: Int32 = -1, isLost = false

    func makeSurface(
        _ surface: ClientMessage.Surface, _ descriptors: [SharedDescriptor]
    ) throws(SurfaceFailure) -> any FloatingSurface {
        guard case .terminal(let kind) = surface else { return HeadlessSurface() }
        guard descriptors.count >= 5 else { throw .breach(MalformedMessage("a terminal lacks its descriptors")) }
        let share: TerminalShare
        do throws(SystemCallError) {
            share = try TerminalShare(received: descriptors[4].raw)
        } catch { throw .breach(MalformedMessage("\(error)")) }
        do throws(SystemCallError) {
            return TerminalSurface(try TerminalWindow(kind: kind, terminal: descriptors[3].raw, share: share))
        } catch { throw .unusable("the terminal cannot be used: \(error)") }
    }

    func processEvents(reading isReading: Bool, _ body: (any FloatingSurface, [FloatingOutcome]) -> Void) -> Bool {
        false
    }
}
