import CompositorProtocol
import Dispatch
import SystemCalls

/// The role of this program among all programs that play media on the machine, and the changes of that role
/// (UIApplication). Safe to use from any thread.
///
/// The compositor process assigns the role from the program's windows, the keyboard focus, Picture-in-Picture and
/// audible sound. The role determines how much memory players use: see the page `docs/roles.md` of the
/// repository. A program that needs memory of its own reads ``role`` and follows ``roles``.
///
/// A role that is more important takes effect immediately. A less important one takes effect after one second, so that
/// switching between programs changes nothing.
public final class Application: Sendable {
    /// The program of this process.
    public static let shared = Application(link: .shared)

    /// The mutable part of the program's state.
    struct State {
        /// The windows in which the program shows pictures.
        var windows = ProgramWindows()
        /// The role that the compositor has assigned; nil if there is no connection to a compositor that assigns roles.
        var assignedRole: ApplicationRole?
        /// The role that was published last.
        var role = ApplicationRole.none
        /// The streams that ``roles`` has returned and that are still read, by their numbers.
        var roleStreams: [UInt64: AsyncStream<ApplicationRole>.Continuation] = [:]
        /// The number that the next stream of ``roles`` or ``memoryPressures`` gets.
        var nextStreamNumber: UInt64 = 0
        /// The memory pressure that the compositor reported last.
        var memoryPressure = MemoryPressure.normal
        /// The streams that ``memoryPressures`` has returned and that are still read, by their numbers.
        var memoryPressureStreams: [UInt64: AsyncStream<MemoryPressure>.Continuation] = [:]
        /// Suppresses memory warnings that follow one another too fast.
        var warningFilter = MemoryWarningFilter()
        /// The functions that return the memory of the program's players, by their owners.
        ///
        /// The dictionary has memory from the start, so that adding the first entry under the lock takes microseconds.
        var playerMemoryFunctions = [ObjectIdentifier: @Sendable () -> PlayerMemory?](minimumCapacity: 1)
        /// The last memory warning, with the dirty memory before and after it.
        var lastWarning: MemoryWarningRecord?
        /// The figures that ``memoryStatus`` returned last.
        var memoryStatus: MemoryStatus?
        /// The functions that are called after ``memoryBudget`` may have changed, by their owners.
        ///
        /// The dictionary has memory from the start, for the same reason.
        var budgetHandlers = [ObjectIdentifier: @Sendable () -> Void](minimumCapacity: 1)
        /// The function that is called when the program must exit.
        var exitHandler: (@MainActor @Sendable () -> Void)?

        /// The role of the program: the role that the compositor has assigned. Without a compositor the role is derived
        /// by the same rule, which then assumes that the program is audible.
        var currentRole: ApplicationRole {
            assignedRole
                ?? ApplicationRole(
                    ProgramRole(
                        presence: windows.presence, isFloating: !windows.floatingPictures.isEmpty, isAudible: true))
        }
    }

    let state = Monitor(State())
    let link: CompositorLink
    /// Draws the program's picture for the overview.
    let snapshots: SnapshotDrawer
    /// The process's `oom_score_adj`, by which the kernel chooses the process that it ends when memory runs out.
    private let outOfMemoryScore = OwnOutOfMemoryScore()
    /// The queue on which caches release memory.
    let memoryQueue = DispatchQueue(label: "memory", qos: .utility)

    init(link: CompositorLink) {
        self.link = link
        snapshots = SnapshotDrawer(link: link)
        link.setProgramHandler { [weak self] event in
            switch event {
            case .role(let role): self?.change { $0.assignedRole = ApplicationRole(role) }
            case .memoryPressure(let level): self?.handleMemoryPressure(level)
            case .memoryReportRequested: self?.reportMemory()
            case .exitRequested: self?.handleExitRequest()
            case .snapshotRequested: self?.snapshots.draw()
            case .lost:
                self?.outOfMemoryScore.restore()
                self?.change { $0.assignedRole = nil }
                self?.handleMemoryPressure(nil)
            }
        }
        // Report at once that the program has no windows yet.
        link.setPresence(ProgramWindows().presence)
    }

    /// The program's present role.
    public var role: ApplicationRole { state.withLock { $0.currentRole } }

    /// The present role, and each later one. The sequence does not end; a slow reader misses all but the newest role.
    public var roles: AsyncStream<ApplicationRole> {
        let (stream, continuation) = AsyncStream<ApplicationRole>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let streamNumber = state.withLock { state in
            defer { state.nextStreamNumber += 1 }
            state.roleStreams[state.nextStreamNumber] = continuation
            continuation.yield(state.currentRole)
            return state.nextStreamNumber
        }
        continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.roleStreams[streamNumber] = nil } }
        return stream
    }

    // MARK: Windows

    /// Changes the recorded state of one of the program's windows.
    package func changeWindow(_ window: ObjectIdentifier, _ body: (inout ProgramWindows.Window) -> Void) {
        change { body(&$0.windows.windows[window, default: ProgramWindows.Window()]) }
    }

    /// Removes the record of a closed window.
    package func removeWindow(_ window: ObjectIdentifier) { change { $0.windows.windows[window] = nil } }

    /// Records whether the picture of a router is in a floating window.
    ///
    /// - Parameters:
    ///   - router: The router of the picture; nil if it is in no floating window.
    ///   - controller: The controller that moves the picture.
    package func setFloating(_ router: ObjectIdentifier?, by controller: ObjectIdentifier) {
        change { $0.windows.floatingPictures[controller] = router }
    }

    /// Changes the state, reports the windows to the compositor, and publishes a new role.
    private func change(_ body: (inout State) -> Void) {
        // The lock is held while the change is published, so that the streams deliver roles in order. No call in
        // this block waits.
        let (handlers, reduction) = state.withLock { state -> ([@Sendable () -> Void], MemoryReduction?) in
            let oldPresence = state.windows.presence, oldRole = state.role
            body(&state)
            let presence = state.windows.presence, newRole = state.currentRole
            if presence != oldPresence { link.setPresence(presence) }
            guard newRole != oldRole else { return ([], nil) }
            state.role = newRole
            for stream in state.roleStreams.values { stream.yield(newRole) }
            Self.postNotifications(of: ApplicationEvent.steps(from: oldRole, to: newRole) + [.roleDidChange])
            let reduction = newRole < oldRole ? MemoryReduction(role: newRole, pressure: state.memoryPressure) : nil
            return (Array(state.budgetHandlers.values), reduction)
        }
        for handler in handlers { handler() }
        if let reduction { releaseMemory(reduction) }
    }
}
