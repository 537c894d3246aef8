import CompositorProtocol
import SharedFrames
import SystemCalls
import WireFormat

/// The identity of a Picture-in-Picture session. A later session with the same number has another identity.
struct SessionHandle: Hashable, Sendable {
    /// The session's program and number; a later session may have the same key.
    let key: SessionKey
    /// The session's serial number, unique within this compositor process.
    let serialNumber: UInt64
}

/// A location where surfaces (windows or terminal cells) open: one X display, or ``noDisplay`` for all surfaces without
/// an X display. Each location has its own drawing thread.
enum SurfaceLocation: Hashable, Sendable {
    /// An X display, and the path of its authority file.
    case display(name: String, authority: String)
    /// The location of terminals and of surfaces that draw nothing. Such surfaces never block the drawing thread.
    case noDisplay

    /// Creates the location of a surface that a program requests.
    init(_ surface: ClientMessage.Surface) {
        self =
            switch surface {
            case .x11(let display, let authority): .display(name: display, authority: authority)
            case .headless, .terminal: .noDisplay
            }
    }
}

/// A command of the compositor's main thread to a drawing thread. Each X display has its own drawing thread; all
/// surfaces without an X display share one drawing thread.
enum SurfaceCommand: Sendable {
    /// Opens a session. `version` is the protocol version that is used with its program.
    case open(SessionHandle, surface: ClientMessage.Surface, descriptors: [SharedDescriptor], version: UInt16)
    /// A message of the program for its session.
    case message(SessionHandle, ClientMessage, descriptors: [SharedDescriptor])
    /// Allows the session to read its frame ring up to this number of entries, counted since the ring's creation.
    case readFrames(SessionHandle, upTo: UInt64)
    /// Opens the session's window with the next frames; `startRect` is the rectangle from which the window animates;
    /// `nil` for no animation.
    case start(SessionHandle, startRect: PixelRect?, isOnAllWorkspaces: Bool)
    /// Discards the frames that wait for the window to open, because the program may not open the window.
    case cancelStart(SessionHandle)
    /// Hides the window during a video call, or shows it again. Hiding also cancels the start of a window that has
    /// shown no frame yet; its program receives `reason`.
    case setSuspended(SessionHandle, Bool, reason: String)
    /// Closes the window, because its program did not close it in time.
    case removeWindow(SessionHandle)
    /// Ends the session.
    case close(SessionHandle)

    /// The session that the command concerns.
    var session: SessionHandle {
        switch self {
        case .open(let session, _, _, _), .message(let session, _, _), .readFrames(let session, _),
            .start(let session, _, _),
            .cancelStart(let session), .setSuspended(let session, _, _), .removeWindow(let session),
            .close(let session):
            session
        }
    }
}

/// An event that a drawing thread reports to the compositor's main thread.
enum SurfaceThreadEvent: Sendable {
    /// The drawing thread has connected to its display.
    case connected
    /// The display cannot be used, or its connection was lost, for this reason.
    case lost(reason: String)
    /// A message to send to the session's program.
    case message(SessionHandle, ServerMessage)
    /// The session's program requests a window.
    case startRequested(SessionHandle)
    /// The session can show newer entries of its frame ring; the main thread must read the ring again.
    case needsFrames(SessionHandle)
    /// The session's window was closed.
    case windowClosed(SessionHandle)
    /// The session ended, but not at its program's request.
    case sessionLost(SessionHandle)
    /// The session's program broke the protocol.
    case protocolViolation(SessionHandle, MalformedMessage)
}
