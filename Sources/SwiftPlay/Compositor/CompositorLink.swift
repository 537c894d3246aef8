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
        /// Host times of the last losses: one who dies at once again and again is not started for ever.
        var losses: [Int64] = []
    }

    let state = Monitor(State())
    private let logger = Logger(label: "compositor")
    /// How long a compositor may take for its first answer before that is logged, in nanoseconds.
    private static let welcomePatience: Int64 = 1_000_000_000

    /// Wants a picture's way to the compositor. The outcome, and all that follows, comes to `handler`.
    ///
    /// - Parameter descriptors: what the surface needs more than others: a terminal's are the terminal and the share's.
    package func openSession(
        surface: ClientMessage.Surface, descriptors: [SharedDescriptor] = [], handler: @escaping @Sendable (Event) -> Void
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
            if session?.isAnnounced == true { try? state.socket?.send(ClientMessage.closeSession(session: number).encoded) }
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
                if state.thread == nil { state.thread = try NamedThread("compositor") { [self] in run() } }
            } catch { failure = "cannot start a thread: \(error)" }
            return nil
        }
        if let open { announceNew(open) }
        if let failure { tellAll(.unavailable(failure)) }
    }

    // MARK: the thread "compositor"

    private func run() {
        /// When a compositor that refused is asked again; host time.
        var retriesAt: Int64?
        while true {
            let isWanted = state.wait(until: retriesAt) { state in state.isWanted ? true : nil } == true
            guard isWanted || retriesAt != nil else { return }
            retriesAt = nil
            state.withLock { $0.isWanted = false }
            let socket: MessageSocket
            do throws(CompositorLauncher.Failure) {
                socket = try CompositorLauncher.connect()
            } catch {
                state.withLock { $0.audio }?(.unavailable)
                tellAll(.unavailable(error.description))
                continue
            }
            // A compositor that is gone already is seen by the first read.
            try? socket.send(ClientMessage.hello(
                current: ProtocolVersion.current, oldest: ProtocolVersion.oldest, program: programName).encoded)
            if let refusal = read(socket) {
                retriesAt = MonotonicTime.now + Self.retryInterval
                state.withLock { $0.audio }?(.refused(refusal))
                // Those who asked know it already.
                if isWanted { tellAll(.unavailable(refusal)) }
            } else {
                lose()
                state.withLock { $0.audio }?(.lost)
                tellAll(.lost)
            }
        }
    }

    /// Nanoseconds between two attempts to be served by a compositor that refuses.
    private static let retryInterval: Int64 = 2_000_000_000

    /// The connection is gone: all frames are ours again.
    private func lose() {
        let pictures = state.update { state -> [RemotePicture] in
            (state.socket, state.isAudioAnnounced, state.audioSequence) = (nil, false, 0)
            state.losses = (state.losses + [MonotonicTime.now]).suffix(4)
            let pictures = state.sessions.values.compactMap(\.picture)
            for number in state.sessions.keys {
                state.sessions[number]?.picture = nil
                state.sessions[number]?.isAnnounced = false
            }
            return pictures
        }
        for picture in pictures { picture.close() }
    }

    private var programName: String { CommandLine.arguments.first.flatMap { $0.split(separator: "/").last }.map(String.init) ?? "" }

    /// Four losses within ten seconds: it does not live.
    package var isHopeless: Bool {
        state.withLock { state in state.losses.count == 4 && MonotonicTime.now - (state.losses.first ?? 0) < 10_000_000_000 }
    }

    /// Whether the user lets Picture-in-Picture start by itself, in any program.
    package var startsAutomatically: Bool { state.withLock { $0.startsAutomatically } }

    /// Reads until the connection ends.
    ///
    /// - Returns: why the compositor does not serve this process; nil when it did, or did not answer.
    private func read(_ socket: MessageSocket) -> String? {
        var warnsAt: Int64? = MonotonicTime.now + Self.welcomePatience
        while true {
            switch socket.receive() {
            case .nothing:
                guard let isReadable = try? Poll.waitReadable(socket.raw, until: warnsAt) else { return nil }
                if !isReadable {
                    logger.warning("swiftplay-compositor does not answer: there is no Picture-in-Picture until it does")
                    warnsAt = nil
                }
            case .closed: return nil
            case .message(let incoming):
                guard let message = try? ServerMessage(decoding: incoming.bytes) else {
                    socket.shutdown()
                    return nil
                }
                switch message {
                case .welcome(let version):
                    warnsAt = nil
                    state.withLock { state in
                        state.socket = socket
                        state.version = version
                        state.startsAutomatically = true
                    }
                    announceNew(socket)
                    announceAudio()
                case .refused(let reason): return state.withLock { $0.socket } == nil ? reason : nil
                case .audio(_, let sequence, _) where !isNext(sequence):
                    // Reports in another order would leave the session in a state that the compositor does not know.
                    socket.shutdown()
                    return nil
                default: handle(message)
                }
            }
        }
    }

    private func announceNew(_ socket: MessageSocket) {
        let failures = state.update { state -> [(UInt32, String)] in
            var failures: [(UInt32, String)] = []
            for (number, session) in state.sessions where !session.isAnnounced {
                if case .terminal = session.surface, state.version < ProtocolVersion.terminals {
                    failures.append((number, "the compositor that runs is too old to draw on a terminal"))
                    continue
                }
                do {
                    let picture = try RemotePicture(session: number, socket: socket, version: state.version)
                    try socket.send(
                        ClientMessage.openSession(session: number, surface: session.surface).encoded,
                        descriptors: picture.descriptors + session.descriptors.map(\.raw))
                    state.sessions[number]?.picture = picture
                    state.sessions[number]?.isAnnounced = true
                } catch { failures.append((number, "\(error)")) }
            }
            return failures
        }
        for (number, reason) in failures { tell(number, .unavailable(reason)) }
    }

    private func handle(_ message: ServerMessage) {
        switch message {
        case .welcome, .refused: break
        case .sessionOpened(let number):
            if let picture = state.withLock({ $0.sessions[number]?.picture }) { tell(number, .opened(picture)) }
        case .sessionFailed(let number, let reason):
            state.withLock { $0.sessions[number]?.picture }?.close()
            tell(number, .unavailable(reason))
        case .granted(let number): tell(number, .granted)
        case .shown(let number, let frame): tell(number, .shown(frame: frame))
        case .startFailed(let number, let reason): tell(number, .startFailed(reason))
        case .stopped(let number), .removed(let number):
            // Its frames are ours again.
            state.withLock { $0.sessions[number]?.picture }?.collect()
            if case .removed = message { tell(number, .removed) } else { tell(number, .stopped) }
        case .replaced(let number): tell(number, .replaced)
        case .action(let number, let action): tell(number, .action(action))
        case .suspended(let number, let on): tell(number, .suspended(on))
        case .renderSize(let number, let width, let height): tell(number, .renderSize(width: Int(width), height: Int(height)))
        // For who asks about the whole machine, over a connection of its own.
        case .audioSession, .audioRoute, .systemState, .systemDone: break
        case .audio(_, _, let report): state.withLock { $0.audio }?(.report(report))
        case .settings(let automatic):
            state.withLock { $0.startsAutomatically = automatic }
            tellAll(.settings(startsAutomatically: automatic))
        }
    }

    private func tell(_ number: UInt32, _ event: Event) {
        state.withLock { $0.sessions[number]?.handler }?(event)
    }

    private func tellAll(_ event: Event) {
        for handler in state.withLock({ $0.sessions.values.map(\.handler) }) { handler(event) }
    }
}
