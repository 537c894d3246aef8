import AudioOutput
import AudioPolicy
import CompositorProtocol
import Logging
import SystemCalls
import WireFormat

/// The service for the audio sessions of all programs: passes requests to ``AudioArbiter`` and its decisions to the
/// programs.
///
/// Used by the compositor's main thread.
final class AudioService: EventSource {
    /// The largest number of audio sessions of one program. Each session adds work to every decision of the arbiter.
    static let sessionLimitOfProgram = 16

    private(set) var arbiter = AudioArbiter()
    let orders: AudioOrders
    private let programs: ProgramConnections
    private let settings: SettingsFile
    private let foreignPlayers: ForeignPlayersBus
    private let logger: Logger
    /// Called on the main thread after a session was opened.
    var onOpen: (AudioArbiter.ID) -> Void = { _ in }
    /// Called on the main thread after an active session was configured, with its previous category.
    var onCategoryChange: (AudioArbiter.ID, AudioCategory) -> Void = { _, _ in }
    /// Called on the main thread when a session requests the speaker, or the default port again.
    var onOverride: (AudioArbiter.ID, _ isSpeaker: Bool) -> Void = { _, _ in }
    /// Called on the main thread after each decision of the arbiter was carried out.
    var onDecision: () -> Void = {}
    /// Whether other players may resume: set by the program that deactivated its session last. True after a program
    /// exits.
    private var isReleaseNotified = true
    /// For each program that just stopped: the host time until which its device still plays buffered audio.
    private var tails: [UInt64: Int64] = [:]
    /// The sequence number of the last report to any program.
    private var sequence: UInt64 = 0

    init(programs: ProgramConnections, settings: SettingsFile, foreignPlayers: ForeignPlayersBus, logger: Logger) {
        (self.programs, self.settings, self.foreignPlayers, self.logger) = (programs, settings, foreignPlayers, logger)
        orders = AudioOrders(logger: logger)
    }

    // MARK: programs

    func handle(
        _ request: AudioRequest, of number: UInt32, _ descriptors: [SharedDescriptor],
        from program: ProgramRegistry.Program
    ) throws(MalformedMessage) {
        let id = AudioArbiter.ID(client: program.id, session: number), now = MonotonicTime.now
        switch request {
        case .open(let mayPlay): return try open(id, of: program, mayPlay, descriptors, now: now)
        // The next two requests concern the program, whether it has a session or not.
        case .presence(let presence):
            programs.registry.update(program.id) { $0.visibility = presence }
            return perform(arbiter.setPresence(presence, of: program.id, now: now), now: now)
        case .mayPlayInBackground(let mayPlay):
            programs.registry.update(program.id) { $0.declaresBackgroundAudio = mayPlay }
            return applyBackgroundRight(of: program.id, now: now)
        default: break
        }
        // Requests for a session that a reset closed may still be on their way.
        guard orders.isOpen(id) else { return }
        switch request {
        case .open, .presence, .mayPlayInBackground: break
        case .configure(let configuration):
            let before = arbiter.session(id)
            perform(arbiter.configure(id, configuration, now: now), now: now)
            if let before, before.claim == .active { onCategoryChange(id, before.configuration.category) }
        case .activate(let hasGesture):
            let isAsked = programs.registry.takeGesture(program.id, now: now)
            perform(arbiter.activate(id, hasGesture: hasGesture || isAsked, now: now), now: now)
        case .deactivate(let isNotified):
            isReleaseNotified = isNotified
            perform(arbiter.deactivate(id, isNotified: isNotified, now: now), now: now)
        case .running(let isRunning):
            if !isRunning { noteTail(of: id, now: now) }
            perform(arbiter.setRunning(isRunning, of: id, now: now), now: now)
        case .prefersNoInterruptions(let prefers): arbiter.setPrefersNoInterruptions(prefers, of: id)
        case .prefersInterruptionOnRouteDisconnect(let prefers):
            arbiter.setPrefersInterruptionOnRouteDisconnect(prefers, of: id)
        case .overrideOutput(let isSpeaker): onOverride(id, isSpeaker)
        case .close:
            isReleaseNotified = true
            noteTail(of: id, now: now)
            orders.close(id)
            perform(arbiter.remove(id, now: now), now: now)
        }
    }

