import CompositorProtocol
import SharedFrames
import SystemCalls
import WireFormat

/// The identity of a session, distinct from a later session with the same number.
struct SessionHandle: Hashable, Sendable {
    let key: SessionKey
    /// Unique in this process.
    let serial: UInt64
}

/// A location where surfaces open. Each location has a thread of its own.
enum SurfaceLocation: Hashable, Sendable {
    /// An X display, and the path of its authority file.
    case display(name: String, authority: String)
    /// Terminals, and surfaces without a display. They never block their thread.
    case local

    init(_ surface: ClientMessage.Surface) {
        self =
            switch surface {
            case .x11(let display, let authority): .display(name: display, authority: authority)
            case .headless, .terminal: .local
            }
    }
}

/// A command of the compositor's main thread to the thread of a location.
enum SurfaceCommand: Sendable {
    /// Opens a session. `version` is the protocol version that is used with its program.
    case open(SessionHandle, surface: ClientMessage.Surface, descriptors: [SharedDescriptor], version: UInt16)
    /// A message of the program for its session.
    case message(SessionHandle, ClientMessage, descriptors: [SharedDescriptor])
    /// The ring may be read up to this length.
    case frames(SessionHandle, upTo: UInt64)
    /// Opens the session's window with the next frames.
    case start(SessionHandle, origin: PixelRect?, isOnAllWorkspaces: Bool)
    /// Releases the frames that wait for a start, because the start was refused.
    case cancelStart(SessionHandle)
    /// Hides the window for a time, or shows it again. Hiding fails a start that is not complete.
    case setSuspended(SessionHandle, Bool, reason: String)
    /// Closes the window, because its program did not close it in time.
    case takeAway(SessionHandle)
    /// Ends the session.
    case close(SessionHandle)

    var session: SessionHandle {
        switch self {
        case .open(let session, _, _, _), .message(let session, _, _), .frames(let session, _),
            .start(let session, _, _),
            .cancelStart(let session), .setSuspended(let session, _, _), .takeAway(let session), .close(let session):
            session
        }
    }
}

/// A report of the thread of a location to the compositor's main thread.
enum SurfaceReport: Sendable {
    /// The display is connected.
    case connected
    /// The display cannot be used, or was lost.
    case lost(reason: String)
    /// A message to send to the session's program.
    case message(SessionHandle, ServerMessage)
    /// The program requests a window.
    case startRequested(SessionHandle)
    /// The session waits for more entries of its frame ring.
    case needsFrames(SessionHandle)
    /// The session's window was closed.
    case windowClosed(SessionHandle)
    /// The session ended, but not at its program's request.
    case sessionLost(SessionHandle)
    /// The session's program broke the protocol.
    case breach(SessionHandle, MalformedMessage)
}
