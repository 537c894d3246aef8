import CXCB
import CompositorProtocol
import Glibc
import SharedFrames
import SystemCalls
import VideoOutput
import WireFormat

/// The displays: sessions are opened on them once they are connected, and fail with them.
extension CompositorServer {
    func open(
        _ number: UInt32, _ surface: ClientMessage.Surface, _ descriptors: [SharedDescriptor], of client: ClientConnection
    ) throws(MalformedMessage) {
        guard client.sessions[number] == nil, client.pendingSessions[number] == nil else {
            throw MalformedMessage("a session is opened twice")
        }
        guard client.sessionCount < ClientConnection.sessionLimit else { throw MalformedMessage("too many sessions") }
        guard clients.values.reduce(0, { $0 + $1.sessionCount }) < Self.sessionLimit else {
            return try client.send(.sessionFailed(session: number, reason: "too many pictures are registered"))
        }
        guard let key = DisplayTable.Key(surface) else { return try open(number, surface, on: nil, descriptors, of: client) }
        guard MonotonicTime.now >= client.displaysFailUntil else {
            return try client.send(.sessionFailed(session: number, reason: "the connection to the X server was lost a moment ago"))
        }
        let awaited = Set(client.pendingSessions.values.map(\.key))
        guard awaited.contains(key) || awaited.count < ClientConnection.openingLimit else {
            return try client.send(.sessionFailed(session: number, reason: "the program waits for too many X displays"))
        }
        switch displays.find(key) {
        case .connected(let connection): try open(number, surface, on: connection, descriptors, of: client)
        case .opening: client.pendingSessions[number] = PendingSession(surface: surface, key: key, descriptors: descriptors)
        case .failed(let reason): try client.send(.sessionFailed(session: number, reason: reason))
        }
    }

    private func open(
        _ number: UInt32, _ surface: ClientMessage.Surface, on connection: XConnection?, _ descriptors: [SharedDescriptor],
        of client: ClientConnection
    ) throws(MalformedMessage) {
        var terminal: TerminalWindow?
        if case .terminal(let kind) = surface {
            let share: TerminalShare
            do throws(SystemCallError) {
                share = try TerminalShare(received: descriptors[4].raw)
            } catch { throw MalformedMessage("\(error)") }
            do throws(SystemCallError) {
                terminal = try TerminalWindow(kind: kind, terminal: descriptors[3].raw, share: share)
            } catch { return try client.send(.sessionFailed(session: number, reason: "the terminal cannot be used: \(error)")) }
        }
        client.sessions[number] = try PiPSession(
            key: SessionKey(client: client.id, session: number), surface: surface, connection: connection, terminal: terminal,
            descriptors: descriptors)
        // Before `sessionOpened`, so that the program never takes Picture-in-Picture for possible during a video call.
        if isVideoCalled { try tellSuspended(number, client) }
        try client.send(.sessionOpened(session: number))
    }

    /// Opens the sessions whose displays have been connected, and fails those whose displays do not answer.
    func openPendingSessions(now: Int64) {
        for (key, outcome) in displays.takeFinished(now: now) {
            for client in clients.values {
                for (number, pending) in client.pendingSessions.sorted(by: { $0.key < $1.key }) where pending.key == key {
                    client.pendingSessions[number] = nil
                    do throws(MalformedMessage) {
                        switch outcome {
                        case .connected(let connection):
                            try open(number, pending.surface, on: connection, pending.descriptors, of: client)
                        case .failed(let reason): try client.send(.sessionFailed(session: number, reason: reason))
                        }
                    } catch { remove(client, reason: error.what) }
                }
            }
        }
    }

    /// Leaves the displays that no session is on, or waits for.
    func dropUnusedDisplays() {
        displays.dropUnused(in: clients.values.flatMap { $0.sessions.values.map(\.surface) + $0.pendingSessions.values.map(\.surface) })
    }

    /// Handles the events of all displays, of each a bounded number; a display that is gone takes its windows with it.
    ///
    /// - Parameter isReading: whether events are read from the displays, too, or only those that libxcb has read already.
    /// - Returns: whether there were any: more may wait then.
    @discardableResult
    func handleDisplayEvents(reading isReading: Bool) -> Bool {
        var isAny = false
        for connection in displays.connections {
            for _ in 0..<Self.eventsPerTurn {
                let next = isReading ? xcb_poll_for_event(connection.pointer) : xcb_poll_for_queued_event(connection.pointer)
                guard let event = next else { break }
                defer { free(event) }
                isAny = true
                handle(event, on: connection)
            }
            if connection.isBroken { lose(connection) }
        }
        return isAny
    }

    private static let eventsPerTurn = 256

    private func handle(_ event: UnsafeMutablePointer<xcb_generic_event_t>, on connection: XConnection) {
        if connection.isMonitorChange(event) {
            for session in clients.values.flatMap(\.sessions.values) where session.connection === connection { session.window?.monitorsChanged() }
            return
        }
        let target = XEvent.window(of: event)
        for client in clients.values {
            for session in client.sessions.values {
                guard session.connection === connection, let window = session.window, window.owns(target) else { continue }
                do throws(MalformedMessage) {
                    for outcome in window.handle(event) { try handle(outcome, in: session, of: client) }
                } catch { remove(client, reason: error.what) }
                return
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
                client.displaysFailUntil = MonotonicTime.now + Self.displayRest
                perform(arbiter.ended(key))
            }
        }
    }

    /// Nanoseconds for which a program whose display was lost gets no other: each may keep the compositor waiting for a
    /// moment.
    private static let displayRest: Int64 = 4_000_000_000
}
