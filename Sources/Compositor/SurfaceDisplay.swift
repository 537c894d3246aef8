import CompositorProtocol
import SharedFrames
import SystemCalls
import VideoOutput
import WireFormat

/// A display on which surfaces are opened. Used by one thread.
protocol SurfaceDisplay: AnyObject {
    /// Readable when there are events; -1: there never are.
    var descriptor: Int32 { get }
    var isLost: Bool { get }

    func makeSurface(_ surface: ClientMessage.Surface, _ descriptors: [SharedDescriptor]) throws(SurfaceFailure)
        -> any FloatingSurface

    /// Handles a bounded number of events.
    ///
    /// - Parameters:
    ///   - isReading: whether events are read from the display, too, or only taken from the library's queue.
    ///   - body: called with what happened on a surface.
    /// - Returns: whether there were events: more may wait.
    func processEvents(reading isReading: Bool, _ body: (any FloatingSurface, [FloatingOutcome]) -> Void) -> Bool
}

/// Why there is no surface.
enum SurfaceFailure: Error {
    /// The program broke the protocol.
    case breach(MalformedMessage)
    /// The place cannot be used, for this reason.
    case unusable(String)
}

enum SurfaceDisplays {
    /// Connects to a display; waits for its server until `interrupt` is called or `deadline` comes.
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

/// Terminals, and surfaces that are not seen.
final class LocalDisplay: SurfaceDisplay {
    let descriptor: Int32 = -1, isLost = false

    func makeSurface(
        _ surface: ClientMessage.Surface, _ descriptors: [SharedDescriptor]
    ) throws(SurfaceFailure) -> any FloatingSurface {
        guard case .terminal(let kind) = surface else { return HeadlessSurface() }
        guard descriptors.count >= 5 else { throw .breach(MalformedMessage("a terminal without its descriptors")) }
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
