import BackgroundProtocol
import FetchPolicy
import Glibc
import LedgerStore
import PushPolicy
import SystemCalls
import TestSupport
import Testing
import WireFormat

@testable import BackgroundService

/// A process that records its signals.
final class FakeProcess: WakeProcess {
    var processID: Int32 = 0
    var cpuTime: Int64 = 0
    var signals: [Int32] = []
    var killsGroupAtExit = false
    var hasCompletedWake = false
    let reportsExit = true
    func sendToGroup(signal: Int32) { signals.append(signal) }
}

/// A launcher that records its starts.
final class FakeStarter: ProgramStarting {
    var onExit: (any WakeProcess) -> Void = { _ in }
    var hasWakes: (Client) -> Bool = { _ in false }
    var processes: [FakeProcess] = []
    /// The process that runs.
    var running: FakeProcess?
    var refusesStarts = false
    /// The process ID of started processes.
    var processID: Int32 = 0

    func start(_ client: Client) -> ProgramStart {
        if refusesStarts { return .refused }
        if let running { return .started(running) }
        let process = FakeProcess()
        process.processID = processID
        running = process
        processes.append(process)
        return .started(process)
    }

    func process(of client: Client) -> (any WakeProcess)? { running }

    /// Lets the running process exit.
    func exit() {
        guard let process = running else { return }
        running = nil
        onExit(process)
    }
}

/// The services of one user with a program that fetches and receives notifications, and clocks that the test sets.
final class WakeFixture {
    static let name = "player"
    static let day: Int64 = 86_400
    /// The calendar time at the boot time 0: Monday, 1 January 2024, 0:00.
    static let firstDay: Int64 = 19_723
    let services: ServiceFixture
    private(set) var starter = FakeStarter()
    private(set) var wakes: WakeService
    private(set) var pushes: PushService
    private(set) var connector = FakeConnector()
    private(set) var banners = FakeBanners()
    private(set) var commands: CommandService
    /// The sockets of the connected programs, which the program reads.
    private var sockets: [(socket: MessageSocket, connection: ClientConnection)] = []
    /// The messages that have followed the last `hello`.
    private(set) var helloEvents: [ClientEvent] = []
    private var lastNumber: UInt64 = 0
    /// The result that ``run(until:)`` reports for each fetch; nil for none.
    var fetchResult: WakeResult? = .newData
    /// The local seconds at which fetches were started by ``run(until:)``.
    private(set) var fetchTimes: [Int64] = []

    init() throws {
        services = try ServiceFixture()
        wakes = try WakeService(sessions: services.sessions, starter: starter, banners: banners)
        pushes = try PushService(wakes: wakes, connector: connector)
        let ntfy = try Self.ntfy(services)
        commands = CommandService(sessions: services.sessions, wakes: wakes, pushes: pushes, ntfy: ntfy)
        setTime(0)
    }

    /// The time in seconds since the boot.
    var seconds: Int64 { services.time.now / MonotonicTime.nanosecondsPerSecond }
    var program: WakeProgram? { wakes.programs.values.first }
    /// The stored notifications.
    var stored: [NotificationRow] { get throws { try services.sessions.ledger.notifications() } }

    /// Sets the time in seconds since the boot.
    func setTime(_ seconds: Int64) {
        services.time.now = seconds * MonotonicTime.nanosecondsPerSecond
        services.time.wall = (Self.firstDay * Self.day + seconds) * MonotonicTime.nanosecondsPerSecond
    }

    /// Lets time pass, and calls the service.
    func advance(by seconds: Int64) {
        setTime(self.seconds + seconds)
        _ = wakes.schedule()
    }

    /// Ends the service as a crash does, and starts another one on the same record.
    func restart() throws {
        sockets = []
        try services.restart()
        (starter, banners) = (FakeStarter(), FakeBanners())
        wakes = try WakeService(sessions: services.sessions, starter: starter, banners: banners)
        connector = FakeConnector()
        pushes = try PushService(wakes: wakes, connector: connector)
        let ntfy = try Self.ntfy(services)
        commands = CommandService(sessions: services.sessions, wakes: wakes, pushes: pushes, ntfy: ntfy)
    }

    private static func ntfy(_ services: ServiceFixture) throws -> NtfyConnector {
        try NtfyConnector(
            engine: services.engine, ledger: services.sessions.ledger, logger: services.sessions.logger)
    }

    /// Connects the program.
    @discardableResult
    func connect(
        _ name: String = WakeFixture.name, isBackgroundStart: Bool = false, presence: ProgramPresence? = .opened,
        modes: BackgroundModes = .known, interval: Int64? = 0, version: UInt16 = ClientLimits.version
    ) throws -> MessageSocket {
        let (socket, other) = try MessageSocket.pair(messageLimit: ClientLimits.messageBytes)
        let connection = ClientConnection(socket: other, processID: getpid())
        sockets.append((socket, connection))
        var description = ProgramDescription(
            name: name, launchArguments: ["--background"], isBackgroundStart: isBackgroundStart)
        description.modes = modes
        helloEvents = try send(.hello(newest: version, oldest: 1, description), from: socket)
        if let presence { try send(.setPresence(presence), from: socket) }
        if modes.contains(.fetch), !isBackgroundStart { try send(.setFetchInterval(interval), from: socket) }
        return socket
    }

