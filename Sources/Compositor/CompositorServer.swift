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
        /// Creates the default options.
        package init() {}
    }

    private let options: Options
    private let logger: Logger
    private let loop = EventLoop()
    private let settings: SettingsFile
    private let foreignPlayers: ForeignPlayersBus
    private let programs: ProgramConnections
    private let listener: ProgramListener
    private let windows: WindowService
    private let audio: AudioService
    private let system: SystemService
    /// The host time since which no program is connected; `nil` while a program is connected, or while a system
    /// condition such as a call keeps the compositor running.
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
        let signals = try SignalSource([SIGTERM, SIGINT, SIGHUP])
        settings = SettingsFile(logger: logger)
        foreignPlayers = ForeignPlayersBus(logger: logger)
        programs = ProgramConnections(loop: loop, logger: logger)
        guard let listener = try ProgramListener(programs: programs, logger: logger) else { return nil }
        self.listener = listener
        windows = try WindowService(loop: loop, logger: logger)
        audio = AudioService(programs: programs, settings: settings, foreignPlayers: foreignPlayers, logger: logger)
        let routes = RouteService(audio: audio, logger: logger)
        let file = SystemStateFile(path: try CompositorAddress.statePath(), logger: logger)
        system = SystemService(file: file, programs: programs, audio: audio, windows: windows, routes: routes)
        if !system.keepsRunning { idleSince = MonotonicTime.now }
        applySettings()
        connect(signals, routes, try OutputService(audio: audio))
    }

    /// Connects the services and adds them to the event loop, in the order in which the loop handles them.
    private func connect(_ signals: SignalSource, _ routes: RouteService, _ outputs: OutputService) {
        programs.onMessage = { [unowned self] (incoming, program) throws(MalformedMessage) in
            try handle(incoming, from: program)
        }
        programs.isHeld = { [unowned self] in windows.isHeld($0) }
        programs.onGone = { [unowned self] in clientGone($0) }
        windows.readProgram = { [unowned programs] in programs.read($0) }
        windows.onOutput = { [unowned self] in perform($0) }
        signals.onSignal = { [unowned self] in leave(on: $0) }
        loop.add(signals, to: .system)
        loop.add(listener, to: .system)
        // Polling ignores the descriptor -1.
        loop.add(
            ClosureSource(entries: { [settings] in [Poll.Entry(settings.descriptor ?? -1)] }) {
                [unowned self] isReady, _ in
                if isReady { readSettings() }
            }, to: .system)
        loop.add(
            ClosureSource(
                entries: { [foreignPlayers] in [Poll.Entry(foreignPlayers.descriptor, foreignPlayers.events)] },
                deadline: { [foreignPlayers] in foreignPlayers.deadline }
            ) { [foreignPlayers] _, now in foreignPlayers.process(now: now) }, to: .system)
        loop.add(routes, to: .system)
        loop.add(outputs, to: .system)
        loop.add(StoppedPrograms(audio: audio, programs: programs, logger: logger), to: .system)
        loop.add(windows, to: .system)
        loop.add(audio, to: .timers)
        loop.add(
            ClosureSource(deadline: { [unowned self] in leavesAt }) { [unowned self] _, now in endTurn(now: now) },
            to: .timers)
    }

    /// Serves programs until a signal arrives or the idle timeout passes.
    ///
    /// - Throws: `SystemCallError` if polling fails.
    package func run() throws(SystemCallError) {
        logger.info("listening", metadata: ["path": "\(listener.path)"])
        try loop.run()
    }

    private func leave(on signal: Int32) {
        logger.info("exiting on signal \(signal)")
        foreignPlayers.setSilence(.released(notify: true))
        loop.stop()
    }

    // MARK: programs

    private func handle(_ incoming: MessageSocket.Incoming, from program: ProgramRegistry.Program)
        throws(MalformedMessage)
    {
        let message: ClientMessage
        do throws(MalformedMessage) {
            message = try ClientMessage(decoding: incoming.bytes)
        } catch {
            // Notify a newer program that its message had no effect.
            guard error.isUnknown, program.isNewer, let number = incoming.bytes.first else { throw error }
            return programs.send(.unsupported(message: number, reason: error.what), to: program.id)
        }
        guard incoming.descriptors.count == message.descriptorCount else {
            throw MalformedMessage("a message has the wrong number of descriptors")
        }
        if case .hello(let current, let oldest, let name) = message {
            return try welcome(program, name, current, oldest)
        }
        guard program.version != nil else { throw MalformedMessage("a message before hello") }
        switch message {
        case .interfaces(let versions):
            if versions.exceeds(.own) { programs.registry.update(program.id) { $0.isNewer = true } }
        case .audio(let number, let request): try audio.handle(request, of: number, incoming.descriptors, from: program)
        case .system(let request, let isKept): system.handle(request, isKept: isKept, from: program)
        default:
            programs.registry.note(.picture, of: program.id)
            try windows.handle(message, incoming.descriptors, from: program)
        }
    }

    private func welcome(
        _ program: ProgramRegistry.Program, _ name: String, _ current: UInt16, _ oldest: UInt16
    ) throws(MalformedMessage) {
        logger.debug("a program connected", metadata: ["program": "\(name)", "pid": "\(program.processID)"])
        guard let version = ProtocolVersion.agree(current: current, oldest: oldest) else {
            let own = "\(ProtocolVersion.oldest) to \(ProtocolVersion.current)"
            programs.send(
                .refused(
                    reason: "this compositor supports protocol versions \(own), the program \(oldest) to \(current)"),
                to: program.id)
            throw MalformedMessage("no version of the protocol in common")
        }
        programs.welcome(program.id, name: name, version: version, isNewer: current > ProtocolVersion.current)
        programs.send(.welcome(version: version), to: program.id)
        if version >= ProtocolVersion.interfaces { programs.send(.interfaces(.own), to: program.id) }
        // The directory of the settings did not exist at the start, so that it is not watched.
        if settings.descriptor == nil { readSettings() }
        sendSettings(to: program.id)
    }

    private func clientGone(_ program: ProgramRegistry.Program) {
        if program.roles.contains(.picture) { windows.clientGone(program.id) }
        if program.roles.contains(.audio) { audio.clientGone(program.id, now: MonotonicTime.now) }
        if program.roles.contains(.control) { system.clientGone(program.id) }
    }

    private func perform(_ output: WindowService.Output) {
        switch output {
        case .cut(let id, let error): programs.cut(id, reason: error.what)
        case .send(.suspended(let session, let isSuspended), let id):
            guard programs.registry[id]?.understands(ProtocolVersion.audio) == true else { return }
            programs.send(.suspended(session: session, isSuspended), to: id)
        case .send(let message, let id): programs.send(message, to: id)
        case .action(let key, let action):
            guard programs.registry[key.client]?.understands(action.version) == true else { return }
            if action == .playPause { programs.registry.noteGesture(key.client, now: MonotonicTime.now) }
            programs.send(.action(session: key.session, action), to: key.client)
        }
    }

    // MARK: settings

    /// Reads the user's settings again and notifies the programs of changes.
    private func readSettings() {
        guard settings.refresh() else { return }
        applySettings()
        for program in programs.registry.all where program.version != nil {
            if program.roles.contains(.audio) { audio.applyBackgroundRight(of: program.id, now: MonotonicTime.now) }
            sendSettings(to: program.id)
        }
    }

    private func applySettings() {
        programs.registry.allowsBackgroundAudio = settings.settings.allowsBackgroundAudio
        windows.setLimit(settings.settings.windows)
        windows.isOnAllWorkspaces = settings.settings.isOnAllWorkspaces
        foreignPlayers.isEnabled = settings.settings.pausesOtherPlayers
    }

    private func sendSettings(to id: UInt64) {
        guard programs.registry[id]?.understands(ProtocolVersion.settings) == true else { return }
        programs.send(.settings(startsAutomatically: settings.settings.startsAutomatically), to: id)
    }

    // MARK: time

    private func endTurn(now: Int64) {
        programs.endCutConnections()
        let isIdle = programs.registry.isEmpty && !system.keepsRunning
        idleSince = isIdle ? idleSince ?? now : nil
        guard let leavesAt, now >= leavesAt else { return }
        logger.info("exiting: no program is connected")
        loop.stop()
    }

    /// The host time at which the compositor exits for idleness; `nil` while it is needed.
    private var leavesAt: Int64? {
        guard let since = idleSince, let timeout = options.idleTimeout else { return nil }
        return since + timeout
    }
}
