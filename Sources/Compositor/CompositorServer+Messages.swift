import CompositorProtocol
import SharedFrames
import SystemCalls
import VideoOutput
import WireFormat

extension CompositorServer {
    func handle(_ message: ClientMessage, _ descriptors: [SharedDescriptor], from client: ClientConnection) throws(MalformedMessage) {
        if case .hello(let current, let oldest, let program) = message {
            logger.debug("a program says hello", metadata: ["program": "\(program)", "pid": "\(client.processID)"])
            guard let version = ProtocolVersion.agree(current: current, oldest: oldest) else {
                try client.send(.refused(
                    reason: "this compositor speaks versions \(ProtocolVersion.oldest) to \(ProtocolVersion.current), the program \(oldest) to \(current)"))
                throw MalformedMessage("no version of the protocol in common")
            }
            client.isWelcome = true
            (client.version, client.program) = (version, program)
            try client.send(.welcome(version: version))
            // Its directory may not have been there to be watched.
            if settings.descriptor == nil { readSettings() }
            return try tellSettings(client)
        }
        guard client.isWelcome else { throw MalformedMessage("a message before hello") }
        switch message {
        case .hello: break
        case .openSession(let number, let surface): try open(number, surface, descriptors, of: client)
        // A session that failed, or was lost with its display, may be spoken of for a moment longer: that is no breach.
        case .slot(let number, let slot): try client.sessions[number]?.add(slot: slot, descriptor: descriptors[0])
        case .dropSlot(let number, let slot): client.sessions[number]?.drop(slot: slot)
        case .format(let number, let name, let format): try client.sessions[number]?.set(format: name, format)
        case .requestStart(let number):
            // Who asks anew does not wait until the last picture has landed.
            if let session = client.sessions[number], session.window?.isLanding == true { try stop(session, of: client) }
            guard let session = client.sessions[number] else { return try refuseStart(number, of: client) }
            guard !isVideoCalled else { return try refuseStart(number, of: client, Self.videoCall) }
            perform(arbiter.request(session.key, now: MonotonicTime.now))
        case .start(let number): try start(number, from: nil, of: client)
        case .startFrom(let number, let origin): try start(number, from: origin, of: client)
        case .stop(let number):
            // Each `land` and each `stop` is answered.
            if let session = client.sessions[number], session.window?.isLanding == true { try stop(session, of: client) }
            client.sessions[number]?.stop()
            try client.send(.stopped(session: number))
            perform(arbiter.ended(SessionKey(client: client.id, session: number)))
        case .land(let number, let place):
            guard let session = client.sessions[number], let window = session.window, !window.isLanding else {
                return try handle(.stop(session: number), [], from: client)
            }
            session.beginReturn()
            for outcome in window.land(on: place) { try handle(outcome, in: session, of: client) }
        case .playback(let number, let facts): client.sessions[number]?.set(facts)
        case .sound(let number, let sound): client.sessions[number]?.set(sound)
        // Looked at with all the others when the messages have been read.
        case .placeChanged: break
        case .overlay(let number, let shape):
            client.sessions[number]?.set(try SharedOverlay(shape, descriptor: descriptors[0]))
        case .clearOverlay(let number): client.sessions[number]?.set(nil)
        case .setLinear(let number, let isLinear): client.sessions[number]?.set(isLinear: isLinear)
        case .buffering(let number, let isBuffering): client.sessions[number]?.set(isBuffering: isBuffering)
        case .audio(let number, let request): try handle(request, of: number, descriptors, from: client)
        case .system(let request, let isKept): try handle(request, isKept: isKept, from: client)
        case .closeSession(let number):
            client.pendingSessions[number] = nil
            client.sessions.removeValue(forKey: number)?.stop()
            perform(arbiter.ended(SessionKey(client: client.id, session: number)))
        }
    }

    private func start(_ number: UInt32, from origin: PixelRect?, of client: ClientConnection) throws(MalformedMessage) {
        guard let session = client.sessions[number] else { return try refuseStart(number, of: client) }
        guard arbiter.holds(session.key) else { return try refuseStart(number, of: client, "the window was not granted") }
        if isVideoCalled { return try call(off: session, of: client) }
        let others = clients.values.flatMap(\.sessions.values).filter { $0 !== session && $0.connection === session.connection }
        session.start(PiPWindow.Opening(
            origin: origin, isOnAllWorkspaces: settings.settings.isOnAllWorkspaces, neighbours: others.compactMap { $0.window?.frame }))
        starting.append(session)
    }

    private func stop(_ session: PiPSession, of client: ClientConnection) throws(MalformedMessage) {
        session.stop()
        try client.send(.stopped(session: session.key.session))
        perform(arbiter.ended(session.key))
    }

