import CompositorProtocol
import Glibc
import Logging
import SystemCalls
import WireFormat

/// The compositor process: shows the Picture-in-Picture windows and arbitrates the audio sessions of all programs.
///
/// The main thread runs ``run()`` and never waits for a display, a sound server or a program. Threads of
/// ``WindowService`` draw the windows. The process links no demuxer and no decoder.
package final class CompositorServer {
    /// The options of the process.
    package struct Options: Sendable {
        /// Nanoseconds without a connected program after which the compositor exits; `nil` to run forever.
        package var idleTimeout: Int64? = 10_000_000_000
        /// The directories that contain the kernel's files about memory.
        package var memoryRoots = MemoryFiles.Roots()
        /// The source of low-memory reports that the service manager chose in the environment.
        var memoryWatch = MemoryWatch.Setting.current
        /// Creates the default options.
        package init() {}
    }

    /// The options with which the process was started.
    private let options: Options
    private let logger: Logger
    /// The event loop of the main thread, which polls all event sources.
    private let loop = EventLoop()
    /// The user's settings file.
    let settings: SettingsFile
    /// Pauses players that do not use SwiftPlay.
    let externalPlayers: ExternalPlayersBus
    /// The connected programs.
    let programs: ProgramConnections
    /// Accepts connections of new programs.
    private let listener: ProgramListener
    /// The Picture-in-Picture windows.
    let windows: WindowService
    /// The audio sessions.
    let audio: AudioService
    /// The system-wide conditions, such as phone calls.
    private let system: SystemService
    /// The roles of the programs.
    private let roles: RoleService
    /// Warns the programs when memory is short.
    private let memory: MemoryService
    /// Collects the programs' reports of their memory.
    private let memoryReports: MemoryReportService
    /// Keeps the pictures of programs that the overview shows.
    private let snapshots: SnapshotService
    /// Ends programs at the user's request.
    private let closing: ProgramClosingService
    /// Ends a program when memory stays short.
    private let terminationService: TerminationService
    /// Removes from memory the code that is used only while programs, windows and audio sessions start or end.
    private let codeTrimmer: CodeTrimmer
    /// The host time since which no program is connected; `nil` while a program is connected, or while a system
    /// condition such as a phone call keeps the compositor running.
    private var idleSince: Int64?

    /// Creates the services and listens for programs; returns `nil` if another compositor of this user already listens.
    ///
    /// Call this on the main thread before any other thread starts: it blocks the signals that end the process.
    ///
    /// - Parameters:
    ///   - options: The options of the process.
    ///   - logger: The destination of log messages.
    /// - Throws: `SystemCallError` if the socket, a lock or an event descriptor cannot be created.
    package init?(options: Options, logger: Logger) throws(SystemCallError) {
        (self.options, self.logger) = (options, logger)
        codeTrimmer = CodeTrimmer { logger.debug("cannot remove unused code from memory: \($0)") }
        let signals = try SignalSource([SIGTERM, SIGINT, SIGHUP])
        settings = SettingsFile(logger: logger)
        externalPlayers = ExternalPlayersBus(logger: logger)
        programs = ProgramConnections(loop: loop, logger: logger)
        guard let listener = try ProgramListener(programs: programs, logger: logger) else { return nil }
        self.listener = listener
        windows = try WindowService(loop: loop, logger: logger)
        audio = AudioService(programs: programs, settings: settings, externalPlayers: externalPlayers, logger: logger)
        roles = RoleService(programs: programs, audio: audio, windows: windows, logger: logger)
        memory = MemoryService(
            programs: programs, roots: options.memoryRoots, watch: options.memoryWatch, logger: logger)
        memoryReports = MemoryReportService(programs: programs, roles: roles, memory: memory)
        terminationService = TerminationService(
            programs: programs, roles: roles, audio: audio, settings: settings, logger: logger)
        snapshots = SnapshotService(
            path: try CompositorAddress.snapshotPath(), programs: programs, logger: logger)
        closing = ProgramClosingService(programs: programs, snapshots: snapshots, logger: logger)
        let routes = RouteService(audio: audio, logger: logger)
        let file = SystemStateFile(path: try CompositorAddress.statePath(), logger: logger)
        system = SystemService(
            file: file, programs: programs, audio: audio, windows: windows, routes: routes, roles: roles,
            reports: memoryReports, closing: closing)
        if !system.keepsCompositorRunning { idleSince = MonotonicTime.now }
        applySettings()
        connectServices(signals, routes, try OutputService(audio: audio))
    }

    /// Connects the services and adds them to the event loop, in the order in which the loop handles them.
    private func connectServices(_ signals: SignalSource, _ routes: RouteService, _ outputs: OutputService) {
        programs.onMessage = { [unowned self] (receivedMessage, program) throws(MalformedMessage) in
            try handle(receivedMessage, from: program)
        }
        programs.isReadingPaused = { [unowned self] in windows.isReadingPaused($0) }
        programs.onDisconnect = { [unowned self] in handleDisconnection(of: $0) }
        windows.readProgramMessages = { [unowned programs] in programs.read($0) }
        windows.onProgramEffect = { [unowned self] in perform($0) }
        windows.onArbiterChange = { [roles, codeTrimmer] in
            roles.setNeedsUpdate()
            codeTrimmer.setNeedsTrimming(now: MonotonicTime.now)
        }
        memory.onReading = { [terminationService] level, available, total, now in
            terminationService.update(level, available: available, total: total, now: now)
        }
        roles.onRoleChange = { [snapshots] in snapshots.handle($1, isFloating: $2, of: $0) }
        audio.onDecision.append { [roles] in roles.setNeedsUpdate() }
        signals.onSignal = { [unowned self] in exit(on: $0) }
        loop.add(signals, to: .system)
        loop.add(listener, to: .system)
        // While the settings file is not watched, it has no descriptor: poll the number -1, which polling ignores.
        loop.add(
            ClosureSource(entries: { [settings] in [Poll.Entry(settings.descriptor ?? -1)] }) {
                [unowned self] isReady, _ in
                if isReady { readSettings() }
            }, to: .system)
        loop.add(
            ClosureSource(
                entries: { [externalPlayers] in [Poll.Entry(externalPlayers.descriptor, externalPlayers.events)] },
                deadline: { [externalPlayers] in externalPlayers.deadline }
            ) { [externalPlayers] _, now in externalPlayers.process(now: now) }, to: .system)
        let lock = LockMonitor(logger: logger)
        system.isDesktopLocked = { lock.isLocked }
        loop.add(lock, to: .system)
        loop.add(routes, to: .system)
        loop.add(outputs, to: .system)
        loop.add(StoppedPrograms(audio: audio, programs: programs, logger: logger), to: .system)
        loop.add(windows, to: .system)
        loop.add(memory, to: .system)
        loop.add(closing, to: .system)
        loop.add(audio, to: .timers)
        loop.add(roles, to: .timers)
        loop.add(memoryReports, to: .timers)
        loop.add(snapshots, to: .timers)
        loop.add(system.watches, to: .timers)
        loop.add(codeTrimmer, to: .timers)
        loop.add(
            ClosureSource(deadline: { [unowned self] in idleExitTime }) { [unowned self] _, now in
                closeEndedConnectionsAndExitIfIdle(now: now)
            }, to: .timers)
    }

    /// Handles programs' messages until a termination signal arrives, or no program has been connected for the idle
    /// timeout.
    ///
    /// - Throws: `SystemCallError` if polling fails.
    package func run() throws(SystemCallError) {
        logger.info("listening", metadata: ["path": "\(listener.path)"])
        defer {
            listener.removeSocketFile()
            roles.restoreProcesses()
            snapshots.close()
            codeTrimmer.end()
        }
        try loop.run()
    }

    /// Handles a termination signal: lets paused external players resume, and ends the event loop.
    private func exit(on signal: Int32) {
        logger.info("exiting on signal \(signal)")
        externalPlayers.setSilence(.released(notify: true))
        loop.stop()
    }

    // MARK: Programs

    /// Decodes a program's message and passes it to its service.
    private func handle(_ receivedMessage: MessageSocket.ReceivedMessage, from program: ProgramRegistry.Program)
        throws(MalformedMessage)
    {
        let message: ClientMessage
        do throws(MalformedMessage) {
            message = try ClientMessage(decoding: receivedMessage.bytes)
        } catch {
            // Notify a newer program that its message had no effect.
            guard error.isUnknown, program.isNewer, let messageNumber = receivedMessage.bytes.first else { throw error }
            return programs.send(.unsupported(message: messageNumber, reason: error.detail), to: program.id)
        }
        guard receivedMessage.descriptors.count == message.descriptorCount else {
            throw MalformedMessage("a message has the wrong number of descriptors")
        }
        if case .hello(let newest, let oldest, let name) = message {
            return try welcome(program, name, newest, oldest)
        }
        guard program.version != nil else { throw MalformedMessage("a message before hello") }
        switch message {
        case .interfaces(let versions):
            programs.registry.update(program.id) { $0.interfaces = versions.common(with: .supported) }
            if versions.isNewer(than: .supported) { programs.registry.update(program.id) { $0.isNewer = true } }
        case .audio(let sessionNumber, let request):
            try audio.handle(request, of: sessionNumber, receivedMessage.descriptors, from: program)
            if case .open = request { codeTrimmer.setNeedsTrimming(now: MonotonicTime.now) }
        case .presence(let presence):
            if program.presence == nil { memory.handleNewProgram(program.id) }
            snapshots.addIfUnknown(program)
            roles.handle(presence, from: program)
        case .report(.memory(let report)): memoryReports.handle(report, from: program.id)
        case .report(.isRestartable(let isRestartable)):
            programs.registry.update(program.id) { $0.isRestartable = isRestartable }
        case .snapshot(let message): snapshots.handle(message, receivedMessage.descriptors, from: program)
        case .system(let request, let isPersistent): system.handle(request, isPersistent: isPersistent, from: program)
        default:
            programs.registry.addService(.pictureInPicture, of: program.id)
            try windows.handle(message, receivedMessage.descriptors, from: program)
        }
    }

    /// Answers `hello` with the negotiated protocol version, or refuses the program.
    private func welcome(
        _ program: ProgramRegistry.Program, _ name: String, _ newest: UInt16, _ oldest: UInt16
    ) throws(MalformedMessage) {
        logger.debug("a program connected", metadata: ["program": "\(name)", "pid": "\(program.processID)"])
        guard let version = ProtocolVersion.negotiate(newest: newest, oldest: oldest) else {
            let versions = "\(ProtocolVersion.oldest) to \(ProtocolVersion.newest)"
            programs.send(
                .refused(
                    reason:
                        "this compositor supports protocol versions \(versions), the program \(oldest) to \(newest)"
                ),
                to: program.id)
            throw MalformedMessage("no version of the protocol in common")
        }
        programs.recordHello(program.id, name: name, version: version, isNewer: newest > ProtocolVersion.newest)
        programs.send(.welcome(version: version), to: program.id)
        if version >= ProtocolVersion.interfaces { programs.send(.interfaces(.supported), to: program.id) }
        // Read the file again if it is not watched: its directory did not exist when it was last read.
        if settings.descriptor == nil { readSettings() }
        sendSettings(to: program.id)
        codeTrimmer.setNeedsTrimming(now: MonotonicTime.now)
    }

    /// Removes the windows, audio sessions and announcements of a disconnected program.
    private func handleDisconnection(of program: ProgramRegistry.Program) {
        if program.services.contains(.pictureInPicture) { windows.handleDisconnection(of: program.id) }
        if program.services.contains(.audio) { audio.handleDisconnection(of: program.id, now: MonotonicTime.now) }
        if program.services.contains(.systemConditions) { system.handleDisconnection(of: program.id) }
        memoryReports.handleDisconnection(of: program.id)
        terminationService.handleDisconnection(of: program.id)
        snapshots.handleDisconnection(of: program.id)
        roles.setNeedsUpdate()
    }

    /// Carries out an effect on a program that the window service requests, such as sending the program a message.
    private func perform(_ effect: WindowService.ProgramEffect) {
        switch effect {
        case .disconnect(let id, let error): programs.disconnect(id, reason: error.detail)
        case .send(.suspended(let session, let isSuspended), let id):
            guard programs.registry[id]?.supports(ProtocolVersion.audio) == true else { return }
            programs.send(.suspended(session: session, isSuspended), to: id)
        case .send(let message, let id): programs.send(message, to: id)
        case .action(let sessionKey, let action):
            guard programs.registry[sessionKey.client]?.supports(action.version) == true else { return }
            if action == .playPause {
                programs.registry.recordPlayButtonPress(sessionKey.client, now: MonotonicTime.now)
            }
            programs.send(.action(session: sessionKey.session, action), to: sessionKey.client)
        }
    }

    // MARK: Time

    /// Ends the sessions of disconnected programs, and exits if no program has been connected for the idle timeout.
    private func closeEndedConnectionsAndExitIfIdle(now: Int64) {
        programs.endDisconnectedPrograms()
        let isIdle = programs.registry.isEmpty && !system.keepsCompositorRunning
        idleSince = isIdle ? idleSince ?? now : nil
        guard let idleExitTime, now >= idleExitTime else { return }
        logger.info("exiting: no program is connected")
        loop.stop()
    }

    /// The host time at which the compositor exits because it is idle; `nil` while the compositor is in use or has no
    /// idle timeout.
    private var idleExitTime: Int64? {
        guard let idleStart = idleSince, let timeout = options.idleTimeout else { return nil }
        return idleStart + timeout
    }
}
