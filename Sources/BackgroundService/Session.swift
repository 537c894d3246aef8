import BackgroundProtocol
import LedgerStore
import TransferPolicy

/// A program that uses the service.
final class Client {
    /// The stored row.
    var row: ClientRow
    /// The rule that limits how often the program is started.
    var relaunch = RelaunchPolicy()
    /// The start of the program that has not connected yet.
    var start: Start?
    /// The times of the program's newest creations of transfers.
    var creations = CreationWindow()

    /// The time for which a process that was connected to an earlier run of the service may connect again, before the
    /// program is started.
    static let reconnectionTime = Duration.seconds(5)
    /// The boot time until which the service waits for a process that was connected to its predecessor, or started by
    /// it; nil if no such process runs.
    var reconnectionEnd: Duration?

    /// A start of the program.
    struct Start {
        /// The process.
        let process: ServiceProcess
        /// The boot time by which the program must connect, in nanoseconds; nil once it has connected.
        var deadline: Int64?
        /// Whether the program has acknowledged an event.
        var hasAcknowledged = false
    }

    /// Creates the program of a stored row.
    init(row: ClientRow) { self.row = row }
}

/// A session of a program.
final class Session {
    /// The stored row.
    let row: SessionRow
    /// The configuration of the session.
    var configuration: SessionConfiguration
    /// The program.
    let client: Client
    /// The connection of the program that receives the events; nil if none is attached.
    weak var connection: ClientConnection?
    /// The number of the last event that was sent to ``connection``.
    var sentSequence: Int64 = 0
    /// Whether ``ClientEvent/finishedEvents(session:)`` follows when all events were acknowledged.
    var owesFinishedEvents = false

    /// Creates the session of a stored row.
    init(row: SessionRow, configuration: SessionConfiguration, client: Client) {
        (self.row, self.configuration, self.client) = (row, configuration, client)
    }
}