    private func open(
        _ id: AudioArbiter.ID, of program: ProgramRegistry.Program, _ mayPlay: Bool, _ descriptors: [SharedDescriptor],
        now: Int64
    ) throws(MalformedMessage) {
        guard !orders.isOpen(id), orders.count(of: id.client) < Self.sessionLimitOfProgram else {
            throw MalformedMessage("an audio session was opened twice, or the program has too many audio sessions")
        }
        do throws(SystemCallError) {
            let page = try SessionGain(received: FileDescriptor(duplicating: descriptors[0].raw))
            orders.open(id, page, process: program.processID)
        } catch { throw MalformedMessage("\(error)") }
        programs.registry.update(program.id) { $0.declaresBackgroundAudio = mayPlay }
        programs.registry.note(.audio, of: program.id)
        let isAllowed = programs.registry.mayPlayInBackground(program.id)
        perform(arbiter.add(id, presence: program.visibility, mayPlayInBackground: isAllowed, now: now), now: now)
        onOpen(id)
    }

    func clientGone(_ client: UInt64, now: Int64) {
        isReleaseNotified = true
        for id in orders.sessions(of: client) {
            noteTail(of: id, now: now)
            orders.close(id)
        }
        perform(arbiter.removeAll(of: client, now: now), now: now)
    }

    /// Sets whether a program may play in the background, from its declaration and the user's setting.
    func applyBackgroundRight(of client: UInt64, now: Int64) {
        let isAllowed = programs.registry.mayPlayInBackground(client)
        perform(arbiter.setMayPlayInBackground(isAllowed, of: client, now: now), now: now)
    }

    // MARK: system state

    func apply(_ system: SystemState, now: Int64) {
        perform(arbiter.setCall(AudioArbiter.Call(system.call), now: now), now: now)
        perform(arbiter.setSilent(system.isSilent, now: now), now: now)
        perform(arbiter.setLocked(system.isLocked, now: now), now: now)
    }

    func setHasDevice(_ hasDevice: Bool) { arbiter.setHasDevice(hasDevice) }

    /// Interrupts the sessions that played on a device that was removed.
    func outputIsGone(now: Int64) { perform(arbiter.outputIsGone(heardBy: arbiter.ids, now: now), now: now) }

    func suspend(_ client: UInt64, now: Int64) {
        isReleaseNotified = false
        perform(arbiter.suspend(client: client, now: now), now: now)
    }

    func resume(_ client: UInt64, now: Int64) { perform(arbiter.thaw(client: client, now: now), now: now) }

    /// Resets the audio state as after a start of the compositor: closes all sessions and notifies their programs.
    ///
    /// - Parameters:
    ///   - system: The system state to apply before programs are notified: a reset does not end a call.
    ///   - now: The current host time.
    func reset(_ system: SystemState, now: Int64) {
        arbiter = AudioArbiter()
        let closed = orders.closeAll()
        apply(system, now: now)
        for id in closed { report(.reset, to: id) }
    }

    // MARK: time

