import BackgroundProtocol
import FetchPolicy
import LedgerStore
import Logging
import PushPolicy
import SystemCalls
import TransferPolicy

/// The fetches and notifications of all programs: stores what was learnt and received before it acts, wakes programs,
/// and limits the time of each wake.
///
/// Used by the service's thread.
final class WakeService {
    /// The deliveries of a notification after which it is dropped, because its program never acknowledges it.
    static let attemptLimit: Int64 = 5
    /// The most programs.
    static let programLimit = 500
    let ledger: Ledger
    let clock: ServiceClock
    let sessions: SessionService
    let starter: any ProgramStarting
    let logger: Logger
    /// The schedule of fetches.
    var scheduler = FetchScheduler(spread: .random(in: 0..<1))
    /// The programs by their keys.
    var programs: [Int64: WakeProgram] = [:]
    /// The running fetches and notifications.
    var wakes: [Wake] = []
    /// The programs that handle the events of sessions.
    let sessionWakes: SessionWakes
    /// The state beside ``scheduler``.
    var fetches = Fetches()
    /// The banners of notifications with an alert.
    let banners: any BannerShowing
    /// The clocks and conditions at the last call of ``schedule()``.
    var lastLook: Look

    /// The state of fetches beside the scheduler, which is a pure value.
    struct Fetches {
        /// The added number of tokens in messages: an answer to an earlier run of the service matches no fetch.
        let tokenBase = Int64.random(in: 0..<1 << 62)
        /// The boot time at which the scheduler must be called; nil for none.
        var timer: Duration?
        /// The commands that have requested a fetch which has not started yet, by the keys of their programs.
        var requests: [Int64: Request] = [:]
        /// The events that the scheduler has not handled yet, while it handles another one.
        fileprivate var pendingEvents: [FetchScheduler.Event]?

        /// A command that has requested a fetch.
        struct Request {
            weak var connection: ClientConnection?
            let number: UInt64
        }
    }

    /// Loads the programs and notifications.
    init(
        sessions: SessionService, starter: any ProgramStarting, banners: any BannerShowing
    ) throws(DatabaseError) {
        (self.sessions, self.starter, self.banners) = (sessions, starter, banners)
        (ledger, clock, logger) = (sessions.ledger, sessions.clock, sessions.logger)
        lastLook = Look(clock)
        sessionWakes = SessionWakes(sessions: sessions, starter: starter)
        starter.onExit = { [unowned self] in handleExit(of: $0) }
        starter.hasWakes = { [unowned self] client in wakes.contains { $0.program.client === client } }
        let encrypted = Set(try ledger.registrations().filter(\.isEncrypted).map(\.client))
        for row in try ledger.programs() {
            guard let client = try sessions.client(row.client) else { continue }
            let program = WakeProgram(client: client, row: row)
            program.acceptsOnlyEncryptedMessages = encrypted.contains(row.client)
            try load(program)
        }
        send(.timer)
    }

    /// Loads a program with its notifications.
    private func load(_ program: WakeProgram) throws(DatabaseError) {
        let (row, client) = (program.row, program.client)
        let now = clock.time, passed = Duration.nanoseconds(clock.passed(since: row.mark))
        program.notifications = try ledger.notifications().filter { $0.client == row.client }
        program.queue = PushQueue(
            stored: row.pushRecord, pending: program.notifications.filter { !$0.isDelivered }.compactMap(message),
            isForceQuit: client.relaunch.isForceQuit, passed: passed, now: now)
        programs[row.client] = program
        for notification in program.notifications { addBanner(of: notification, program) }
        if row.mark.boot == clock.boot, row.process > 0, let process = Int32(exactly: row.process),
            ProcessState.startTime(of: process) == row.processStart
        {
            client.reconnectionEnd = now + Client.reconnectionTime
        }
        // What was delivered and not acknowledged before the service has ended is delivered again, without a new wake.
        for notification in program.notifications.reversed() where notification.isDelivered {
            putBack(notification, program, wasStarted: false)
        }
        let record = FetchProgram.Record(stored: row.fetchRecord, passed: passed, now: now)
        scheduler.add(
            FetchProgram(
                settings: program.fetchSettings, record: record, isForceQuit: client.relaunch.isForceQuit, now: now),
            id: row.client)
    }

    /// Returns the message of a stored notification; nil if the payload is not valid any more.
    func message(_ row: NotificationRow) -> PushQueue.Message? {
        // The bytes of a message of a server need not be JSON.
        guard let payload = (try? PushPayload(json: row.payload)) ?? (try? PushPayload(opaque: row.payload)) else {
            return nil
        }
        let age = Duration.nanoseconds(max(0, clock.wall() - row.received))
        return PushQueue.Message(
            id: row.identifier, payload: payload, collapseKey: row.collapseKey, isUrgent: row.isUrgent,
            receivedTime: clock.time - age)
    }

    /// Passes an event to the scheduler, and carries out its actions.
    func send(_ event: FetchScheduler.Event) {
        // A start that fails at once sends its own event: the events are handled one after the other, so that the timer
        // of the last one is valid.
        guard fetches.pendingEvents == nil else {
            fetches.pendingEvents?.append(event)
            return
        }
        fetches.pendingEvents = [event]
        while let next = fetches.pendingEvents?.first {
            fetches.pendingEvents?.removeFirst()
            for action in scheduler.handle(next, at: clock.fetchTime) {
                switch action {
                case .setTimer(let time): fetches.timer = time
                case .start(let token, let id, _): startFetch(token: token, programs[id])
                }
            }
        }
        fetches.pendingEvents = nil
    }

    /// Stores what is known about a program.
    func save(_ program: WakeProgram) throws(DatabaseError) {
        let now = clock.time
        program.row.mark = clock.mark
        program.row.fetchRecord = scheduler.programs[program.id]?.record.stored(now: now) ?? []
        program.row.pushRecord = program.queue.stored(now: now)
        let process = program.connection?.processID ?? starter.process(of: program.client)?.processID ?? 0
        if program.row.process != Int64(process) {
            program.row.process = Int64(process)
            program.row.processStart = process > 0 ? ProcessState.startTime(of: process) : 0
        }
        try ledger.save(program.row)
    }

    /// Stores what is known about a program, and logs a failure: a later call stores the same.
    func saveIfPossible(_ program: WakeProgram) {
        removeEndedNotifications(of: program)
        do throws(DatabaseError) { try save(program) } catch {
            logger.error("cannot store the fetches of \(program.client.row.name): \(error)")
        }
    }

    /// Stores all programs. Call it before the service exits.
    func saveAll() { for program in programs.values { saveIfPossible(program) } }

    /// Whether a program handles a fetch or a notification now.
    var hasWork: Bool { !wakes.isEmpty }
}
