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
                guard !client.budget.isUsedUp, !windows.isHeld(client.id) else { return false }
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

    /// Lets a session's frames be drawn; in the next turn, where messages that may announce them are left unread.
    func takeFrames(_ session: WindowService.Session) {
        let key = session.handle.key
        guard let client = clients[key.client] else { return }
        let end = session.feed.look(now: MonotonicTime.now)
        // A frame may name a slot whose announcement came after the socket was read.
        guard read(client), windows.sessions[key] === session else { return }
        session.feed.isUnread = false
        session.thread.mailbox.post(.frames(session.handle, upTo: end))
    }
}
