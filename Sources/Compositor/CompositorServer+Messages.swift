import CXCB
import CompositorProtocol
import Glibc
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
            client.version = version
            return try client.send(.welcome(version: version))
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
            guard let session = client.sessions[number] else { return try refuseStart(number, of: client) }
            perform(arbiter.request(session.key, now: MonotonicTime.now))
        case .start(let number):
            guard let session = client.sessions[number] else { return try refuseStart(number, of: client) }
            guard arbiter.current == session.key else {
                return try client.send(.startFailed(session: number, reason: "the window was not granted"))
            }
            try session.start()
            for message in try session.showWaiting() { try client.send(message) }
        case .stop(let number):
            client.sessions[number]?.stop()
            try client.send(.stopped(session: number))
            perform(arbiter.ended(SessionKey(client: client.id, session: number)))
        case .playback(let number, let facts): try client.sessions[number]?.set(facts)
        case .overlay(let number, let shape):
            try client.sessions[number]?.set(try SharedOverlay(shape, descriptor: descriptors[0]))
        case .clearOverlay(let number): try client.sessions[number]?.set(nil)
        case .closeSession(let number):
            client.sessions.removeValue(forKey: number)?.stop()
            perform(arbiter.ended(SessionKey(client: client.id, session: number)))
        }
    }

    private func refuseStart(_ number: UInt32, of client: ClientConnection) throws(MalformedMessage) {
        try client.send(.startFailed(session: number, reason: "the session is not open"))
    }

    private func open(
        _ number: UInt32, _ surface: ClientMessage.Surface, _ descriptors: [SharedDescriptor], of client: ClientConnection
    ) throws(MalformedMessage) {
        guard client.sessions[number] == nil else { throw MalformedMessage("a session is opened twice") }
        guard client.sessions.count < ClientConnection.sessionLimit else { throw MalformedMessage("too many sessions") }
        guard clients.values.reduce(0, { $0 + $1.sessions.count }) < Self.sessionLimit else {
            return try client.send(.sessionFailed(session: number, reason: "too many pictures are registered"))
        }
        let connection: XConnection?
        do throws(XError) {
            connection = try displays.connection(for: surface)
        } catch { return try client.send(.sessionFailed(session: number, reason: error.description)) }
        client.sessions[number] = try PiPSession(
            key: SessionKey(client: client.id, session: number), surface: surface, connection: connection, descriptors: descriptors)
        try client.send(.sessionOpened(session: number))
    }

    func perform(_ actions: [WindowArbiter.Action]) {
        for action in actions {
            switch action {
            case .grant(let key): tell(key, .granted(session: key.session))
            case .replace(let key): tell(key, .replaced(session: key.session))
            case .refuse(let key, let reason): tell(key, .startFailed(session: key.session, reason: reason))
            case .remove(let key):
                clients[key.client]?.sessions[key.session]?.stop()
                tell(key, .stopped(session: key.session))
            }
        }
    }

    private func tell(_ key: SessionKey, _ message: ServerMessage) {
        guard let client = clients[key.client] else { return }
        do throws(MalformedMessage) {
            try client.send(message)
        } catch { remove(client, reason: error.what) }
    }

    /// Takes all events of all displays; a display that is gone takes its windows with it.
    func handleDisplayEvents() {
        for connection in displays.connections {
            while let event = xcb_poll_for_event(connection.pointer) {
                defer { free(event) }
                handle(event, on: connection)
            }
            if connection.isBroken { lose(connection) }
        }
    }

    private func handle(_ event: UnsafeMutablePointer<xcb_generic_event_t>, on connection: XConnection) {
        if connection.isMonitorChange(event) {
            for session in clients.values.flatMap(\.sessions.values) where session.connection === connection { session.window?.monitorsChanged() }
            return
        }
        let target = XEvent.window(of: event)
        for client in clients.values {
            for session in client.sessions.values {
                guard session.connection === connection, let window = session.window, window.window.id == target else { continue }
                do throws(MalformedMessage) {
                    for outcome in window.handle(event) { try handle(outcome, in: session, of: client) }
                } catch { remove(client, reason: error.what) }
                return
            }
        }
    }

    private func handle(_ outcome: PiPWindow.Outcome, in session: PiPSession, of client: ClientConnection) throws(MalformedMessage) {
        let number = session.key.session
        switch outcome {
        case .action(.seek) where client.version < ProtocolVersion.seeking: break
        case .action(let action): try client.send(.action(session: number, action))
        case .exposed: for message in session.exposed() { try client.send(message) }
        case .resized(let size): try client.send(.renderSize(session: number, width: UInt32(size.width), height: UInt32(size.height)))
        case .needsRedraw: try session.redraw()
        }
    }

    /// Moves the windows that are on their way.
    func moveWindows(now: Int64) {
        for client in clients.values {
            for session in client.sessions.values {
                guard let window = session.window else { continue }
                do throws(MalformedMessage) {
                    for outcome in window.tick(now: now) { try handle(outcome, in: session, of: client) }
                } catch { remove(client, reason: error.what) }
            }
        }
    }

    private func lose(_ connection: XConnection) {
        logger.warning("a display is gone")
        displays.remove(connection)
        for client in clients.values {
            for (number, session) in client.sessions where session.connection === connection {
                session.stop()
                client.sessions[number] = nil
                let key = session.key
                tell(key, .sessionFailed(session: number, reason: "the connection to the X server was lost"))
                perform(arbiter.ended(key))
            }
        }
    }
}
