import CompositorProtocol
import Glibc
import SystemCalls
import WireFormat

/// The connection attempts and the reading of the compositor's messages, on the thread "compositor".
extension CompositorLink {
    /// The body of the thread "compositor": connects whenever a connection is needed, and reads messages until the
    /// connection ends.
    func run() {
        /// The host time of the next attempt to connect after the compositor has refused this process.
        var retryTime: Int64?
        while true {
            let isConnectionWanted =
                state.wait(until: retryTime) { state in state.isConnectionWanted ? true : nil } == true
            guard isConnectionWanted || retryTime != nil else { return }
            retryTime = nil
            state.withLock { ($0.isConnectionWanted, $0.isStarting) = (false, true) }
            let socket: MessageSocket
            do throws(CompositorLauncher.Failure) {
                defer { state.withLock { $0.isStarting = false } }
                socket = try CompositorLauncher.connect()
            } catch {
                state.withLock { $0.audioHandler }?(.unavailable)
                notifyAll(.unavailable(error.description))
                continue
            }
            // A failure to send is ignored: if the compositor has exited, the first read ends the connection.
            try? socket.send(
                ClientMessage.hello(
                    newest: ProtocolVersion.newest, oldest: ProtocolVersion.oldest, program: programName
                ).encoded)
            if let refusal = readMessages(socket) {
                retryTime = MonotonicTime.now + Self.retryInterval
                state.withLock { $0.audioHandler }?(.refused(refusal))
                // Only the first refusal is reported to the Picture-in-Picture sessions: each retry gets the same
                // refusal.
                if isConnectionWanted { notifyAll(.unavailable(refusal)) }
            } else {
                handleConnectionLoss()
                state.withLock { $0.audioHandler }?(.lost)
                state.withLock { $0.programHandler }?(.lost)
                notifyAll(.lost)
            }
        }
    }

    /// The time between attempts to connect after the compositor has refused this process, in nanoseconds.
    private static let retryInterval: Int64 = 2_000_000_000

    /// Handles the loss of the connection: takes back all frames, and marks all sessions as not announced.
    private func handleConnectionLoss() {
        let sinks = state.update { state -> [RemoteFrameSink] in
            (state.socket, state.isAudioAnnounced, state.lastAudioReportNumber) = (nil, false, 0)
            state.lossTimes = (state.lossTimes + [MonotonicTime.now]).suffix(4)
            let sinks = state.sessions.values.compactMap(\.sink)
            for sessionNumber in state.sessions.keys {
                state.sessions[sessionNumber]?.sink = nil
                state.sessions[sessionNumber]?.isAnnounced = false
                state.sessions[sessionNumber]?.reopeningTime = nil
            }
            return sinks
        }
        for sink in sinks { sink.close() }
    }

    /// The name of the program, for the compositor's log and settings.
    private var programName: String {
        CommandLine.arguments.first.flatMap { $0.split(separator: "/").last }.map(String.init) ?? ""
    }

    /// Reads the compositor's messages until the connection ends.
    ///
    /// - Returns: The reason why the compositor refused this process; nil if it accepted this process or did not
    ///   answer.
    private func readMessages(_ socket: MessageSocket) -> String? {
        var warningTime: Int64? = MonotonicTime.now + Self.welcomeTimeout
        while true {
            switch socket.receive() {
            case .nothing:
                let reopeningTime = state.withLock { state in state.sessions.values.compactMap(\.reopeningTime).min() }
                let deadline = [warningTime, reopeningTime].compactMap { $0 }.min()
                guard let isReadable = try? Poll.waitReadable(socket.raw, until: deadline) else { return nil }
                guard !isReadable else { continue }
                if let time = warningTime, MonotonicTime.now >= time {
                    logger.warning(
                        "swiftplay-compositor does not respond: Picture-in-Picture is unavailable until it does")
                    warningTime = nil
                }
                if reopeningTime != nil { reopenSessions(socket) }
            case .closed: return nil
            case .message(let receivedMessage):
                guard let message = try? ServerMessage(decoding: receivedMessage.bytes) else {
                    socket.shutdown()
                    return nil
                }
                switch message {
                case .welcome(let version):
                    warningTime = nil
                    state.withLock { state in
                        state.socket = socket
                        (state.version, state.interfaces) = (version, InterfaceVersions())
                        state.startsPictureInPictureAutomatically = true
                    }
                    announceNewSessions(socket)
                    announceAudioSession()
                case .refused(let reason): return state.withLock { $0.socket } == nil ? reason : nil
                case .audio(_, let sequence, _) where !acceptReport(sequence):
                    // Connect again if a report is older than one that was already handled: the state of the audio
                    // session would differ from the compositor's.
                    socket.shutdown()
                    return nil
                default: handle(message)
                }
            }
        }
    }

    /// The time after which a failed Picture-in-Picture session is opened again, in nanoseconds. An X server that did
    /// not respond may respond again by then.
    private static let reopeningInterval: Int64 = 5_000_000_000

    /// Announces again the sessions whose reopening is due.
    private func reopenSessions(_ socket: MessageSocket) {
        let now = MonotonicTime.now
        state.withLock { state in
            for (sessionNumber, session) in state.sessions where session.reopeningTime.map({ now >= $0 }) == true {
                state.sessions[sessionNumber]?.reopeningTime = nil
                state.sessions[sessionNumber]?.isAnnounced = false
            }
        }
        announceNewSessions(socket)
    }

