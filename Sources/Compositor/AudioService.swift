import AudioOutput
import AudioPolicy
import CompositorProtocol
import Logging
import SystemCalls
import WireFormat

/// The service for the audio sessions of all programs: passes programs' requests to ``AudioArbiter``, and the arbiter's
/// decisions to the programs.
///
/// Used by the compositor's main thread.
final class AudioService: EventSource {
    /// The largest number of audio sessions of one program. Each session adds work to every decision of the arbiter.
    static let sessionLimitOfProgram = 16

    /// The rules that decide which sessions are audible.
    private(set) var arbiter = AudioArbiter()
    /// The gain commands that carry out the arbiter's decisions.
    let gainCommands: GainCommands
    private let programs: ProgramConnections
    private let settings: SettingsFile
    private let externalPlayers: ExternalPlayersBus
    private let logger: Logger
    /// Called on the main thread after an audio session was opened.
    var onOpen: (AudioArbiter.ID) -> Void = { _ in }
    /// Called on the main thread after an active session was configured, with the session's previous category.
    var onCategoryChange: (AudioArbiter.ID, AudioCategory) -> Void = { _, _ in }
    /// Called on the main thread when a session requests the output's speaker port, or the output's previous port
    /// again.
    var onOutputOverrideRequest: (AudioArbiter.ID, _ isSpeaker: Bool) -> Void = { _, _ in }
    /// Called on the main thread after each decision of the arbiter was carried out.
    var onDecision: [() -> Void] = []
    /// Whether external players (MPRIS players that do not use SwiftPlay) may resume when no session plays any more.
    /// The session that was deactivated last determines this; true after a session closes or its program exits.
    private var externalPlayersMayResume = true
    /// For each program that just stopped rendering, by connection number: the host time until which its device plays
    /// buffered audio.
    private var bufferedAudioEndTimes: [UInt64: Int64] = [:]
    /// The sequence number of the last report to any program.
    private var lastSequenceNumber: UInt64 = 0

    init(programs: ProgramConnections, settings: SettingsFile, externalPlayers: ExternalPlayersBus, logger: Logger) {
        (self.programs, self.settings) = (programs, settings)
        (self.externalPlayers, self.logger) = (externalPlayers, logger)
        gainCommands = GainCommands(logger: logger)
    }

    // MARK: Programs

    /// Handles a request about the audio session `sessionNumber` of a program.
    func handle(
        _ request: AudioRequest, of sessionNumber: UInt32, _ descriptors: [SharedDescriptor],
        from program: ProgramRegistry.Program
    ) throws(MalformedMessage) {
        let id = AudioArbiter.ID(client: program.id, session: sessionNumber), now = MonotonicTime.now
        switch request {
        case .open(let mayPlay): return try open(id, of: program, mayPlay, descriptors, now: now)
        // `visibility` and `mayPlayInBackground` apply to the whole program, even if it has no session.
        case .visibility(let visibility):
            programs.registry.update(program.id) { $0.visibility = visibility }
            return perform(arbiter.setVisibility(visibility, of: program.id, now: now), now: now)
        case .mayPlayInBackground(let mayPlay):
            programs.registry.update(program.id) { $0.declaresBackgroundAudio = mayPlay }
            return applyBackgroundRight(of: program.id, now: now)
        default: break
        }
        // Ignore a request for an audio session that a reset of media services closed while the request was on its way.
        guard gainCommands.isOpen(id) else { return }
        switch request {
        case .open, .visibility, .mayPlayInBackground: break
        case .configure(let configuration):
            let oldState = arbiter.session(id)
            perform(arbiter.configure(id, configuration, now: now), now: now)
            if let oldState, oldState.activation == .active { onCategoryChange(id, oldState.configuration.category) }
        case .activate(let hasGesture):
            let hasRecentGesture = programs.registry.takePlayButtonPress(program.id, now: now)
            perform(arbiter.activate(id, hasGesture: hasGesture || hasRecentGesture, now: now), now: now)
        case .deactivate(let notifiesOthers):
            externalPlayersMayResume = notifiesOthers
            perform(arbiter.deactivate(id, notifiesOthers: notifiesOthers, now: now), now: now)
        case .running(let isRunning):
            if !isRunning { recordBufferedAudio(of: id, now: now) }
            perform(arbiter.setRunning(isRunning, of: id, now: now), now: now)
        case .prefersNoInterruptions(let prefers): arbiter.setPrefersNoInterruptions(prefers, of: id)
        case .prefersInterruptionOnRouteDisconnect(let prefers):
            arbiter.setPrefersInterruptionOnRouteDisconnect(prefers, of: id)
        case .overrideOutput(let isSpeaker): onOutputOverrideRequest(id, isSpeaker)
        case .close:
            externalPlayersMayResume = true
            recordBufferedAudio(of: id, now: now)
            gainCommands.close(id)
            perform(arbiter.remove(id, now: now), now: now)
        }
    }

