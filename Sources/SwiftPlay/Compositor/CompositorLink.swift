import CompositorProtocol
import Glibc
import Logging
import SystemCalls
import WireFormat

/// The connection of this process to the compositor. It is opened when first needed, and reopened after a loss.
///
/// The thread "compositor" connects and reads. Handlers are called on it.
package final class CompositorLink: Sendable {
    /// The link of this process.
    package static let shared = CompositorLink()

    /// An event of a session.
    package enum Event: Sendable {
        case opened(RemotePicture)
        /// Picture-in-Picture is not available, for the given reason.
        case unavailable(String)
        case granted
        case shown(frame: UInt64)
        case startFailed(String)
        /// The compositor has executed `stop`.
        case stopped
        /// The window was closed.
        case removed
        case replaced
        case action(ServerMessage.Action)
        case renderSize(width: Int, height: Int)
        /// The user's setting for automatic starts of Picture-in-Picture.
        case settings(startsAutomatically: Bool)
        /// A video call began (true) or ended (false). During a call the compositor hides floating windows.
        case suspended(Bool)
        /// The compositor stopped (true) or resumed (false) releasing frames.
        case stalled(Bool)
        /// The connection to the compositor was lost; its window is closed.
        case lost
    }

    /// An event of the process's audio session.
    package enum AudioEvent: Sendable {
        case opened
        /// There is no compositor, or it does not support audio sessions.
        case unavailable
        /// The compositor refuses this process, for the given reason. The link will try to connect again.
        case refused(String)
        case report(AudioReport)
        case lost
    }

    struct Session {
        let surface: ClientMessage.Surface
        /// The descriptors that are sent with the session.
        let descriptors: [SharedDescriptor]
        let handler: @Sendable (Event) -> Void
        var picture: RemotePicture?
        var isAnnounced = false
        /// Whether the session was open on this connection or an earlier one.
        var wasOpened = false
        /// The host time at which the session is reopened after the loss of its display.
        var reopensAt: Int64?
    }

    struct State {
        var sessions: [UInt32: Session] = [:]
        var next: UInt32 = 1
        var socket: MessageSocket?
        /// The negotiated version of the protocol.
        var version = ProtocolVersion.oldest
        /// The user's setting for automatic starts. Compositors without the setting do not report it.
        var startsAutomatically = true
        /// The handler of the audio session.
        var audio: (@Sendable (AudioEvent) -> Void)?
        /// The gain page of the render threads, which exists as long as the process.
        var audioPage: Int32 = -1
        /// Whether the audio session was announced on this connection.
        var isAudioAnnounced = false
        /// The number of the last audio report of this connection.
        var audioSequence: UInt64 = 0
        var mayPlayInBackground = true
        var thread: NamedThread?
        /// Whether a connection is needed.
        var isWanted = false
        /// Whether a connection is being opened, for which a compositor may be started.
        var isStarting = false
        /// The host times of the last losses. A compositor that crashes repeatedly is not restarted forever.
        var losses: [Int64] = []
    }

    let state = Monitor(State())
    let logger = Logger(label: "compositor")
    /// The time after which a missing first answer of a compositor is logged, in nanoseconds.
    static let welcomePatience: Int64 = 1_000_000_000

    /// Opens a session for a picture.
    ///
    /// - Parameters:
    ///   - surface: The window or terminal on which the compositor draws.
    ///   - descriptors: Additional descriptors of the surface: for a terminal, the terminal and its cell map.
    ///   - handler: Receives the result and all later events, on the link's thread or the caller's.
    /// - Returns: The number of the session.
    package func openSession(
        surface: ClientMessage.Surface, descriptors: [SharedDescriptor] = [],
        handler: @escaping @Sendable (Event) -> Void
    ) -> UInt32 {
        let number = state.update { state in
            defer { state.next += 1 }
            state.sessions[state.next] = Session(surface: surface, descriptors: descriptors, handler: handler)
            return state.next
        }
        wake()
        return number
    }

    /// Closes a session. Its handler receives no later events.
    package func closeSession(_ number: UInt32) {
        // Send under the lock, as for the opening, so that the messages stay in order. A failure is ignored: a lost
        // compositor needs no message.
        let session = state.update { state in
            let session = state.sessions.removeValue(forKey: number)
            if session?.isAnnounced == true {
                try? state.socket?.send(ClientMessage.closeSession(session: number).encoded)
            }
            return session
        }
        session?.picture?.close()
    }

    /// Sends a message, unless the compositor is too old to support it.
    ///
    /// - Returns: False if the connection is lost; the handlers then receive `.lost`.
    @discardableResult
    package func send(_ message: ClientMessage, _ descriptors: [Int32] = []) -> Bool {
        let (link, version) = state.withLock { ($0.socket, $0.version) }
        guard let socket = link else { return false }
        guard message.version <= version else { return true }
        do {
            try socket.send(message.encoded, descriptors: descriptors)
            return true
        } catch {
            socket.shutdown()
            return false
        }
    }

    /// Connects again for the open sessions, after a loss.
    package func reconnect() { wake() }

    /// Connects if there is no connection, else announces new sessions.
    func wake() {
        var failure: String?
        let open: MessageSocket? = state.update { state in
            if let socket = state.socket { return socket }
            state.isWanted = true
            // The thread is never joined: it runs until the process exits.
            do {
                if state.thread == nil {
                    state.thread = try NamedThread("compositor") { [self] in run() }
                    state.isStarting = true
                }
            } catch { failure = "cannot start a thread: \(error)" }
            return nil
        }
        if let open { announceNew(open) }
        if let failure { tellAll(.unavailable(failure)) }
    }

    /// Whether the compositor was lost four times within ten seconds.
    package var isHopeless: Bool {
        state.withLock { state in
            state.losses.count == 4 && MonotonicTime.now - (state.losses.first ?? 0) < 10_000_000_000
        }
    }

    /// Whether a connection attempt is under way, which may be starting the compositor.
    var isStarting: Bool { state.withLock { $0.isStarting } }

    /// The user's setting for automatic starts of Picture-in-Picture in all programs.
    package var startsAutomatically: Bool { state.withLock { $0.startsAutomatically } }
}
