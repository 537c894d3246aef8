import BackgroundProtocol
import Glibc
import LedgerStore
import Logging
import SystemCalls
import TransferPolicy
import WireFormat

/// The process that keeps the record of all background transfers of a user, and drives the engine that moves the bytes.
///
/// The main thread runs ``run()`` and never waits for a program, a server or the engine. It waits for the disk, because
/// every change is stored before it is acted upon.
package final class BackgroundServer {
    /// The options of the process.
    package struct Options: Sendable {
        /// Nanoseconds without work and without a connected program after which the service exits; `nil` to run
        /// forever.
        package var idleTimeout: Int64? = 60 * MonotonicTime.nanosecondsPerSecond
        /// The directory of the durable record.
        package var stateDirectory = BackgroundAddress.stateDirectory
        /// Creates the default options.
        package init() {}
    }

    /// The reason why the service cannot start.
    package enum Failure: Error, CustomStringConvertible {
        case system(SystemCallError)
        case ledger(LedgerError)
        /// The exit status of the process.
        package var exitStatus: Int32 {
            if case .ledger(let error) = self, error.isDiskFull { RestartPolicy.diskFullStatus } else { 1 }
        }
        package var description: String {
            switch self {
            case .system(let error): "\(error)"
            case .ledger(let error): "\(error)"
            }
        }
    }

    private let options: Options
    private let logger: Logger
    /// The event loop of the main thread.
    private let loop = EventLoop()
    private let ledger: Ledger
    private let clock: ServiceClock
    private let listener: ClientListener
    private let engine: EngineLink
    private let services: Services
    /// The start of the service after the next login.
    private let autostart: AutostartEntry
    /// The timer of transfers and of starts of programs.
    private let timer: BootTimer
    /// The host time at which ``autostart`` changes.
    private var autostartTime: Int64?
    /// The host time since which the service has neither work nor a connected program; `nil` while it has either.
    private var idleSince: Int64?

    /// What the service does for programs.
    private struct Services {
        let sessions: SessionService
        let launcher: ProgramLauncher
        let wakes: WakeService
        let pushes: PushService
        let ntfy: NtfyConnector
        let commands: CommandService
    }

    /// Opens the record and listens for programs; returns `nil` if another service of this user already listens.
    ///
    /// Call this on the main thread before any other thread starts: it blocks the signals that end the process.
    ///
    /// - Throws: ``Failure`` if the socket or the record cannot be opened.
    package init?(options: Options, logger: Logger) throws(Failure) {
        (self.options, self.logger) = (options, logger)
        let signals: SignalSource, clockWatch: ClockWatch
        do throws(SystemCallError) {
            signals = try SignalSource([SIGTERM, SIGINT, SIGHUP])
            guard let listener = try ClientListener(logger: logger) else { return nil }
            self.listener = listener
            (timer, clockWatch) = (try BootTimer(), try ClockWatch())
        } catch { throw .system(error) }
        clock = ServiceClock()
        engine = EngineLink(loop: loop, logger: logger)
        let distributor = UnifiedPushConnector(
            preferred: ServiceEnvironment.value("SWIFTPLAY_PUSH_DISTRIBUTOR"),
            activation: ActivationFile(
                directory: BackgroundAddress.busServiceDirectory, program: Self.program, logger: logger), logger: logger
        )
        let banners = BannerService(logger: logger)
        do throws(LedgerError) { ledger = try Ledger(directory: options.stateDirectory) } catch { throw .ledger(error) }
        let transfers = TransferService(ledger: ledger, clock: clock, engine: engine, logger: logger)
        do throws(DatabaseError) {
            let sessions = try SessionService(ledger: ledger, clock: clock, transfers: transfers, logger: logger)
            let launcher = ProgramLauncher(sessions: sessions, loop: loop)
            let wakes = try WakeService(sessions: sessions, starter: launcher, banners: banners)
            let ntfy = try NtfyConnector(engine: engine, ledger: ledger, logger: logger)
            let pushes = try PushService(
                wakes: wakes, connector: PushRouter(distributor: distributor, server: ntfy))
            services = Services(
                sessions: sessions, launcher: launcher, wakes: wakes, pushes: pushes, ntfy: ntfy,
                commands: CommandService(sessions: sessions, wakes: wakes, pushes: pushes, ntfy: ntfy))
        } catch { throw .ledger(.database(directory: options.stateDirectory, error)) }
        autostart = AutostartEntry(
            directory: BackgroundAddress.autostartDirectory, program: Self.program, logger: logger)
        signals.onSignal = { [unowned self] signal in
            logger.info("exiting on signal \(signal)")
            loop.stop()
        }
        loop.add(signals, to: .system)
        for source in [distributor, banners] as [any EventSource] { loop.add(source, to: .programs) }
        connectServices(clockWatch)
    }

    /// The path of this program.
    private static var program: String { ServicePrograms.own ?? "swiftplay-backgroundd" }

    /// Connects the services and adds them to the event loop.
    ///
    /// - Parameter clockWatch: Notices a change of the calendar, which moves the times of transfers and fetches.
    private func connectServices(_ clockWatch: ClockWatch) {
        let trimmer = CodeTrimmer { [logger] in logger.debug("cannot remove unused code from memory: \($0)") }
        trimmer.setNeedsTrimming(now: MonotonicTime.now)
        loop.add(trimmer, to: .timers)
        listener.onConnection = { [unowned self] connection in
            trimmer.setNeedsTrimming(now: MonotonicTime.now)
            connection.onMessage = { [unowned self] (message, connection) throws(MalformedMessage) in
                try services.commands.handle(message, from: connection)
            }
            connection.onClose = { [unowned self] connection in
                listener.remove(connection)
                loop.remove(connection)
                services.wakes.handleClose(of: connection)
                trimmer.setNeedsTrimming(now: MonotonicTime.now)
            }
            loop.add(connection, to: .programs)
        }
        services.sessions.connections = { [unowned self] in listener.connections }
        loop.add(listener, to: .system)
        let monitor = MachineMonitor(logger: logger) { [services] conditions in
            let transfers = services.sessions.transfers, wasOnline = transfers.conditions.connectivity == .full
            transfers.handle(conditions)
            guard conditions.connectivity == .full, !wasOnline else { return }
            services.pushes.handleNetworkReturn()
            services.ntfy.handleNetworkChange()
        }
        monitor.onWake = { [services] in services.ntfy.handleNetworkChange() }
        loop.add(monitor, to: .system)
        loop.add(engine, to: .frames)
        loop.add(services.ntfy, to: .timers)
        loop.add(
            ClosureSource(
                entries: { [timer] in [Poll.Entry(timer.raw), Poll.Entry(clockWatch.raw)] },
                deadline: { [unowned self] in [idleExitTime, autostartTime].compactMap { $0 }.min() }
            ) { [unowned self] isReady, now in
                if isReady {
                    timer.drain()
                    clockWatch.drain()
                }
                update(now: now)
            }, to: .timers)
    }

    /// Serves programs until a termination signal arrives or the service is idle.
    ///
    /// - Throws: `SystemCallError` if polling fails.
    package func run() throws(SystemCallError) {
        logger.info("listening", metadata: ["path": "\(listener.path)"])
        defer {
            listener.removeSocketFile()
            services.wakes.saveAll()
            services.ntfy.save()
            engine.shutDown(until: MonotonicTime.now + 5 * MonotonicTime.nanosecondsPerSecond)
            ledger.compact()
        }
        update(now: MonotonicTime.now)
        try loop.run()
    }

    /// Starts what can start now, and plans the next wake-up.
    private func update(now: Int64) {
        let transfers = services.sessions.transfers
        let times = [
            transfers.schedule(), services.sessions.schedule(), services.launcher.startPrograms(),
            services.wakes.schedule(),
        ].compactMap { $0 }
        timer.set(times.min())
        let hasWork = !times.isEmpty || transfers.hasWork || services.wakes.hasWork || services.pushes.hasWork
        autostartTime = autostart.update(isNeeded: hasWork, now: now)
        let isIdle = listener.connections.isEmpty && !hasWork
        idleSince = isIdle ? idleSince ?? now : nil
        guard let idleExitTime, now >= idleExitTime else { return }
        logger.info("exiting: there is no work")
        loop.stop()
    }

    /// The host time at which the service exits because it is idle; `nil` while it has work.
    private var idleExitTime: Int64? {
        guard let idleSince, let timeout = options.idleTimeout else { return nil }
        return idleSince + timeout
    }
}