    /// Sends a request to open each session that was not announced on this connection yet. If a request fails, the
    /// handler of that session receives the reason.
    func announceNewSessions(_ socket: MessageSocket) {
        let failures = state.update { state -> [(UInt32, String)] in
            var failures: [(UInt32, String)] = []
            for (sessionNumber, session) in state.sessions where !session.isAnnounced {
                if case .terminal = session.surface, state.version < ProtocolVersion.terminals {
                    failures.append((sessionNumber, "the running compositor is too old to draw on a terminal"))
                    continue
                }
                do {
                    let isOnDesktop = if case .x11 = session.surface { true } else { false }
                    let sink = try RemoteFrameSink(
                        session: sessionNumber, socket: socket, version: state.version, isOnDesktop: isOnDesktop
                    ) { [weak self] change in self?.notify(sessionNumber, .stalled(change == .stalled)) }
                    try socket.send(
                        ClientMessage.openSession(session: sessionNumber, surface: session.surface).encoded,
                        descriptors: sink.descriptors + session.descriptors.map(\.raw))
                    state.sessions[sessionNumber]?.sink = sink
                    state.enableOverlayText()
                    state.sessions[sessionNumber]?.isAnnounced = true
                } catch { failures.append((sessionNumber, "\(error)")) }
            }
            return failures
        }
        for (sessionNumber, reason) in failures { notify(sessionNumber, .unavailable(reason)) }
    }

    /// Forwards a message of the compositor to the handler of its session.
    private func handle(_ message: ServerMessage) {
        switch message {
        case .welcome, .refused: break
        case .sessionOpened(let sessionNumber):
            state.withLock { $0.sessions[sessionNumber]?.wasOpened = true }
            if let sink = state.withLock({ $0.sessions[sessionNumber]?.sink }) { notify(sessionNumber, .opened(sink)) }
        case .sessionFailed(let sessionNumber, let reason):
            state.withLock { state in
                guard let session = state.sessions[sessionNumber], session.wasOpened else { return }
                state.sessions[sessionNumber]?.reopeningTime = MonotonicTime.now + Self.reopeningInterval
            }
            state.withLock { $0.sessions[sessionNumber]?.sink }?.close()
            notify(sessionNumber, .unavailable(reason))
        case .granted(let sessionNumber): notify(sessionNumber, .granted)
        case .shown(let sessionNumber, let frame): notify(sessionNumber, .shown(frame: frame))
        case .startFailed(let sessionNumber, let reason): notify(sessionNumber, .startFailed(reason))
        case .stopped(let sessionNumber), .removed(let sessionNumber):
            state.withLock { $0.sessions[sessionNumber]?.sink }?.unmapUnusedMemory()
            if case .removed = message { notify(sessionNumber, .removed) } else { notify(sessionNumber, .stopped) }
        case .replaced(let sessionNumber): notify(sessionNumber, .replaced)
        case .action(let sessionNumber, let action): notify(sessionNumber, .action(action))
        case .suspended(let sessionNumber, let isSuspended): notify(sessionNumber, .suspended(isSuspended))
        case .renderSize(let sessionNumber, let width, let height):
            notify(sessionNumber, .renderSize(width: Int(width), height: Int(height)))
        // The compositor sends these messages only on connections of `SystemControl`.
        case .audioSession, .audioRoute, .systemState, .systemDone, .program, .programMemory, .programClosed,
            .programPicture, .programsChanged:
            break
        case .role(let role): state.withLock { $0.programHandler }?(.role(role))
        case .memoryPressure(let level): state.withLock { $0.programHandler }?(.memoryPressure(level))
        case .memoryReportRequested: state.withLock { $0.programHandler }?(.memoryReportRequested)
        case .snapshotRequested: state.withLock { $0.programHandler }?(.snapshotRequested)
        case .exitRequested: state.withLock { $0.programHandler }?(.exitRequested)
        case .audio(_, _, let report): state.withLock { $0.audioHandler }?(.report(report))
        case .interfaces(let versions):
            state.withLock { state in
                state.interfaces = versions.common(with: .supported)
                state.enableOverlayText()
                try? state.socket?.send(ClientMessage.interfaces(.supported).encoded)
                state.sendPresence()
                state.sendSnapshotState()
            }
        case .unsupported(let messageNumber, let reason):
            logger.warning(
                """
                swiftplay-compositor ignored message \(messageNumber): \(reason). It is older than this program: end \
                it, and the next program starts the current version.
                """
            )
        case .settings(let startsPictureInPictureAutomatically):
            state.withLock { $0.startsPictureInPictureAutomatically = startsPictureInPictureAutomatically }
            notifyAll(.settings(startsPictureInPictureAutomatically: startsPictureInPictureAutomatically))
        }
    }

    /// Calls the handler of one Picture-in-Picture session.
    private func notify(_ sessionNumber: UInt32, _ event: Event) {
        state.withLock { $0.sessions[sessionNumber]?.handler }?(event)
    }

    /// Calls the handlers of all Picture-in-Picture sessions.
    func notifyAll(_ event: Event) {
        for handler in state.withLock({ $0.sessions.values.map(\.handler) }) { handler(event) }
    }
}

extension CompositorLink.State {
    /// Makes the sessions in a terminal send the text of overlays, if the compositor draws it.
    func enableOverlayText() {
        guard interfaces[.windows] >= 3 else { return }
        for session in sessions.values {
            if case .terminal = session.surface { session.sink?.enableOverlayText() }
        }
    }
}
