import AudioPolicy
import CompositorProtocol
import Logging
import SystemCalls
import WireFormat

/// The service for system-wide conditions (phone calls, silent switch, screen lock, devices), and for queries of them.
/// Used by the compositor's main thread.
final class SystemService {
    /// The current system-wide conditions, which ``file`` stores.
    private(set) var state: SystemState
    /// The file that preserves the system-wide conditions for the next compositor process.
    private let file: SystemStateFile
    /// Whether the desktop has locked the screen. This hides pictures, and does not interrupt audio.
    var isDesktopLocked: () -> Bool = { false }
    /// The connected programs.
    private let programs: ProgramConnections
    /// The audio sessions, which the system-wide conditions affect.
    private let audio: AudioService
    /// The floating windows, which a video call hides.
    private let windows: WindowService
    /// The audio devices.
    private let routes: RouteService
    /// The roles of the programs, for queries.
    private let roles: RoleService
    /// The reports of the programs' memory, for queries.
    private let reports: MemoryReportService
    /// Ends programs at the user's request.
    private let closing: ProgramClosingService

    /// Notifies clients when the answers to queries have changed.
    private(set) lazy var watches = ProgramWatchService(
        read: { [unowned self] in
            ProgramWatchService.Lists(
                programs: roles.snapshots, sessions: sessions, pictures: closing.pictures, conditions: snapshot)
        }, notify: { [programs] in programs.send(.programsChanged, to: $0) })

    /// Loads the saved system-wide conditions, such as a phone call or the screen lock, and applies them.
    init(
        file: SystemStateFile, programs: ProgramConnections, audio: AudioService, windows: WindowService,
        routes: RouteService, roles: RoleService, reports: MemoryReportService, closing: ProgramClosingService
    ) {
        (self.file, self.programs, self.audio, self.windows) = (file, programs, audio, windows)
        (self.routes, self.roles, self.reports, self.closing) = (routes, roles, reports, closing)
        state = file.load()
        audio.apply(state, now: MonotonicTime.now)
        windows.setSuspended(state.isInVideoCall)
        routes.hasLostDevice = { [unowned self] in state.hasLostDevice }
        routes.serverDevice = { [unowned self] in state.serverDevice }
        routes.onDeviceChange = { [unowned self] hasLost in changeConditions { $0.hasLostDevice = hasLost } }
    }

    /// Handles an announcement or a query of system-wide conditions.
    ///
    /// - Parameters:
    ///   - request: The announcement or query.
    ///   - isPersistent: Whether the condition outlives the connection (a user's command).
    ///   - program: The program that sent the request.
    func handle(_ request: SystemRequest, isPersistent: Bool, from program: ProgramRegistry.Program) {
        // In protocol versions before 7, conditions do not end with their connection.
        let endsWithConnection = !isPersistent && program.supports(ProtocolVersion.connectionBoundConditions)
        programs.registry.addService(.systemConditions, of: program.id)
        let earlierPrograms = state.announcingPrograms
        changeConditions { $0.handle(request, from: endsWithConnection ? .client(program.id) : .user) }
        // Notify programs whose announcements this request has ended, so that they can disconnect.
        for id in earlierPrograms.subtracting(state.announcingPrograms) where id != program.id {
            programs.send(.systemDone, to: id)
        }
        switch request {
        case .callArrived, .callAccepted, .callEnded, .silentSwitch, .screenLock, .videoCall: break
        case .resetMediaServices: resetMediaServices()
        case .deviceLost: routes.handle(.movedByServer(isLoss: true, name: nil))
        case .deviceAdded(let name): routes.handle(.movedByServer(isLoss: false, name: name.isEmpty ? nil : name))
        case .deviceChosen(let name): routes.handle(.chosenAtServer(name: name))
        case .listSessions: sendList(to: program)
        // The report service answers, and sends `systemDone`, after all programs have reported their memory or a time
        // limit has passed.
        case .listMemory: return reports.handleQuery(from: program.id)
        // The closing service answers when the programs have ended.
        case .close(let name): return closing.handle(name, from: program)
        case .listPictures: for picture in closing.pictures { programs.send(.programPicture(picture), to: program.id) }
        case .watchPrograms: watches.handleRequest(of: program.id)
        case .listPrograms: for snapshot in roles.snapshots { programs.send(.program(snapshot), to: program.id) }
        }
        programs.send(.systemDone, to: program.id)
    }

