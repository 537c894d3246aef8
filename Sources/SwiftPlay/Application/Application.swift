import CompositorProtocol
import Dispatch
import Foundation
import SystemCalls

/// The program among all programs that play media on this machine: its role, and changes of it (UIApplication). Any
/// thread.
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

    /// Posted on the main queue after ``role`` has changed; the object is ``shared``.
    public static let roleDidChangeNotification = Notification.Name("SwiftPlayApplicationRoleDidChange")
    /// Posted on the main queue when the program is no longer ``ApplicationRole/primary``
    /// (UIApplication.willResignActiveNotification).
    public static let willResignActiveNotification = Notification.Name("SwiftPlayApplicationWillResignActive")
    /// Posted on the main queue when no window of the program is on the screen any more
    /// (UIApplication.didEnterBackgroundNotification).
    public static let didEnterBackgroundNotification = Notification.Name("SwiftPlayApplicationDidEnterBackground")
    /// Posted on the main queue when a window of the program is on the screen again
    /// (UIApplication.willEnterForegroundNotification).
    public static let willEnterForegroundNotification = Notification.Name("SwiftPlayApplicationWillEnterForeground")
    /// Posted on the main queue when the program has become ``ApplicationRole/primary``
    /// (UIApplication.didBecomeActiveNotification).
    public static let didBecomeActiveNotification = Notification.Name("SwiftPlayApplicationDidBecomeActive")

    /// The mutable part of the program's state.
    struct State {
        var windows = ProgramWindows()
        /// The role that the compositor has assigned; nil if there is no connection to a compositor that assigns roles.
        var assignedRole: ApplicationRole?
        /// The role that was published last.
        var role = ApplicationRole.none
        /// The streams that ``roles`` has returned and that are still read, by their numbers.
        var followers: [UInt64: AsyncStream<ApplicationRole>.Continuation] = [:]
        var nextFollower: UInt64 = 0
        /// How short memory is, as the compositor has reported.
        var memoryPressure = MemoryPressure.normal
        /// The streams that ``memoryPressures`` has returned and that are still read, by their numbers.
        var pressureFollowers: [UInt64: AsyncStream<MemoryPressure>.Continuation] = [:]
        /// Refuses warnings that follow one another too fast.
        var warningFilter = MemoryWarningFilter()
        /// The functions that return the memory of the program's players, by their owners.
        var players: [ObjectIdentifier: @Sendable () -> PlayerMemory?] = [:]
        /// The last warning about memory, and what it released.
        var lastWarning: WarningRecord?
        /// The figures that ``memoryStatus`` returned last.
        var memoryStatus: MemoryStatus?
        /// The functions that are called after ``memoryBudget`` may have changed, by their owners.
        var budgetHandlers: [ObjectIdentifier: @Sendable () -> Void] = [:]

        /// The role of the program: assigned by the compositor, or by the same rule without one. A program that knows
        /// nothing about its sound counts as audible.
        var currentRole: ApplicationRole {
            assignedRole
                ?? ApplicationRole(
                    ProgramRole(
                        presence: windows.presence, isFloating: !windows.floatingPictures.isEmpty, isAudible: true))
        }
    }

    let state = Monitor(State())
    let link: CompositorLink
    /// The value by which the kernel chooses the process that it ends, which the compositor changes.
    private let ownScore = OwnOutOfMemoryScore()
    /// The queue on which caches release memory.
    let memoryQueue = DispatchQueue(label: "memory", qos: .utility)

    init(link: CompositorLink) {
        self.link = link
        link.setProgramHandler { [weak self] event in
            switch event {
            case .role(let role): self?.change { $0.assignedRole = ApplicationRole(role) }
            case .memoryPressure(let level): self?.handle(level)
            case .memoryReportRequested: self?.reportMemory()
            case .exitRequested: Self.postExitRequest()
            case .lost:
                self?.ownScore.restore()
                self?.change { $0.assignedRole = nil }
                self?.handle(nil)
            }
        }
        // A program without windows reports that, too.
        link.setPresence(ProgramWindows().presence)
    }

    /// The program's present role.
    public var role: ApplicationRole { state.withLock { $0.currentRole } }

    /// The present role, and each later one. The sequence does not end; a slow reader misses all but the newest role.
    public var roles: AsyncStream<ApplicationRole> {
        let (stream, continuation) = AsyncStream<ApplicationRole>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            defer { state.nextFollower += 1 }
            state.followers[state.nextFollower] = continuation
            continuation.yield(state.currentRole)
            return state.nextFollower
        }
        continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.followers[number] = nil } }
        return stream
    }

    // MARK: Windows

    /// Changes what is known of one of the program's windows.
    package func changeWindow(_ window: ObjectIdentifier, _ body: (inout ProgramWindows.Window) -> Void) {
        change { body(&$0.windows.windows[window, default: ProgramWindows.Window()]) }
    }

    /// Forgets a window that was closed.
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
        // The lock is held while the change is published, so that followers receive roles in order. The functions
        // that are called here do not wait.
        let (handlers, reduction) = state.withLock { state -> ([@Sendable () -> Void], MemoryReduction?) in
            let oldPresence = state.windows.presence, old = state.role
            body(&state)
            let presence = state.windows.presence, new = state.currentRole
            if presence != oldPresence { link.setPresence(presence) }
            guard new != old else { return ([], nil) }
            state.role = new
            for follower in state.followers.values { follower.yield(new) }
            DispatchQueue.main.async { Self.post(from: old, to: new) }
            let reduction = new < old ? MemoryReduction(role: new, pressure: state.memoryPressure) : nil
            return (Array(state.budgetHandlers.values), reduction)
        }
        for handler in handlers { handler() }
        if let reduction { releaseMemory(reduction) }
    }

    /// Posts the notifications of a change.
    private static func post(from old: ApplicationRole, to new: ApplicationRole) {
        let center = NotificationCenter.default
        for event in ApplicationEvent.steps(from: old, to: new) {
            let name =
                switch event {
                case .willResignActive: willResignActiveNotification
                case .didEnterBackground: didEnterBackgroundNotification
                case .willEnterForeground: willEnterForegroundNotification
                case .didBecomeActive: didBecomeActiveNotification
                }
            center.post(name: name, object: shared)
        }
        center.post(name: roleDidChangeNotification, object: shared)
    }
}
