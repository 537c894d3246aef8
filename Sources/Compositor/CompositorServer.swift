import AudioOutput
import AudioPolicy
import CompositorProtocol
import Glibc
import Logging
import SystemCalls
import WireFormat

/// The compositor: serves any number of programs. The main thread waits for no display, sound server or program; windows are drawn by
/// threads of ``WindowService``. Links no demuxer and no decoder.
///
/// A program that breaks the protocol, or does not read, is cut off; the others are served on.
package final class CompositorServer {
    package struct Options: Sendable {
        /// Nanoseconds without any program after which it leaves; nil: never.
        package var idleTimeout: Int64? = 10_000_000_000
        package init() {}
    }

    private let options: Options
    let logger: Logger
    private let signals: SignalDescriptor
    private let listener: FileDescriptor
    private let lock: FileDescriptor
    private let path: String
    var clients: [UInt64: ClientConnection] = [:]
    let windows: WindowService
    /// What ``windows`` has done and is to be carried out.
    let windowOutputs: OutputQueue
    var audio = AudioArbiter()
    /// Orders that are not known to be obeyed yet, oldest first.
    var audioOrders: [AudioOrder] = []
    /// Whether who gave its claim back last wanted others to go on; the dead do.
    var isReleaseNotified = true
    /// Until when the sound of programs that just stopped is heard still.
    var tails: [UInt64: Int64] = [:]
    /// Calls, the silent switch and the lock; kept in ``stateFile``.
    var system: SystemState
    private let stateFile: SystemStateFile
    /// A video call has the place of floating windows.
    var isVideoCalled: Bool { system.isVideoCalled }
    /// While some program has an audio session.
    var routes: RouteWatch?
    /// Sees the machine wake up, for the same time.
    var sleep: SleepWatch?
    /// The number of the last audio report to any program.
    var sequence: UInt64 = 0
    /// Host time at which stopped programs are looked for; nil: no program has an active session.
    var stoppedCheckAt: Int64?
    let settings: SettingsFile
    let foreignPlayers: ForeignPlayersBus
    /// Whose sound goes on against the rules loses it.
    let streams: StreamCutOff
    /// Whether programs whose gates are closed are silent.
    let silence: SilenceCheck
    /// The sound server's speaker, for the sessions that ask for it.
    let outputPorts: OutputOverride
    /// The sessions that have asked for the speaker, and may have it.
    var overriding: Set<AudioArbiter.ID> = []
    private var nextClient: UInt64 = 1
    private var idleSince: Int64?
    private var acceptsFrom: Int64 = 0

    /// Listens. nil when another compositor of this user does already.
    ///
    /// Call it on the main thread before any other starts: it blocks the signals that end it.
    package init?(options: Options, logger: Logger) throws(SystemCallError) {
        self.options = options
        self.logger = logger
        settings = SettingsFile(logger: logger)
        foreignPlayers = ForeignPlayersBus(logger: logger)
        streams = StreamCutOff { processes in
            for process in processes { logger.notice("took its sound from a program that did not obey", metadata: ["pid": "\(process)"]) }
        }
        silence = SilenceCheck { [streams] in StreamCutOff.endAudible($0, with: streams, logger) }
        foreignPlayers.isEnabled = settings.settings.pausesOtherPlayers
        outputPorts = try OutputOverride()
        signals = try SignalDescriptor([SIGTERM, SIGINT, SIGHUP])
        let outputs = OutputQueue()
        windowOutputs = outputs
        windows = try WindowService(logger: logger) { outputs.waiting.append($0) }
        lock = try FileDescriptor(opening: CompositorAddress.lockPath(), flags: O_RDWR | O_CREAT, mode: 0o600)
        guard flock(lock.raw, LOCK_EX | LOCK_NB) == 0 else { return nil }
        path = try CompositorAddress.socketPath()
        // Whoever holds the lock is the only one who may: a socket that is there is left from one that died.
        unlink(path)
        listener = try LocalSocket.listen(path: path)
        stateFile = SystemStateFile(path: try CompositorAddress.statePath(), logger: logger)
        system = stateFile.load()
        idleSince = MonotonicTime.now
        applyWindowSettings()
        applySystemState(now: MonotonicTime.now)
        windows.setSuspended(isVideoCalled)
    }

    deinit { unlink(path) }

    /// Serves until a signal comes or nobody has needed it for a while.
    package func run() throws(SystemCallError) {
        logger.info("listening", metadata: ["path": "\(path)"])
        while true {
            // Out of descriptors: whoever knocks waits a second.
            let listens = MonotonicTime.now >= acceptsFrom
            var entries = [
                Poll.Entry(signals.descriptor.raw), Poll.Entry(listener.raw, listens ? .readable : []),
                // -1 is passed over.
                Poll.Entry(settings.descriptor ?? -1), Poll.Entry(foreignPlayers.descriptor, foreignPlayers.events),
                Poll.Entry(windows.wake.raw), Poll.Entry(outputPorts.answered.raw),
            ]
            let fixed = entries.count
            let connected = clients.values.sorted { $0.id < $1.id }
            // A program with too much undone work is not read, and its hang-up is seen later.
            for client in connected { entries.append(Poll.Entry(windows.isHeld(client.id) ? -1 : client.socket.raw)) }
            let now = MonotonicTime.now
            let sessions = Array(windows.sessions.values)
            for session in sessions { entries.append(Poll.Entry(session.feed.descriptor(now: now))) }
            attendRoutes()
            scheduleStoppedCheck()
            entries.append(Poll.Entry(sleep?.descriptor ?? -1, sleep?.events ?? []))
            let watched = entries.count
            entries += routes?.entries ?? []
            for client in connected { client.budget = TurnBudget() }
            try Poll.wait(&entries, until: deadline)
            if entries[0].ready != [], let signal = signals.next() {
                logger.info("leaving on signal \(signal)")
                foreignPlayers.setSilence(.released(notify: true))
                return
            }
            if entries[1].ready.contains(.readable) { acceptClients() }
            if entries[2].ready.contains(.readable) { readSettings() }
            if entries[5].ready.contains(.readable) { reportOutputs() }
            foreignPlayers.process(now: MonotonicTime.now)
            handleRoutes(entries[watched...])
            sleep?.process()
            if sleep?.takeWake() == true { handleRoutes(.wokeUp) }
            checkStoppedPrograms(now: MonotonicTime.now)
            windows.advance(now: MonotonicTime.now)
            // What a program announced comes before the frames that name it.
            for (client, entry) in zip(connected, entries[fixed...]) where entry.ready != [] { read(client) }
            let rings = entries.dropFirst(fixed + connected.count)
            for (session, entry) in zip(sessions, rings) where entry.ready != [] { session.feed.isUnread = true }
            for session in windows.sessions.values where session.feed.isUnread { takeFrames(session) }
            if let due = audio.deadline, MonotonicTime.now >= due { perform(audio.tick(now: MonotonicTime.now), now: MonotonicTime.now) }
            lookForTheDisobedient(now: MonotonicTime.now)
            removeSilentClients(now: MonotonicTime.now)
            performWindowOutputs()
            if let leavesAt, MonotonicTime.now >= leavesAt {
                logger.info("leaving: nobody is connected")
                return
            }
        }
    }

    /// When it exits if no program connects. A call, the silent switch or the lock keeps it running.
    private var leavesAt: Int64? {
        guard let since = idleSince, let timeout = options.idleTimeout, !system.isUnderRule else { return nil }
        return since + timeout
    }

    private var deadline: Int64? {
        let again: Int64? = acceptsFrom > MonotonicTime.now ? acceptsFrom : nil
        let due = [
            leavesAt, again, windows.deadline, audio.deadline, audioOrders.first?.due, foreignPlayers.deadline, helloDeadline, sleep?.deadline,
            stoppedCheckAt,
        ]
        return due.compactMap { $0 }.min()
    }

    private func acceptClients() {
        while true {
            let accepted: MessageSocket?
            do throws(SystemCallError) {
                accepted = try LocalSocket.accept(listener)
            } catch {
                logger.error("cannot serve another program: \(error)")
                acceptsFrom = MonotonicTime.now + 1_000_000_000
                return
            }
            guard let socket = accepted else { return }
            guard let peer = socket.peer, peer.userID == getuid() else {
                logger.warning("refused a program of another user")
                continue
            }
            if let reason = reasonToRefuse(peer.processID) {
                refuse(socket, reason)
                continue
            }
            clients[nextClient] = ClientConnection(id: nextClient, socket: socket, processID: peer.processID)
            nextClient += 1
            idleSince = nil
        }
    }

    /// Ends a program's service: its windows and its memory go at once.
    func remove(_ client: ClientConnection, reason: String) {
        guard clients.removeValue(forKey: client.id) != nil else { return }
        logger.info("a program left", metadata: ["pid": "\(client.processID)", "reason": "\(reason)"])
        client.socket.shutdown()
        windows.clientGone(client.id)
        isReleaseNotified = true
        for number in client.audioSessions.keys { noteTail(of: AudioArbiter.ID(client: client.id, session: number), now: MonotonicTime.now) }
        perform(audio.removeAll(of: client.id, now: MonotonicTime.now), now: MonotonicTime.now)
        changeSystemState { $0.connectionEnded(client.id) }
        if clients.isEmpty { idleSince = MonotonicTime.now }
    }

    /// Changes the system's state, saves it, and then applies it to programs.
    func changeSystemState(_ change: (inout SystemState) -> Void) {
        let old = system
        change(&system)
        guard system != old else { return }
        stateFile.save(system)
        applySystemState(now: MonotonicTime.now)
        if system.isVideoCalled != old.isVideoCalled { windows.setSuspended(isVideoCalled) }
        // What keeps an idle compositor running may just have ended: it waits its time once more.
        if clients.isEmpty, old.isUnderRule, !system.isUnderRule { idleSince = MonotonicTime.now }
    }
}
