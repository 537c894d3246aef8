import BackgroundProtocol
import Glibc
import SystemCalls
import WireFormat

/// The events that the engine sends to the ledger.
final class EngineOutput {
    private let socket: MessageSocket
    /// Whether the ledger has closed the connection, or has not read its events for ``patience``.
    private(set) var isLost = false

    /// The time that an event waits for the ledger, in nanoseconds.
    private static let patience: Int64 = 10_000_000_000

    /// Creates the output to a connected ledger.
    init(_ socket: MessageSocket) { self.socket = socket }

    /// Checks an event that repeats what a server has sent. The ledger kills an engine that sends an invalid event,
    /// which interrupts all transfers.
    ///
    /// - Throws: ``EngineFailure`` if the event must not be sent; only its transfer ends then.
    static func check(_ event: EngineEvent) throws(EngineFailure) {
        guard let fault = event.fault else { return }
        throw EngineFailure(.badResponse, "the server sent a response that cannot be handled: \(fault)")
    }

    /// Sends an event. Waits for a ledger that has not read earlier events.
    func send(_ event: EngineEvent) {
        let bytes = event.encoded
        let deadline = MonotonicTime.now + Self.patience
        while !isLost {
            do throws(SystemCallError) {
                try socket.send(bytes)
                return
            } catch {
                var entries = [Poll.Entry(socket.raw, .writable)]
                let isWritable = error.number == EAGAIN && (try? Poll.wait(&entries, until: deadline)) == true
                isLost = !isWritable || entries[0].ready.contains(.hungUp)
            }
        }
    }

    /// Sends an event that a later one replaces. Drops the event if the ledger has not read earlier events.
    func sendIfPossible(_ event: EngineEvent) { try? socket.send(event.encoded) }
}
