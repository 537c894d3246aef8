import CompositorProtocol
import SharedFrames
import SystemCalls
import WireFormat

/// Names a session, so that it is never taken for a later one with the same number.
struct SessionHandle: Hashable, Sendable {
    let key: SessionKey
    /// Unique in this process.
    let serial: UInt64
}

/// Where surfaces are opened: each location has a thread of its own.
enum SurfaceLocation: Hashable, Sendable {
    /// An X display, and the file with its cookie.
    case display(name: String, authority: String)
    /// Terminals, and surfaces without a display: they never keep their thread waiting.
    case local

    init(_ surface: ClientMessage.Surface) {
        self =
            switch surface {
            case .x11(let display, let authority): .display(name: display, authority: authority)
            case .headless, .terminal: .local
            }
    }
}

/// What the compositor's main thread asks of the thread of a location.
enum SurfaceCommand: Sendable {
    /// Opens a session. `version` is the version of the protocol that its program speaks.
    case open(SessionHandle, surface: ClientMessage.Surface, descriptors: [SharedDescriptor], version: UInt16)
    /// A message of the program for its session.
    case message(SessionHandle, ClientMessage, descriptors: [SharedDescriptor])
    /// The ring may be read up to this length.
    case frames(SessionHandle, upTo: UInt64)
    /// Opens the session's window with the next frames.
    case start(SessionHandle, origin: PixelRect?, isOnAllWorkspaces: Bool)
    /// Forgets the frames that wait for a start, which will not come.
    case cancelStart(SessionHandle)
    /// Ends a start that is not complete, or takes the window off the screen for a time, or puts it back.
    case setSuspended(SessionHandle, Bool, reason: String)
    /// Closes the window, which its program did not give up in time.
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

/// What the thread of a location reports to the compositor's main thread.
enum SurfaceReport: Sendable {
    /// The display is connected.
    case connected
    /// The display cannot be used, or not any longer.
    case lost(reason: String)
    /// To be sent to the session's program.
    case message(SessionHandle, ServerMessage)
    /// The program asks for a window.
    case startRequested(SessionHandle)
    /// The session waits for more of its ring.
    case needsFrames(SessionHandle)
    /// The session's window is gone.
    case windowClosed(SessionHandle)
    /// The session is gone, without its program having asked for that.
    case sessionLost(SessionHandle)
    /// The session's program broke the protocol.
    case breach(SessionHandle, MalformedMessage)
}
