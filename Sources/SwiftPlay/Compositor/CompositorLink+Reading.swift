import CompositorProtocol
import Glibc
import SystemCalls
import WireFormat

/// The thread "compositor": connects and reads the compositor's messages.
extension CompositorLink {
    func run() {
        /// The host time of the next attempt after a refusal.
        var retriesAt: Int64?
        while true {
            let isWanted = state.wait(until: retriesAt) { state in state.isWanted ? true : nil } == true
            guard isWanted || retriesAt != nil else { return }
            retriesAt = nil
            state.withLock { ($0.isWanted, $0.isStarting) = (false, true) }
            let socket: MessageSocket
            do throws(CompositorLauncher.Failure) {
                defer { state.withLock { $0.isStarting = false } }
                socket = try CompositorLauncher.connect()
            } catch {
                state.withLock { $0.audio }?(.unavailable)
                tellAll(.unavailable(error.description))
                continue
            }
            // A failure is ignored: if the compositor has exited, the first read reports it.
            try? socket.send(
                ClientMessage.hello(
                    current: ProtocolVersion.current, oldest: ProtocolVersion.oldest, program: programName
                ).encoded)
            if let refusal = read(socket) {
                retriesAt = MonotonicTime.now + Self.retryInterval
                state.withLock { $0.audio }?(.refused(refusal))
                // After a retry, the sessions have already received the refusal.
                if isWanted { tellAll(.unavailable(refusal)) }
            } else {
                lose()
                state.withLock { $0.audio }?(.lost)
                tellAll(.lost)
            }
        }
    }

    /// The interval between attempts to connect after a refusal, in nanoseconds.
    private static let retryInterval: Int64 = 2_000_000_000

    /// Handles the loss of the connection: takes back all frames and marks all sessions as not announced.
    private func lose() {
        let pictures = state.update { state -> [RemotePicture] in
            (state.socket, state.isAudioAnnounced, state.audioSequence) = (nil, false, 0)
            state.losses = (state.losses + [MonotonicTime.now]).suffix(4)
            let pictures = state.sessions.values.compactMap(\.picture)
            for number in state.sessions.keys {
                state.sessions[number]?.picture = nil
                state.sessions[number]?.isAnnounced = false
                state.sessions[number]?.reopensAt = nil
            }
            return pictures
        }
        for picture in pictures { picture.close() }
    }

    private var programName: String {
        CommandLine.arguments.first.flatMap { $0.split(separator: "/").last }.map(String.init) ?? ""
    }

    /// Reads until the connection ends.
    ///
    /// - Returns: The reason of a refusal; nil if the compositor served this process or did not answer.
    private func read(_ socket: MessageSocket) -> String? {
        var warnsAt: Int64? = MonotonicTime.now + Self.welcomePatience
        while true {
            switch socket.receive() {
            case .nothing:
                let reopensAt = state.withLock { state in state.sessions.values.compactMap(\.reopensAt).min() }
                let due = [warnsAt, reopensAt].compactMap { $0 }.min()
                guard let isReadable = try? Poll.waitReadable(socket.raw, until: due) else { return nil }
                guard !isReadable else { continue }
                if let time = warnsAt, MonotonicTime.now >= time {
                    logger.warning("swiftplay-compositor does not answer: there is no Picture-in-Picture until it does")
                    warnsAt = nil
                }
                if reopensAt != nil { reopenSessions(socket) }
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
                    // If reports arrived out of order, the session's state would differ from the compositor's.
                    socket.shutdown()
                    return nil
                default: handle(message)
                }
            }
        }
    }

    /// The time after which a session that lost its display is reopened, in nanoseconds. The display server may have
    /// resumed by then.
    private static let reopeningInterval: Int64 = 5_000_000_000

    private func reopenSessions(_ socket: MessageSocket) {
        let now = MonotonicTime.now
        state.withLock { state in
            for (number, session) in state.sessions where session.reopensAt.map({ now >= $0 }) == true {
                state.sessions[number]?.reopensAt = nil
                state.sessions[number]?.isAnnounced = false
            }
        }
        announceNew(socket)
    }

    func announceNew(_ socket: MessageSocket) {
        let failures = state.update { state -> [(UInt32, String)] in
            var failures: [(UInt32, String)] = []
            for (number, session) in state.sessions where !session.isAnnounced {
                if case .terminal = session.surface, state.version < ProtocolVersion.terminals {
                    failures.append((number, "the compositor that runs is too old to draw on a terminal"))
                    continue
                }
                do {
                    let isOnDesktop = if case .x11 = session.surface { true } else { false }
                    let picture = try RemotePicture(
                        session: number, socket: socket, version: state.version, isOnDesktop: isOnDesktop
                    ) { [weak self] change in self?.tell(number, .stalled(change == .stalled)) }
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
            state.withLock { $0.sessions[number]?.wasOpened = true }
            if let picture = state.withLock({ $0.sessions[number]?.picture }) { tell(number, .opened(picture)) }
        case .sessionFailed(let number, let reason):
            state.withLock { state in
                guard let session = state.sessions[number], session.wasOpened else { return }
                state.sessions[number]?.reopensAt = MonotonicTime.now + Self.reopeningInterval
            }
            state.withLock { $0.sessions[number]?.picture }?.close()
            tell(number, .unavailable(reason))
        case .granted(let number): tell(number, .granted)
        case .shown(let number, let frame): tell(number, .shown(frame: frame))
        case .startFailed(let number, let reason): tell(number, .startFailed(reason))
        case .stopped(let number), .removed(let number):
            // Take back the frames that the compositor has released.
            state.withLock { $0.sessions[number]?.picture }?.collect()
            if case .removed = message { tell(number, .removed) } else { tell(number, .stopped) }
        case .replaced(let number): tell(number, .replaced)
        case .action(let number, let action): tell(number, .action(action))
        case .suspended(let number, let on): tell(number, .suspended(on))
        case .renderSize(let number, let width, let height):
            tell(number, .renderSize(width: Int(width), height: Int(height)))
        // These messages belong to connections of `SystemControl`.
        case .audioSession, .audioRoute, .systemState, .systemDone: break
        case .audio(_, _, let report): state.withLock { $0.audio }?(.report(report))
        // All interfaces have version 1, so nothing must be omitted for older compositors.
        case .interfaces: try? state.withLock { $0.socket }?.send(ClientMessage.interfaces(.own).encoded)
        case .unsupported(let number, let reason):
            logger.warning(
                """
                swiftplay-compositor ignored message \(number): \(reason). It is older than this program: end it, and \
                the next program starts the current version.
                """
            )
        case .settings(let automatic):
            state.withLock { $0.startsAutomatically = automatic }
            tellAll(.settings(startsAutomatically: automatic))
        }
    }

    private func tell(_ number: UInt32, _ event: Event) {
        state.withLock { $0.sessions[number]?.handler }?(event)
    }

    func tellAll(_ event: Event) {
        for handler in state.withLock({ $0.sessions.values.map(\.handler) }) { handler(event) }
    }
}