    /// Adds a session. The first of `descriptors` is the shared memory through which its program receives gain
    /// commands.
    private func open(
        _ id: AudioArbiter.ID, of program: ProgramRegistry.Program, _ mayPlay: Bool, _ descriptors: [SharedDescriptor],
        now: Int64
    ) throws(MalformedMessage) {
        guard !gainCommands.isOpen(id), gainCommands.sessionCount(of: id.client) < Self.sessionLimitOfProgram else {
            throw MalformedMessage("an audio session was opened twice, or the program has too many audio sessions")
        }
        do throws(SystemCallError) {
            let gainPage = try SharedGainPage(received: FileDescriptor(duplicating: descriptors[0].raw))
            gainCommands.open(id, gainPage, processID: program.processID)
        } catch { throw MalformedMessage("\(error)") }
        programs.registry.update(program.id) { $0.declaresBackgroundAudio = mayPlay }
        programs.registry.addService(.audio, of: program.id)
        let isAllowed = programs.registry.mayPlayInBackground(program.id)
        perform(arbiter.add(id, visibility: program.visibility, mayPlayInBackground: isAllowed, now: now), now: now)
        onOpen(id)
    }

    /// Removes all sessions of a program that disconnected.
    func handleDisconnection(of client: UInt64, now: Int64) {
        externalPlayersMayResume = true
        for id in gainCommands.sessions(of: client) {
            recordBufferedAudio(of: id, now: now)
            gainCommands.close(id)
        }
        perform(arbiter.removeAll(of: client, now: now), now: now)
    }

    /// Applies whether a program may play in the background; its declaration and the user's setting determine this.
    func applyBackgroundRight(of client: UInt64, now: Int64) {
        let isAllowed = programs.registry.mayPlayInBackground(client)
        perform(arbiter.setMayPlayInBackground(isAllowed, of: client, now: now), now: now)
    }

    // MARK: System state

    /// Applies the phone calls, the silent switch and the screen lock of the system.
    func apply(_ system: SystemState, now: Int64) {
        perform(arbiter.setPhoneCall(AudioArbiter.PhoneCall(system.phoneCall), now: now), now: now)
        perform(arbiter.setSilent(system.isSilent, now: now), now: now)
        perform(arbiter.setLocked(system.isLocked, now: now), now: now)
    }

    /// Sets whether the system has an audio device.
    func setHasDevice(_ hasDevice: Bool) { arbiter.setHasDevice(hasDevice) }

    /// Interrupts the sessions that played on a device that was removed.
    func handleOutputRemoval(now: Int64) {
        perform(arbiter.handleOutputRemoval(affecting: arbiter.ids, now: now), now: now)
    }

    /// Interrupts the sessions of a program whose process was stopped.
    func suspend(_ client: UInt64, now: Int64) {
        externalPlayersMayResume = false
        perform(arbiter.suspend(client: client, now: now), now: now)
    }

    /// Ends the interruption by ``suspend(_:now:)``.
    func resume(_ client: UInt64, now: Int64) { perform(arbiter.resume(client: client, now: now), now: now) }

    /// Resets the audio state as after a start of the compositor: closes all sessions and notifies their programs.
    ///
    /// - Parameters:
    ///   - system: The system state to apply before programs are notified: a reset does not end a phone call.
    ///   - now: The current host time.
    func reset(_ system: SystemState, now: Int64) {
        arbiter = AudioArbiter()
        let closedIDs = gainCommands.closeAll()
        apply(system, now: now)
        for id in closedIDs { report(.reset, to: id) }
    }

    // MARK: Time

    /// The host time of the arbiter's next timed decision or the next check of a gain command; `nil` if none is
    /// pending.
    var deadline: Int64? { [arbiter.deadline, gainCommands.deadline].compactMap { $0 }.min() }

