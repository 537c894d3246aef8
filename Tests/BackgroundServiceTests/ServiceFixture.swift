import BackgroundProtocol
import Glibc
import LedgerStore
import Logging
import SystemCalls
import TestSupport
import Testing

@testable import BackgroundService

/// An engine that records its commands, and whose messages the test sends.
final class FakeEngine: EngineControl {
    var onEvent: (EngineEvent) -> Void = { _ in }
    var onExit: () -> Void = {}
    var processID: Int32? { isRunning ? 1 : nil }
    var nextStart: Int64 = 0
    var fault: String?
    var isRunning = true
    var isListening = false
    /// The received commands.
    var commands: [EngineCommand] = []
    /// The part files of the received orders, and their files for error pages.
    var parts: [SharedDescriptor] = [], errorPages: [SharedDescriptor] = []

    func isReady(now: Int64) -> Bool { isRunning }

    func send(_ command: EngineCommand, descriptors: [Int32]) -> Bool {
        guard isRunning else { return false }
        commands.append(command)
        if let first = descriptors.first, let part = try? FileDescriptor(duplicating: first) {
            parts.append(SharedDescriptor(part))
        }
        if case .start(let order) = command, order.descriptors.contains(.errorPage),
            let page = try? FileDescriptor(duplicating: descriptors[1])
        {
            errorPages.append(SharedDescriptor(page))
        }
        return true
    }

    func setIsBusy(_ isBusy: Bool, now: Int64) {}

    /// The orders among the commands.
    var orders: [TransferOrder] {
        commands.compactMap { command in if case .start(let order) = command { order } else { nil } }
    }

    /// Appends bytes to the part file of the last order, or to its file for an error page, as the engine does.
    func write(_ text: String, toErrorPage isErrorPage: Bool = false) {
        guard let part = isErrorPage ? errorPages.last : parts.last else { return }
        var status = stat()
        fstat(part.raw, &status)
        let bytes = Array(text.utf8)
        _ = pwrite(part.raw, bytes, bytes.count, status.st_size)
    }
}

/// The services of one user with a fake engine and clocks that the test sets.
final class ServiceFixture {
    let scratch: TemporaryDirectory
    let engine = FakeEngine()
    private(set) var transfers: TransferService
    private(set) var sessions: SessionService
    private(set) var session: Session
    /// The boot time and the calendar time in nanoseconds.
    final class Time {
        var now: Int64 = 1_000_000_000_000, wall: Int64 = 5_000_000_000_000
        /// The time for which the machine was suspended, in nanoseconds, and the time zone in seconds.
        var suspended: Int64 = 0, utcOffset = 0
    }
    let time = Time()

    init(deliversEvents: Bool = false) throws {
        scratch = try TemporaryDirectory()
        (transfers, sessions) = try Self.services(scratch, engine, time)
        let client = try sessions.register(ProgramDescription(name: "test"), processID: getpid())
        var configuration = SessionConfiguration()
        configuration.deliversEvents = deliversEvents
        let row = try sessions.ledger.session("session", of: client.row.id, configuration: configuration.encoded)
        session = Session(row: row, configuration: configuration, client: client)
        sessions.sessions[row.id] = session
    }

    /// Replaces the services by new ones on the same record, as after a crash, or after a start of the machine if the
    /// name of its start is another one.
    func restart(boot: String = "boot") throws {
        engine.commands = []
        (transfers, sessions) = try Self.services(scratch, engine, time, boot: boot)
        session = try #require(sessions.sessions.values.first)
    }

    /// Changes the numbers of all devices in the record, as a start of the machine changes the numbers of the machine.
    func changeDevices() throws {
        let database = try Database(path: scratch.path + "/state/ledger.sqlite")
        for table in ["client", "task", "part", "package"] {
            try database.execute("UPDATE \(table) SET device = device + 1")
        }
    }

