import BackgroundProtocol
import FetchPolicy
import LedgerStore
import PushPolicy
import SystemCalls

/// A program that the service wakes for fetches and notifications.
final class WakeProgram {
    /// The program as all services know it.
    let client: Client
    /// The stored row. Its records are older than ``queue`` and the scheduler between two calls of the store.
    var row: ProgramRow
    /// The rate of notifications, and those that wait.
    var queue: PushQueue
    /// All notifications that the program has not acknowledged, waiting or delivered, oldest first.
    var notifications: [NotificationRow] = []
    /// The keys of notifications that have ended and are not removed from the ledger yet.
    var endedNotifications: Set<Int64> = []
    /// The open connections of the program that receive fetches and notifications, oldest first.
    var connections: [ClientConnection] = []

    /// Whether the program accepts only encrypted messages of its server.
    var acceptsOnlyEncryptedMessages = false

    /// Creates a program without notifications.
    init(client: Client, row: ProgramRow, queue: PushQueue = PushQueue()) {
        (self.client, self.row, self.queue) = (client, row, queue)
    }

    /// The key of the program.
    var id: Int64 { row.client }
    var modes: BackgroundModes { BackgroundModes(rawValue: UInt8(clamping: row.modes)) }
    /// The connection that receives fetches and notifications; nil if the program does not run.
    var connection: ClientConnection? { connections.last { !$0.isClosed } }
    /// Whether a person uses one of the processes of the program.
    var isInForeground: Bool { connections.contains { !$0.isClosed && $0.presence.isInForeground } }

    /// The declarations that matter to fetches. A program that neither runs nor can be started is not fetched.
    var fetchSettings: FetchSettings {
        let canRun = connection != nil || !client.row.executable.isEmpty
        let interval: FetchSettings.Interval =
            switch row.fetchInterval {
            case nil: .never
            case .some(..<1): .minimum
            case .some(let seconds): .atLeast(.seconds(seconds))
            }
        return FetchSettings(declaresMode: modes.contains(.fetch) && canRun, interval: interval)
    }

    /// Replaces the stored row of a notification.
    func update(_ notification: NotificationRow) {
        if let index = notifications.firstIndex(where: { $0.id == notification.id }) {
            notifications[index] = notification
        }
    }
}

/// A fetch or a notification that a program handles now.
final class Wake {
    /// What the program does.
    enum Kind: Equatable {
        /// A fetch, with the scheduler's token.
        case fetch(token: Int)
        /// A notification, with the key of its row.
        case notification(id: Int64)
    }

    let kind: Kind
    let program: WakeProgram
    /// The time limits.
    var machine: WakeMachine
    /// The process that the service has started for the program; nil if the user has started it.
    var process: (any WakeProcess)?
    /// The connection to which the wake was sent; nil before the program has connected.
    weak var connection: ClientConnection?
    var isSent = false
    /// The time of the processor, in nanoseconds, and the transferred bytes of the program at the start.
    var initialUsage: (cpuTime: Int64, bytes: Int64) = (0, 0)
    /// The connection and the number of the command that has requested the fetch.
    weak var requester: ClientConnection?
    var requestNumber: UInt64 = 0

    /// Creates a wake that starts now.
    init(_ kind: Kind, of program: WakeProgram, startTime: Duration, isUserRunning: Bool) {
        (self.kind, self.program) = (kind, program)
        machine = WakeMachine(startTime: startTime, isUserRunning: isUserRunning)
    }

    /// Whether a notification is handled.
    var isNotification: Bool { if case .notification = kind { true } else { false } }
}