    var deadline: Int64? { [arbiter.deadline, orders.deadline].compactMap { $0 }.min() }

    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        if let due = arbiter.deadline, now >= due { perform(arbiter.tick(now: now), now: now) }
        orders.check(now: now) {
            arbiter.session($0)?.isRunning == true
        } processOf: {
            programs.registry[$0.client]?.processID
        }
    }

    // MARK: decisions

    /// Nanoseconds until an order to a render thread is audible: the thread reads orders once a period, and the device
    /// buffers about 60 ms.
    static let transport: Int64 = 85_000_000

    /// Writes orders to the render threads first, and then notifies programs, so that no program sees stale state.
    func perform(_ actions: [AudioArbiter.Action], now: Int64) {
        var quietAt: Int64 = 0, duckedAt: Int64 = 0
        for action in actions {
            switch action {
            case .gate(let id, let isOpen, let time):
                let isChecked = isTakenAway(id)
                order(id) { $0.issue(GateOrder(isOpen: isOpen, milliseconds: time, time: now), isChecked: isChecked) }
                if !isOpen, isRunning(id) { quietAt = now + Self.transport + Int64(time) * 1_000_000 }
            case .duck(let id, let isDucked, let time):
                order(id) { $0.issue(DuckOrder(decibels: isDucked ? duckDecibels : 0, milliseconds: time, time: now)) }
                if isDucked, isRunning(id) { duckedAt = now + Self.transport + Int64(time) * 1_000_000 }
            case .activated(let id, _, let isDucked, let isSilenced):
                orders[id]?.noteActivation(isSilenced: isSilenced)
                if arbiter.session(id)?.configuration.isMixable == false {
                    quietAt = tails.reduce(quietAt) { $1.key == id.client ? $0 : max($0, $1.value) }
                }
                if let fade = fade(of: id, isSilenced: isSilenced, quietAt: quietAt, now: now) {
                    let gate = GateOrder(isOpen: !isSilenced, milliseconds: fade, time: max(now, quietAt))
                    order(id) { $0.issue(gate, isChecked: true) }
                }
                order(id) { $0.issue(DuckOrder(decibels: isDucked ? duckDecibels : 0, milliseconds: 0, time: now)) }
            default: break
            }
        }
        for action in actions { notify(action, quietAt: quietAt, duckedAt: duckedAt) }
        silenceForeignPlayers()
        onDecision()
    }

    /// Returns the fade time, in milliseconds, of the gate of a session that was just activated; `nil` if the gate
    /// needs no change.
    private func fade(of id: AudioArbiter.ID, isSilenced: Bool, quietAt: Int64, now: Int64) -> Int? {
        let gate = orders[id]?.gate
        // While a device still plays another program's audio, the gate opens later.
        if isSilenced || quietAt > now || gate?.isOpen == false { return AudioArbiter.Fade.interruption }
        return gate == nil ? 0 : nil
    }

    /// Returns whether closing the gate of a session takes audio from its program: the session is running, or was not
    /// deactivated by the program.
    private func isTakenAway(_ id: AudioArbiter.ID) -> Bool {
        arbiter.session(id).map { $0.isRunning || $0.claim != .inactive } ?? false
    }

    private func isRunning(_ id: AudioArbiter.ID) -> Bool { arbiter.session(id)?.isRunning == true }

    private func order(_ id: AudioArbiter.ID, _ issue: (IssuedAudioOrders) -> Void) {
        orders.issue(to: id, isRunning: isRunning(id), issue)
    }

    private func notify(_ action: AudioArbiter.Action, quietAt: Int64, duckedAt: Int64) {
        switch action {
        case .gate, .duck: break
        case .notify(let id, let notice): report(.notice(notice), to: id)
        case .properties(let id, let all): report(.properties(all), to: id)
        case .activated(let id, _, _, _): report(.activated(quietAt: quietAt, duckedAt: duckedAt), to: id)
        case .refused(let id, let code): report(.refused(code), to: id)
        case .done(let id, let code): report(.done(code), to: id)
        case .note(let id, let text):
            logger.notice("\(text)", metadata: ["pid": "\(programs.registry[id.client]?.processID ?? 0)"])
        }
    }

    func report(_ report: AudioReport, to id: AudioArbiter.ID) {
        guard let program = programs.registry[id.client] else { return }
        sequence += 1
        let number = program.understands(ProtocolVersion.sequences) ? sequence : 0
        programs.send(.audio(session: id.session, sequence: number, report), to: id.client)
    }

    /// Pauses external players while a session that does not mix with others plays, until that session is deactivated.
    private func silenceForeignPlayers() {
        let (isHeard, isClaimed) = arbiter.exclusive
        if isHeard {
            foreignPlayers.setSilence(.wanted)
        } else if !isClaimed {
            foreignPlayers.setSilence(.released(notify: isReleaseNotified))
        }
    }

    /// The attenuation of ducked sessions in decibels, from the user's settings.
    private var duckDecibels: Int { settings.settings.duckDecibels }

    /// Notes that a session stopped rendering. Its device plays buffered audio for a moment; the next program starts
    /// after that.
    private func noteTail(of id: AudioArbiter.ID, now: Int64) {
        tails = tails.filter { $0.value > now }
        guard let session = arbiter.session(id), session.claim == .active, session.isRunning,
            !session.configuration.isMixable
        else { return }
        tails[id.client] = now + Self.transport
    }
}