    /// Ends the system-wide conditions that a disconnected program announced.
    func handleDisconnection(of client: UInt64) {
        watches.handleDisconnection(of: client)
        changeConditions { $0.endConditions(of: client) }
    }

    /// Whether a system-wide condition affects programs that start later, so that the compositor must not exit when
    /// idle.
    var keepsCompositorRunning: Bool { state.hasActiveCondition }

    /// Changes the system-wide conditions, saves them, and then applies them to the programs.
    private func changeConditions(_ body: (inout SystemState) -> Void) {
        let oldState = state
        body(&state)
        guard state != oldState else { return }
        file.save(state)
        audio.apply(state, now: MonotonicTime.now)
        if state.isInVideoCall != oldState.isInVideoCall { windows.setSuspended(state.isInVideoCall) }
    }

    /// Resets all audio state as after a start of the compositor. The system-wide conditions stay.
    private func resetMediaServices() {
        audio.reset(state, now: MonotonicTime.now)
        routes.updateDeviceAvailability()
    }

    // MARK: Answers to queries

    /// Sends a program the audio route, the system-wide conditions and a list of all audio sessions.
    private func sendList(to program: ProgramRegistry.Program) {
        programs.send(.audioRoute(routes.currentRoute), to: program.id)
        if program.supports(ProtocolVersion.connectionBoundConditions) {
            programs.send(.systemState(snapshot), to: program.id)
        }
        for session in sessions { programs.send(.audioSession(session), to: program.id) }
    }

    /// The audio sessions of all programs.
    private var sessions: [AudioSessionSnapshot] { audio.arbiter.ids.compactMap(describe) }

    /// The system-wide conditions in the form in which programs receive them.
    private var snapshot: SystemSnapshot {
        let phoneCall: SystemSnapshot.PhoneCall =
            switch state.phoneCall {
            case nil: .none
            case .banner: .banner
            case .fullScreen: .fullScreen
            case .accepted: .accepted
            }
        return SystemSnapshot(
            phoneCall: phoneCall, isSilent: state.isSilent, isLocked: state.isLocked || isDesktopLocked(),
            isInVideoCall: state.isInVideoCall)
    }

    /// Returns the state of an audio session in the form in which programs receive it; nil if the session has ended.
    private func describe(_ id: AudioArbiter.ID) -> AudioSessionSnapshot? {
        guard let session = audio.arbiter.session(id), let program = programs.registry[id.client] else { return nil }
        let gainCommands = audio.gainCommands[id]
        let activation: AudioSessionSnapshot.Activation =
            switch session.activation {
            case .inactive: .inactive
            case .active: .active
            case .interrupted: .interrupted
            }
        let interruptingPrograms: [Int32] = session.interruptedBy.compactMap { cause in
            switch cause {
            case .session(let interruptingID): programs.registry[interruptingID.client]?.processID
            case .call: 0
            case .lock: -1
            }
        }
        return AudioSessionSnapshot(
            processID: program.processID, program: program.name, session: id.session,
            configuration: session.configuration, activation: activation,
            isRunning: session.isRunning, isNowPlaying: audio.arbiter.nowPlayingClient == id.client,
            visibility: program.visibility,
            duckDecibels: UInt8(clamping: gainCommands?.duck?.decibels ?? 0),
            isSilent: session.activation == .interrupted || gainCommands?.isClosed == true,
            interruptedBy: interruptingPrograms.sorted())
    }
}
