import CompositorProtocol
import SystemCalls
import WireFormat

/// The work of one turn of the loop, bounded for each program so that the others are served in time.
extension CompositorServer {
    private static let messagesPerTurn = 64

    /// Handles what a program sent, as far as its budget for this turn reaches.
    ///
    /// - Returns: whether all messages that had come were handled, and the program is still served.
    @discardableResult
    func read(_ client: ClientConnection) -> Bool {
        // A client that was removed earlier in this turn may have left messages: nothing of it may be taken in any more.
        guard clients[client.id] === client else { return false }
        do throws(MalformedMessage) {
            for _ in 0..<Self.messagesPerTurn {
                guard !client.budget.isUsedUp else { return false }
                switch client.socket.receive() {
                case .nothing: return true
                case .closed:
                    remove(client, reason: "it closed the connection")
                    return false
                case .message(let incoming):
                    let start = MonotonicTime.now
                    defer { client.budget.spend(since: start) }
                    let message = try ClientMessage(decoding: incoming.bytes)
                    guard incoming.descriptors.count == message.descriptorCount else {
                        throw MalformedMessage("the wrong number of descriptors")
                    }
                    try handle(message, incoming.descriptors, from: client)
                    guard clients[client.id] != nil else { return false }
                }
            }
        } catch { remove(client, reason: error.what) }
        return false
    }

    /// Takes a session's frames out of its ring and shows the newest; in the next turn, where messages that may
    /// announce them are left unread.
    func takeFrames(_ session: PiPSession) {
        guard let client = client(of: session) else { return }
        session.hasUnreadFrames = true
        let end = session.lookAtRing()
        // A frame may name a slot whose announcement came after the socket was read.
        guard read(client), !client.budget.isUsedUp else { return }
        session.hasUnreadFrames = false
        work(for: client) { () throws(MalformedMessage) in try session.takeFrames(upTo: end) }
    }

    /// Opens a window with its first picture: the newest that has come.
    func showFirst(_ session: PiPSession) {
        for attempt in 1...Self.openingAttempts {
            // Making the window takes longer than a turn's budget. Without a new one the frames that came meanwhile
            // would not be read, and an older frame would be shown over them.
            self.client(of: session)?.budget = TurnBudget()
            takeFrames(session)
            guard let client = client(of: session), session.isStarted else { return }
            let takesAny = attempt == Self.openingAttempts
            var isShown = false
            work(for: client) { () throws(MalformedMessage) in
                let (messages, isDone) = try session.openNext(whateverCame: takesAny)
                isShown = isDone
                return messages
            }
            if isShown { return }
        }
    }

    /// A program that sends frames faster than they are drawn does not keep the others waiting.
    private static let openingAttempts = 4

    /// Draws the windows whose controls, size or overlay changed in this turn: each once, however often they did.
    func redrawWindows(now: Int64) {
        for client in clients.values {
            for session in client.sessions.values where session.needsRedraw && !client.budget.isUsedUp {
                work(for: client) { () throws(MalformedMessage) in try session.drawPending(now: now) }
            }
        }
    }

    /// Runs `body` for a program, sends it the messages that `body` returns, and charges the time to its budget.
    private func work(
        for client: ClientConnection, _ body: () throws(MalformedMessage) -> [ServerMessage]
    ) {
        let start = MonotonicTime.now
        do throws(MalformedMessage) {
            for message in try body() { try client.send(message) }
        } catch { remove(client, reason: error.what) }
        client.budget.spend(since: start)
    }

    /// The program of a session that is still open; nil when it went in this turn.
    private func client(of session: PiPSession) -> ClientConnection? {
        guard let client = clients[session.key.client], client.sessions[session.key.session] === session else { return nil }
        return client
    }
}