    /// Performs the arbiter's timed decisions and the checks of gain commands that are due by `now`.
    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        if let arbiterDeadline = arbiter.deadline, now >= arbiterDeadline { perform(arbiter.tick(now: now), now: now) }
        gainCommands.check(now: now) {
            arbiter.session($0)?.isRunning == true
        } processOf: {
            programs.registry[$0.client]?.processID
        }
    }

    // MARK: Decisions of the arbiter

    /// The time until a gain command to a render thread is audible, in nanoseconds: the render thread reads commands
    /// once in each period of its audio device, and the device buffers about 60 ms.
    static let gainChangeLatency: Int64 = 85_000_000

    /// Carries out the arbiter's decisions. Sends gain commands to render threads before it notifies programs, so that
    /// no program sees stale state.
    func perform(_ actions: [AudioArbiter.Action], now: Int64) {
        var othersSilentAt: Int64 = 0, othersDuckedAt: Int64 = 0
        func gainChangeEnd(_ milliseconds: Int) -> Int64 {
            now + Self.gainChangeLatency + Int64(milliseconds) * 1_000_000
        }
        for action in actions {
            switch action {
            case .gate(let id, let isOpen, let milliseconds):
                let isChecked = closingGateStopsAudio(of: id)
                let gate = GateCommand(isOpen: isOpen, milliseconds: milliseconds, time: now)
                issueGainCommand(id) { $0.issue(gate, isChecked: isChecked) }
                if !isOpen, isRunning(id) { othersSilentAt = gainChangeEnd(milliseconds) }
            case .duck(let id, let isDucked, let milliseconds):
                let duck = DuckCommand(decibels: isDucked ? duckDecibels : 0, milliseconds: milliseconds, time: now)
                issueGainCommand(id) { $0.issue(duck) }
                if isDucked, isRunning(id) { othersDuckedAt = gainChangeEnd(milliseconds) }
            case .activated(let id, _, let isDucked, let isSilenced):
                gainCommands[id]?.didActivate(isSilenced: isSilenced)
                if arbiter.session(id)?.configuration.isMixable == false {
                    for (client, endTime) in bufferedAudioEndTimes where client != id.client {
                        othersSilentAt = max(othersSilentAt, endTime)
                    }
                }
                let waitsForOthers = othersSilentAt > now
                if let fade = gateFadeMilliseconds(of: id, isSilenced: isSilenced, waitsForOthers: waitsForOthers) {
                    let gate = GateCommand(isOpen: !isSilenced, milliseconds: fade, time: max(now, othersSilentAt))
                    issueGainCommand(id) { $0.issue(gate, isChecked: true) }
                }
                let duck = DuckCommand(decibels: isDucked ? duckDecibels : 0, milliseconds: 0, time: now)
                issueGainCommand(id) { $0.issue(duck) }
            default: break
            }
        }
        for action in actions { notify(action, othersSilentAt: othersSilentAt, othersDuckedAt: othersDuckedAt) }
        silenceExternalPlayers()
        for handler in onDecision { handler() }
    }

    /// Returns the fade time, in milliseconds, with which the gate (mute switch) of a newly activated session opens or
    /// closes; `nil` if the gate needs no change.
    private func gateFadeMilliseconds(of id: AudioArbiter.ID, isSilenced: Bool, waitsForOthers: Bool) -> Int? {
        let gate = gainCommands[id]?.gate
        // The gate (mute switch) opens later if a device still plays another program's audio.
        if isSilenced || waitsForOthers || gate?.isOpen == false { return AudioArbiter.Fade.interruption }
        return gate == nil ? 0 : nil
    }

    /// Returns whether closing the gate (mute switch) of a session stops audio that its program may be playing: the
    /// session is running, or was not deactivated by the program.
    private func closingGateStopsAudio(of id: AudioArbiter.ID) -> Bool {
        arbiter.session(id).map { $0.isRunning || $0.activation != .inactive } ?? false
    }

    /// Returns whether the session renders audio.
    private func isRunning(_ id: AudioArbiter.ID) -> Bool { arbiter.session(id)?.isRunning == true }

    /// Sends a gain command to a session's render threads.
    private func issueGainCommand(_ id: AudioArbiter.ID, _ issue: (IssuedGainCommands) -> Void) {
        gainCommands.issue(to: id, isRunning: isRunning(id), issue)
    }

    /// Reports a decision to the program that it concerns.
    private func notify(_ action: AudioArbiter.Action, othersSilentAt: Int64, othersDuckedAt: Int64) {
        switch action {
        case .gate, .duck: break
        case .notify(let id, let notice): report(.notice(notice), to: id)
        case .sendProperties(let id, let properties): report(.properties(properties), to: id)
        case .activated(let id, _, _, _):
            report(.activated(othersSilentAt: othersSilentAt, othersDuckedAt: othersDuckedAt), to: id)
        case .refused(let id, let code): report(.refused(code), to: id)
        case .requestCompleted(let id, let code): report(.done(code), to: id)
        case .log(let id, let text):
            logger.notice("\(text)", metadata: ["pid": "\(programs.registry[id.client]?.processID ?? 0)"])
        }
    }

    /// Sends a report to a session's program.
    func report(_ report: AudioReport, to id: AudioArbiter.ID) {
        guard let program = programs.registry[id.client] else { return }
        lastSequenceNumber += 1
        let sequenceNumber = program.supports(ProtocolVersion.reportSequenceNumbers) ? lastSequenceNumber : 0
        programs.send(.audio(session: id.session, sequence: sequenceNumber, report), to: id.client)
    }

    /// Pauses external players while a session that does not mix with others plays, until that session is deactivated.
    private func silenceExternalPlayers() {
        let (isAudible, hasExclusiveSession) = arbiter.exclusiveAudioState
        if isAudible {
            externalPlayers.setSilence(.requested)
        } else if !hasExclusiveSession {
            externalPlayers.setSilence(.released(notify: externalPlayersMayResume))
        }
    }

    /// The attenuation of ducked sessions in decibels, from the user's settings.
    private var duckDecibels: Int { settings.settings.duckDecibels }

    /// Records that a session stopped rendering. The session's audio device still plays buffered audio for a moment;
    /// another program's session becomes audible only after that moment.
    private func recordBufferedAudio(of id: AudioArbiter.ID, now: Int64) {
        bufferedAudioEndTimes = bufferedAudioEndTimes.filter { $0.value > now }
        guard let session = arbiter.session(id), session.activation == .active, session.isRunning,
            !session.configuration.isMixable
        else { return }
        bufferedAudioEndTimes[id.client] = now + Self.gainChangeLatency
    }
}
