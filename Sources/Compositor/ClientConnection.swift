import AudioOutput
import CompositorProtocol
import SystemCalls
import WireFormat

/// One program that is connected: its socket and its audio sessions. Used by the compositor's main thread.
final class ClientConnection {
    let id: UInt64
    let socket: MessageSocket
    let processID: Int32
    /// Its audio sessions, by their numbers.
    var audioSessions: [UInt32: IssuedAudioOrders] = [:]
    /// What the program declares of itself; the user's setting may take it away.
    var mayPlayInBackground = true
    /// Host time at which the program was first seen stopped, while it is.
    var stoppedSince: Int64?
    /// Its sessions were suspended since it was stopped.
    var isSuspended = false
    /// It was told of in the log: its sound has not obeyed.
    var isDisobedient = false
    /// What it calls itself.
    var program = ""
    var isWelcome = false
    /// That is spoken with it.
    var version: UInt16 = 0

    /// What may still be done for it in this turn of the compositor's loop.
    var budget = TurnBudget()

    /// Host time until which the user's wish to play, told at the floating window, lets it be heard from the background.
    private var gestureUntil: Int64 = 0
    static let gesturePatience: Int64 = 5_000_000_000

    /// When the connection ends unless the program has said hello by then; host time.
    let helloDeadline = MonotonicTime.now + helloPatience
    private static let helloPatience: Int64 = 2_000_000_000

    init(id: UInt64, socket: MessageSocket, processID: Int32) {
        self.id = id
        self.socket = socket
        self.processID = processID
    }

    /// The user asked it to play.
    func noteGesture(now: Int64) { gestureUntil = now + Self.gesturePatience }

    /// Whether the user did just now; counts once.
    func takeGesture(now: Int64) -> Bool {
        defer { gestureUntil = 0 }
        return now < gestureUntil
    }

    /// - Throws: ``MalformedMessage`` when the program does not take what it is sent: it is cut off then.
    func send(_ message: ServerMessage) throws(MalformedMessage) {
        do {
            try socket.send(message.encoded)
        } catch { throw MalformedMessage("the program does not read: \(error.reason)") }
    }
}
