import CompositorProtocol
import Glibc
import Logging
import SystemCalls
import WireFormat

/// This process's connection to the compositor: one, made when first needed, made anew when it was lost.
///
/// The thread "compositor" connects and reads. Handlers are called on it.
package final class CompositorLink: Sendable {
    package static let shared = CompositorLink()

    /// What a session hears.
    package enum Event: Sendable {
        case opened(RemotePicture)
        /// There is no Picture-in-Picture for it: no compositor, no display; in words.
        case unavailable(String)
        case granted
        case shown(frame: UInt64)
        case startFailed(String)
        /// Answers `stop`.
        case stopped
        /// The window was taken away.
        case removed
        case replaced
        case action(ServerMessage.Action)
        case renderSize(width: Int, height: Int)
        /// Whether the user lets Picture-in-Picture start by itself.
        case settings(startsAutomatically: Bool)
        /// A call's picture has the place of floating windows, or not any longer.
        case suspended(Bool)
        /// The compositor does not take the frames of its window, or does again.
        case stalled(Bool)
        /// The compositor is gone, and its window with it.
        case lost
    }

    /// What the process's audio session hears.
    package enum AudioEvent: Sendable {
        case opened
        /// There is no compositor, or one that knows no audio sessions.
        case unavailable
        /// There is a compositor, and it does not serve this process: nothing is granted. The link tries again.
        case refused(String)
        case report(AudioReport)
        case lost
    }

    struct Session {
        let surface: ClientMessage.Surface
        /// That go with it.
        let descriptors: [SharedDescriptor]
        let handler: @Sendable (Event) -> Void
        var picture: RemotePicture?
        var isAnnounced = false
        /// It could be used on this connection or an earlier one.
        var wasOpened = false
        /// When it is opened anew after its display was lost; host time.
        var reopensAt: Int64?
    }

    struct State {
        var sessions: [UInt32: Session] = [:]
        var next: UInt32 = 1
        var socket: MessageSocket?
        /// Of the protocol, as it was agreed on.
        var version = ProtocolVersion.oldest
        /// As the user has it; a compositor that does not tell has no such switch.
        var startsAutomatically = true
        /// Who has the process's audio session.
        var audio: (@Sendable (AudioEvent) -> Void)?
        /// The page that its render threads obey: lives as long as the process.
        var audioPage: Int32 = -1
        /// On this connection.
        var isAudioAnnounced = false
        /// The number of the last audio report of this connection.
        var audioSequence: UInt64 = 0
        var mayPlayInBackground = true
        var thread: NamedThread?
        /// Somebody wants a connection that is not there.
        var isWanted = false
        /// A connection is being made, for which a compositor may have to be started first.
        var isStarting = false
        /// Host times of the last losses: one who dies at once again and again is not started for ever.
        var losses: [Int64] = []
    }

    let state = Monitor(State())
    let logger = Logger(label: "compositor")
    /// How long a compositor may take for its first answer before that is logged, in nanoseconds.
    static let welcomePatience: Int64 = 1_000_000_000

    /// Wants a picture's way to the compositor. The outcome, and all that follows, comes to `handler`.
    ///
    /// - Parameter descriptors: what the surface needs more than others: a terminal's are the terminal and the share's.
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

    /// Gives it up. Nothing is told to its handler after this.
    package func closeSession(_ number: UInt32) {
        // Sent under the lock, as the opening is: the two never cross. A compositor that is gone needs no word.
        let session = state.update { state in
            let session = state.sessions.removeValue(forKey: number)
            if session?.isAnnounced == true {
                try? state.socket?.send(ClientMessage.closeSession(session: number).encoded)
            }
            return session
        }
        session?.picture?.close()
    }

    /// Says something, unless the compositor is too old to know it; false when it is gone, which the handler hears too.
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

    /// Connects anew for the sessions that are there, after a loss.
    package func reconnect() { wake() }

    func wake() {
        var failure: String?
        let open: MessageSocket? = state.update { state in
            if let socket = state.socket { return socket }
            state.isWanted = true
            // One thread for the life of the process, like the connection that it serves.
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

    /// Four losses within ten seconds: it does not live.
    package var isHopeless: Bool {
        state.withLock { state in
            state.losses.count == 4 && MonotonicTime.now - (state.losses.first ?? 0) < 10_000_000_000
        }
    }

    /// No compositor has accepted a connection yet, and one may be on its way.
    var isStarting: Bool { state.withLock { $0.isStarting } }

    /// Whether the user lets Picture-in-Picture start by itself, in any program.
    package var startsAutomatically: Bool { state.withLock { $0.startsAutomatically } }
}
