import CompositorProtocol
import SystemCalls
import WireFormat

/// One program that is connected: its socket and its sessions. The compositor's one thread.
final class ClientConnection {
    static let sessionLimit = 16

    let id: UInt64
    let socket: MessageSocket
    let processID: Int32
    var sessions: [UInt32: PiPSession] = [:]
    var isWelcome = false
    /// That is spoken with it.
    var version: UInt16 = 0

    init(id: UInt64, socket: MessageSocket, processID: Int32) {
        self.id = id
        self.socket = socket
        self.processID = processID
    }

    /// - Throws: ``MalformedMessage`` when the program does not take what it is sent: it is cut off then.
    func send(_ message: ServerMessage) throws(MalformedMessage) {
        do {
            try socket.send(message.encoded)
        } catch { throw MalformedMessage("the program does not read: \(error.reason)") }
    }
}