    /// Lets the program connect and exit before the service has read its `hello`.
    func connectAndExit() throws {
        let (socket, other) = try MessageSocket.pair(messageLimit: ClientLimits.messageBytes)
        let connection = ClientConnection(socket: other, processID: getpid())
        connection.onClose = { [unowned self] in wakes.handleClose(of: $0) }
        connection.onMessage = { [unowned self] (message, connection) throws(MalformedMessage) in
            try commands.handle(message, from: connection)
        }
        var description = ProgramDescription(name: Self.name, launchArguments: ["--background"])
        description.modes = .known
        let hello = ClientCommand.hello(newest: ClientLimits.version, oldest: 1, description)
        try socket.send(ClientRequest(1, hello).encoded())
        socket.shutdown()
        var entry = Poll.Entry(connection.raw)
        entry.ready = [.readable, .hungUp]
        connection.process([entry], now: MonotonicTime.now)
    }

    /// Ends a connection of the program.
    func disconnect(_ socket: MessageSocket) {
        for entry in sockets where entry.socket === socket {
            entry.connection.close()
            wakes.handleClose(of: entry.connection)
        }
        sockets.removeAll { $0.socket === socket }
    }

    /// Opens and closes the program.
    func open(interval: Int64? = 0) throws { disconnect(try connect(interval: interval)) }

    /// Closes the program, which does not run, for good.
    func quit() throws {
        let socket = try connect(isBackgroundStart: true, presence: nil)
        // The connected process is the test.
        try #require(program).connections = []
        try send(.control(program: Self.name, .quit), from: socket)
        disconnect(socket)
    }

    /// Carries out a command of the program or of a user, and returns the messages that have arrived.
    @discardableResult
    func send(
        _ command: ClientCommand, from socket: MessageSocket, descriptors: [Int32] = []
    ) throws -> [ClientEvent] {
        guard let connection = sockets.first(where: { $0.socket === socket })?.connection else { return [] }
        lastNumber += 1
        try socket.send(ClientRequest(lastNumber, command).encoded(), descriptors: descriptors)
        connection.onMessage = { [unowned self] (message, connection) throws(MalformedMessage) in
            try commands.handle(message, from: connection)
        }
        var entry = Poll.Entry(connection.raw)
        entry.ready = .readable
        connection.process([entry], now: MonotonicTime.now)
        return received(socket)
    }

    /// The messages that have arrived at the program.
    func received(_ socket: MessageSocket) -> [ClientEvent] {
        var events: [ClientEvent] = []
        while case .message(let message) = socket.receive() {
            if let event = try? ClientEvent(decoding: message.bytes) { events.append(event) }
        }
        return events
    }

    /// Sends a notification to the program, and returns its receipt.
    @discardableResult
    func push(
        _ identifier: String, key: String = "", isUrgent: Bool = true, _ payload: String? = nil
    ) throws -> PushMessage.Receipt {
        let text = payload ?? "{\"aps\":{\"content-available\":1},\"id\":\"\(identifier)\"}"
        var message = PushMessage(program: Self.name, identifier: identifier, payload: Array(text.utf8))
        (message.collapseKey, message.isUrgent) = (key, isUrgent)
        return try wakes.receive(message)
    }

    /// Plays the service until a time. The started program connects at once, answers each fetch, and exits.
    func run(until end: Int64) throws {
        while true {
            let next = wakes.schedule().map { $0 / MonotonicTime.nanosecondsPerSecond + 1 } ?? .max
            try answerStart()
            guard next <= end else { break }
            setTime(max(seconds, next))
        }
        setTime(end)
    }

    /// Lets a started program answer its fetches and exit.
    private func answerStart() throws {
        guard starter.running != nil else { return }
        let socket = try connect(isBackgroundStart: true, presence: .background)
        for wake in wakes.wakes {
            if case .fetch(let token) = wake.kind, let fetchResult {
                fetchTimes.append(seconds)
                try send(.completeFetch(token: wakes.fetches.tokenBase + Int64(token), fetchResult), from: socket)
            }
        }
        disconnect(socket)
        starter.exit()
    }
}

extension Array where Element == ClientEvent {
    /// The texts of the received notifications.
    var notifications: [String] {
        compactMap { event in
            if case .notification(_, let payload, _) = event { String(decoding: payload, as: UTF8.self) } else { nil }
        }
    }
    /// The keys of the received notifications.
    var notificationIDs: [Int64] {
        compactMap { event in if case .notification(let id, _, _) = event { id } else { nil } }
    }
    /// The tokens of the received fetches.
    var fetches: [Int64] { compactMap { event in if case .fetch(let token) = event { token } else { nil } } }
}
