import CompositorProtocol
import Glibc
import Logging
import SystemCalls
import WireFormat

/// The connection of this process to the compositor. It is opened when a session first needs it, and reopened after a
/// loss.
///
/// The thread "compositor" connects and reads messages. The handlers of the sessions are called on that thread.
package final class CompositorLink: Sendable {
    /// The connection of this process, which all its sessions share.
    package static let shared = CompositorLink()

    /// An event of a Picture-in-Picture session.
    package enum Event: Sendable {
        /// The compositor has opened the session and is ready for its frames.
        case opened(RemoteFrameSink)
        /// Picture-in-Picture is not available, for the given reason.
        case unavailable(String)
        /// The session may open its floating window.
        case granted
        /// The floating window shows its first frame.
        case shown(frame: UInt64)
        /// The floating window could not open, for the given reason.
        case startFailed(String)
        /// The compositor has closed the floating window at the program's request (message `stop`).
        case stopped
        /// The compositor has closed the floating window, because the program did not send `stop` in time.
        case removed
        /// Another session needs a floating window, and no further window may open: this session must close its window.
        case replaced
        /// The user operated a control of the floating window.
        case action(ServerMessage.Action)
        /// The size of the picture in the floating window, in pixels.
        case renderSize(width: Int, height: Int)
        /// The user's setting for automatic starts of Picture-in-Picture.
        case settings(startsPictureInPictureAutomatically: Bool)
        /// A video call began (true) or ended (false). During a call the compositor hides floating windows.
        case suspended(Bool)
        /// The compositor stopped (true) or resumed (false) releasing frames.
        case stalled(Bool)
        /// The connection to the compositor was lost, and the floating window with it.
        case lost
    }

    /// An event of the process's audio session.
    package enum AudioEvent: Sendable {
        /// The session is registered with the compositor.
        case opened
        /// There is no compositor, or it does not support audio sessions.
        case unavailable
        /// The compositor refuses this process, for the given reason. ``CompositorLink`` will try to connect again.
        case refused(String)
        /// The compositor reports the state of the audio session or an event of other sessions.
        case report(AudioReport)
        /// The connection to the compositor was lost.
        case lost
    }

    /// A Picture-in-Picture session: one picture that the compositor can show in a floating window.
    struct Session {
        /// The window or terminal on which the compositor draws.
        let surface: ClientMessage.Surface
        /// The file descriptors that are sent with the message that opens the session.
        let descriptors: [SharedDescriptor]
        /// Receives the events of the Picture-in-Picture session.
        let handler: @Sendable (Event) -> Void
        /// The sending end of the session's frames; nil until the session is announced.
        var sink: RemoteFrameSink?
        /// Whether the session was sent to the compositor on this connection.
        var isAnnounced = false
        /// Whether the session was open on this connection or an earlier one.
        var wasOpened = false
        /// The host time at which a failed session is opened again; nil if the session has not failed.
        var reopeningTime: Int64?
    }

    /// The state of the connection and of the sessions that use it.
    struct State {
        /// The Picture-in-Picture sessions by their numbers.
        var sessions: [UInt32: Session] = [:]
        /// The number that the next Picture-in-Picture session gets.
        var nextSessionNumber: UInt32 = 1
        /// The socket to the compositor; nil unless the compositor has accepted this process.
        var socket: MessageSocket?
        /// The negotiated version of the compositor protocol.
        var version = ProtocolVersion.oldest
        /// The versions of the interfaces that the compositor has in common with this process.
        var interfaces = InterfaceVersions()
        /// The user's setting for automatic starts of Picture-in-Picture. Older compositors do not report this setting.
        var startsPictureInPictureAutomatically = true
        /// The handler of audio session events; nil until the audio session is opened.
        var audioHandler: (@Sendable (AudioEvent) -> Void)?
        /// The file descriptor of the shared memory in which the compositor sets the gain of this process's audio; -1
        /// if there is none.
        var gainPageDescriptor: Int32 = -1
        /// Whether the audio session was announced on this connection.
        var isAudioAnnounced = false
        /// The sequence number of the last audio report on this connection.
        var lastAudioReportNumber: UInt64 = 0
        /// Whether the program's audio may play while the program is in the background.
        var mayPlayInBackground = true
        /// The state of the program's windows; nil before it is known.
        var presence: ProgramPresence?
        /// Whether the program can be ended and started again without losing data.
        var isRestartable = false
        /// The messages about the program's picture that each compositor must receive.
        var snapshot = SnapshotState()
        /// Receives events that concern the whole program, such as a new role.
        var programHandler: (@Sendable (ProgramEvent) -> Void)?
        /// The thread "compositor", which is started with the first session.
        var thread: NamedThread?
        /// Whether a connection was requested from the thread "compositor".
        var isConnectionWanted = false
        /// Whether a connection is being opened, for which a compositor may be started.
        var isStarting = false
        /// The host times at which the connection was lost, at most four. They limit how often a crashing compositor is
        /// restarted.
        var lossTimes: [Int64] = []
    }

    /// The state of the connection, which several threads use.
    let state = Monitor(State())
    let logger = Logger(label: "compositor")
    /// The time limit for the compositor's first answer, in nanoseconds. After the limit, a warning is logged.
    static let welcomeTimeout: Int64 = 1_000_000_000

    /// Opens a Picture-in-Picture session for one picture.
    ///
    /// - Parameters:
    ///   - surface: The window or terminal on which the compositor draws.
    ///   - descriptors: Additional file descriptors of the surface: for a terminal, the terminal device and its shared
    ///     cell map.
    ///   - handler: Receives the result and all later events, on the thread "compositor" or the caller's thread.
    /// - Returns: The number of the session.
    package func openSession(
        surface: ClientMessage.Surface, descriptors: [SharedDescriptor] = [],
        handler: @escaping @Sendable (Event) -> Void
    ) -> UInt32 {
        let sessionNumber = state.update { state in
            defer { state.nextSessionNumber += 1 }
            state.sessions[state.nextSessionNumber] = Session(
                surface: surface, descriptors: descriptors, handler: handler)
            return state.nextSessionNumber
        }
        connectOrAnnounceSessions()
        return sessionNumber
    }

    /// Closes a Picture-in-Picture session. Its handler receives no later events.
    package func closeSession(_ number: UInt32) {
        // Send while holding the lock, as when a session is opened, so that the messages stay in order. A failure to
        // send is ignored: a compositor that has exited needs no message.
        let session = state.update { state in
            let session = state.sessions.removeValue(forKey: number)
            if session?.isAnnounced == true {
                try? state.socket?.send(ClientMessage.closeSession(session: number).encoded)
            }
            return session
        }
        session?.sink?.close()
    }

    /// Sends a message, unless the compositor is too old to support it.
    ///
    /// - Returns: False if the connection is lost; the handlers then receive `.lost`.
    @discardableResult
    package func send(_ message: ClientMessage, _ descriptors: [Int32] = []) -> Bool {
        let (openSocket, version, interfaces) = state.withLock { ($0.socket, $0.version, $0.interfaces) }
        guard let socket = openSocket else { return false }
        guard message.version <= version else { return true }
        if let (interface, requiredVersion) = message.interface, interfaces[interface] < requiredVersion { return true }
        do {
            try socket.send(message.encoded, descriptors: descriptors)
            return true
        } catch {
            socket.shutdown()
            return false
        }
    }

    /// Connects again after a loss, for the sessions that are still open.
    package func reconnect() { connectOrAnnounceSessions() }

    /// Requests a connection from the thread "compositor" if there is none; otherwise announces the new sessions.
    func connectOrAnnounceSessions() {
        var failureReason: String?
        let openSocket: MessageSocket? = state.update { state in
            if let socket = state.socket { return socket }
            state.isConnectionWanted = true
            // The thread is never joined: it runs until the process exits.
            do {
                if state.thread == nil {
                    state.thread = try NamedThread("compositor") { [self] in run() }
                    state.isStarting = true
                }
            } catch { failureReason = "cannot start a thread: \(error)" }
            return nil
        }
        if let openSocket { announceNewSessions(openSocket) }
        if let failureReason { notifyAll(.unavailable(failureReason)) }
    }

    /// Whether the compositor was lost four times within ten seconds.
    package var isCrashLooping: Bool {
        state.withLock { state in
            state.lossTimes.count == 4 && MonotonicTime.now - (state.lossTimes.first ?? 0) < 10_000_000_000
        }
    }

    /// Whether a connection attempt is under way, which may be starting the compositor.
    var isStarting: Bool { state.withLock { $0.isStarting } }

    /// The user's setting for automatic starts of Picture-in-Picture in all programs.
    package var startsPictureInPictureAutomatically: Bool { state.withLock { $0.startsPictureInPictureAutomatically } }
}