    /// Makes the record refuse to store part files, as on a full disk, or store them again.
    func setRefusesParts(_ refuses: Bool) throws {
        try Database(path: scratch.path + "/state/ledger.sqlite").execute(
            refuses
                ? "CREATE TRIGGER refusal BEFORE INSERT ON part BEGIN SELECT RAISE(ABORT, 'full'); END"
                : "DROP TRIGGER refusal")
    }

    /// Makes the record refuse to store states of transfers, as on a full disk, or store them again.
    func setRefusesStates(_ refuses: Bool) throws {
        try Database(path: scratch.path + "/state/ledger.sqlite").execute(
            refuses
                ? "CREATE TRIGGER refusal BEFORE UPDATE ON task BEGIN SELECT RAISE(ABORT, 'full'); END"
                : "DROP TRIGGER refusal")
    }

    /// Changes the stored directory of all transfers.
    func store(directory: String) throws {
        try Database(path: scratch.path + "/state/ledger.sqlite").execute("UPDATE task SET directory = '\(directory)'")
    }

    private static func services(
        _ scratch: TemporaryDirectory, _ engine: FakeEngine, _ time: Time, boot: String = "boot"
    ) throws -> (TransferService, SessionService) {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let ledger = try Ledger(directory: scratch.path + "/state")
        var clock = ServiceClock(boot: boot)
        clock.now = { time.now }
        clock.wall = { time.wall }
        clock.monotonic = { time.now - time.suspended }
        clock.utcOffset = { _ in time.utcOffset }
        let transfers = TransferService(ledger: ledger, clock: clock, engine: engine, logger: logger)
        return (
            transfers, try SessionService(ledger: ledger, clock: clock, transfers: transfers, logger: logger)
        )
    }

    /// A path that fails with an error that proves nothing about the file: it is too long.
    static let unusableDirectory = String(repeating: "/directory", count: 1000)

    /// Creates and starts a transfer to the scratch directory; the engine has its order then.
    func start(_ name: String = "film.mkv", _ change: (inout TaskRequest) -> Void = { _ in }) throws -> Transfer {
        let transfer = try create(name, isInBackground: false, change)
        transfers.handle(.resume, of: transfer)
        _ = transfers.schedule()
        return transfer
    }

    /// Creates a transfer to the scratch directory.
    func create(
        _ name: String = "film.mkv", isInBackground: Bool = false, _ change: (inout TaskRequest) -> Void = { _ in }
    ) throws -> Transfer {
        var request = TaskRequest(
            uuid: (0..<16).map { _ in .random(in: 0...255) },
            request: TransferRequest(address: "https://example.org/\(name)?token=1"))
        request.hasDirectory = true
        change(&request)
        return try transfers.create(
            request, in: session, directory: DirectoryDescriptor(opening: scratch.path),
            isInBackground: isInBackground)
    }

    /// Sends a response for the last order.
    func respond(
        _ use: EngineResponse.Use = .whole, total: Int64? = 4, tag: String? = "\"a\"", name: String? = nil,
        status: UInt16 = 200
    ) {
        var response = EngineResponse(status: status, use: use, address: "https://example.org/")
        (response.total, response.suggestedName, response.isResumable) = (total, name, true)
        response.validators.entityTag = tag
        engine.onEvent(.response(transfer: run, response))
    }

    /// The number of the last run.
    var run: UInt64 { engine.orders.last?.transfer ?? 0 }

    /// Receives the whole content of the last order.
    func finish(_ text: String = "film") {
        respond(total: Int64(text.utf8.count))
        engine.write(text)
        engine.onEvent(.finished(transfer: run, length: Int64(text.utf8.count), status: 200))
    }

    /// The names in the scratch directory, without the record.
    var files: [String] {
        let names = FilePath(scratch.path)?.entryNames(limit: 100) ?? []
        return names.map { String(decoding: $0, as: UTF8.self) }.filter { $0 != "state" }.sorted()
    }
}
