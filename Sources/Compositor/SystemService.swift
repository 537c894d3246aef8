import AudioPolicy
import CompositorProtocol
import Logging
import SystemCalls
import WireFormat

/// The service for system-wide conditions (calls, silent switch, screen lock, devices) and queries of them. Used by the
/// compositor's main thread.
final class SystemService {
    /// The current conditions, which ``file`` stores.
    private(set) var state: SystemState
    private let file: SystemStateFile
    private let programs: ProgramConnections
    private let audio: AudioService
    private let windows: WindowService
    private let routes: RouteService

    init(
        file: SystemStateFile, programs: ProgramConnections, audio: AudioService, windows: WindowService,
        routes: RouteService
    ) {
        (self.file, self.programs, self.audio, self.windows, self.routes) = (file, programs, audio, windows, routes)
        state = file.load()
        audio.apply(state, now: MonotonicTime.now)
        windows.setSuspended(state.isVideoCalled)
        routes.hasLostDevice = { [unowned self] in state.hasLostDevice }
        routes.serverDevice = { [unowned self] in state.serverDevice }
        routes.onDeviceChange = { [unowned self] hasLost in change { $0.hasLostDevice = hasLost } }
    }

    /// Handles an announcement or a query.
    ///
    /// - Parameters:
    ///   - request: The announcement or query.
    ///   - isKept: Whether the condition outlives the connection (a user's command).
    ///   - program: The program that sent the request.
    func handle(_ request: SystemRequest, isKept: Bool, from program: ProgramRegistry.Program) {
        // In protocol versions before 7, conditions do not end with their connection.
        let isLeased = !isKept && program.understands(ProtocolVersion.leases)
        programs.registry.note(.control, of: program.id)
        let holders = state.holders
        change { $0.handle(request, from: isLeased ? .client(program.id) : .user) }
        // Notify programs whose announcements this request has ended, so that they can disconnect.
        for id in holders.subtracting(state.holders) where id != program.id { programs.send(.systemDone, to: id) }
        switch request {
        case .callComes, .callAccepted, .callEnds, .silentSwitch, .screenLock, .videoCall: break
        case .resetMediaServices: resetMediaServices()
        case .deviceLost: routes.handle(.movedByServer(isLoss: true, name: nil))
        case .deviceAdded(let name): routes.handle(.movedByServer(isLoss: false, name: name.isEmpty ? nil : name))
        case .deviceChosen(let name): routes.handle(.chosenAtServer(name: name))
        case .listSessions: list(to: program)
        }
        programs.send(.systemDone, to: program.id)
    }

    func clientGone(_ client: UInt64) { change { $0.connectionEnded(client) } }

    /// Whether a condition affects future programs, so that the compositor must not exit for idleness.
    var keepsRunning: Bool { state.isUnderRule }

    /// Changes the conditions, saves them, and then applies them to the programs.
    private func change(_ body: (inout SystemState) -> Void) {
        let old = state
        body(&state)
        guard state != old else { return }
        file.save(state)
        audio.apply(state, now: MonotonicTime.now)
        if state.isVideoCalled != old.isVideoCalled { windows.setSuspended(state.isVideoCalled) }
    }

    /// Resets all audio state as after a start of the compositor. The system-wide conditions stay.
    private func resetMediaServices() {
        audio.reset(state, now: MonotonicTime.now)
        routes.applyDevice()
    }

    // MARK: answers

    private func list(to program: ProgramRegistry.Program) {
        programs.send(.audioRoute(routes.current), to: program.id)
        if program.understands(ProtocolVersion.leases) { programs.send(.systemState(snapshot), to: program.id) }
        for id in audio.arbiter.ids {
            if let session = describe(id) { programs.send(.audioSession(session), to: program.id) }
        }
    }

    private var snapshot: SystemSnapshot {
        let call: SystemSnapshot.Call =
            switch state.call {
            case nil: .none
            case .banner: .banner
            case .fullScreen: .fullScreen
            case .accepted: .accepted
            }
        return SystemSnapshot(
            call: call, isSilent: state.isSilent, isLocked: state.isLocked, isVideoCalled: state.isVideoCalled)
    }

    private func describe(_ id: AudioArbiter.ID) -> AudioSessionFacts? {
        guard let session = audio.arbiter.session(id), let program = programs.registry[id.client] else { return nil }
        let orders = audio.orders[id]
        let claim: AudioSessionFacts.Claim =
            switch session.claim {
            case .inactive: .inactive
            case .active: .active
            case .interrupted: .interrupted
            }
        let holders: [Int32] = session.heldBy.compactMap { holder in
            switch holder {
            case .session(let other): programs.registry[other.client]?.processID
            case .call: 0
            case .lock: -1
            }
        }
        return AudioSessionFacts(
            processID: program.processID, program: program.name, session: id.session,
            configuration: session.configuration, claim: claim,
            isRunning: session.isRunning, isNowPlaying: audio.arbiter.nowPlayingClient == id.client,
            presence: program.visibility,
            duckDecibels: UInt8(clamping: orders?.duck?.decibels ?? 0),
            isSilent: session.claim == .interrupted || orders?.isClosed == true,
            heldBy: holders.sorted())
    }
}