    /// Removes a window that its program did not give back in time.
    private func takeAway(_ session: PiPSession, of client: ClientConnection) throws(MalformedMessage) {
        // One that flies back was given back: that is what is answered.
        let isAnswer = session.window?.isLanding == true || client.version < ProtocolVersion.linear
        session.stop()
        try client.send(isAnswer ? .stopped(session: session.key.session) : .removed(session: session.key.session))
    }

    /// Reads the user's settings again and tells the programs.
    func readSettings() {
        guard settings.refresh() else { return }
        arbiter.limit = settings.settings.windows
        foreignPlayers.isEnabled = settings.settings.pausesOtherPlayers
        for client in clients.values where client.isWelcome {
            applyBackgroundRight(of: client, now: MonotonicTime.now)
            do throws(MalformedMessage) {
                try tellSettings(client)
            } catch { remove(client, reason: error.what) }
        }
    }

    private func tellSettings(_ client: ClientConnection) throws(MalformedMessage) {
        guard client.version >= ProtocolVersion.settings else { return }
        try client.send(.settings(startsAutomatically: settings.settings.startsAutomatically))
    }

    /// A start comes to nothing since a call has the place.
    func call(off session: PiPSession, of client: ClientConnection) throws(MalformedMessage) {
        session.stop()
        try refuseStart(session.key.session, of: client, Self.videoCall)
        perform(arbiter.ended(session.key))
    }

    private static let videoCall = "a video call has the place of floating windows"

    private func refuseStart(
        _ number: UInt32, of client: ClientConnection, _ reason: String = "the session is not open"
    ) throws(MalformedMessage) { try client.send(.startFailed(session: number, reason: reason)) }

    func perform(_ actions: [WindowArbiter.Action]) {
        for action in actions {
            switch action {
            case .grant(let key): tell(key, .granted(session: key.session))
            case .replace(let key): tell(key, .replaced(session: key.session))
            case .refuse(let key, let reason): tell(key, .startFailed(session: key.session, reason: reason))
            case .remove(let key):
                guard let client = clients[key.client], let session = client.sessions[key.session] else { continue }
                do throws(MalformedMessage) {
                    try takeAway(session, of: client)
                } catch { remove(client, reason: error.what) }
            }
        }
    }

    func tell(_ key: SessionKey, _ message: ServerMessage) {
        guard let client = clients[key.client] else { return }
        do throws(MalformedMessage) {
            try client.send(message)
        } catch { remove(client, reason: error.what) }
    }

    func handle(_ outcome: PiPWindow.Outcome, in session: PiPSession, of client: ClientConnection) throws(MalformedMessage) {
        let number = session.key.session
        switch outcome {
        case .action(let action) where client.version < action.version: break
        case .action(let action):
            if action == .close, session.closesAt == nil { session.closesAt = MonotonicTime.now + Self.closePatience }
            if action == .playPause { client.noteGesture(now: MonotonicTime.now) }
            try client.send(.action(session: number, action))
        case .exposed: for message in session.exposed() { try client.send(message) }
        case .resized(let size): try client.send(.renderSize(session: number, width: UInt32(size.width), height: UInt32(size.height)))
        case .needsRedraw: session.redraw()
        case .landed:
            let now = MonotonicTime.now
            session.land(now: now)
            if session.isDone(now: now) { try stop(session, of: client) }
        }
    }

    /// Nanoseconds that a program has for closing its window when the user has told it to.
    private static let closePatience: Int64 = 1_000_000_000

    /// Moves the windows that are on their way, and closes those whose programs do not.
    func moveWindows(now: Int64) {
        for client in clients.values {
            for session in client.sessions.values {
                guard let window = session.window else { continue }
                do throws(MalformedMessage) {
                    if !client.budget.isUsedUp {
                        let start = MonotonicTime.now
                        for message in try session.showNext(now: now) { try client.send(message) }
                        client.budget.spend(since: start)
                    }
                    if let closesAt = session.closesAt, now >= closesAt {
                        logger.notice("a program does not close its window: it is closed", metadata: ["pid": "\(client.processID)"])
                        try takeAway(session, of: client)
                        perform(arbiter.ended(session.key))
                        continue
                    }
                    if session.hasLanded {
                        if session.isDone(now: now) { try stop(session, of: client) }
                        continue
                    }
                    for outcome in window.tick(now: now) { try handle(outcome, in: session, of: client) }
                } catch { remove(client, reason: error.what) }
            }
        }
    }

    /// Writes what terminals take.
    func writeTerminals(now: Int64) {
        for client in clients.values {
            for session in client.sessions.values where session.terminal != nil {
                do throws(MalformedMessage) {
                    for message in try session.proceed(now: now) {
                        if case .sessionFailed = message { lose(session, of: client) }
                        try client.send(message)
                    }
                } catch { remove(client, reason: error.what) }
            }
        }
    }

    /// Its terminal is gone.
    private func lose(_ session: PiPSession, of client: ClientConnection) {
        session.stop()
        client.sessions[session.key.session] = nil
        perform(arbiter.ended(session.key))
    }
}
