import AudioPolicy
import CompositorProtocol

/// The parts of a session's state, grouped by what changes together. Pure values, protected by ``AudioSession/state``.
extension AudioSession {
    struct State {
        var wanted = Wanted()
        var granted = Granted()
        var dialogue = Dialogue()
        var output = Output()
        var observers = Observers()
        var claims = Claims()
    }

    /// The settings of the program. They survive the compositor.
    struct Wanted: Equatable {
        var configuration = AudioConfiguration.initial
        var presence = AudioArbiter.Presence.foreground
        var prefersNoInterruptions = false
        var prefersInterruptionOnRouteDisconnect = true
        var allowsBackgroundPlayback = true
        var device = DevicePreferences()

        /// The settings, besides the configuration, that differ from the compositor's defaults.
        var declarations: [AudioRequest] {
            var requests: [AudioRequest] = []
            if presence != .foreground { requests.append(.presence(presence)) }
            if prefersNoInterruptions { requests.append(.prefersNoInterruptions(true)) }
            if !prefersInterruptionOnRouteDisconnect { requests.append(.prefersInterruptionOnRouteDisconnect(false)) }
            return requests
        }
    }

    /// The decisions about this session, by the compositor or, without one, by this process.
    struct Granted: Equatable {
        private(set) var isActive = false
        /// Whether the session is interrupted and may resume.
        private(set) var isInterrupted = false
        /// The host time at which other programs have reached their low volume.
        private(set) var duckCompleteTime: Int64 = 0
        var properties = AudioArbiter.Properties()

        mutating func activate(duckedAt: Int64) {
            (isActive, isInterrupted, duckCompleteTime) = (true, false, duckedAt)
        }

        /// Activates the session without a compositor, where there are no interruptions.
        mutating func activateAlone() { isActive = true }

        mutating func interrupt() { (isActive, isInterrupted) = (false, true) }
        mutating func endInterruption() { isInterrupted = false }

        /// Ends the activation before the compositor has answered.
        mutating func prepareDeactivation() { isActive = false }
        mutating func deactivate() { (isActive, isInterrupted) = (false, false) }
    }

    /// The route of this program's audio.
    struct Output {
        /// The route that the compositor reports.
        var route: AudioRoute?
        /// The route of a player with a device of its own.
        private(set) var chosenRoute: AudioRoute?
        /// The device that was opened last.
        private(set) var lastDevice: Device?
        /// The handlers of output requests, in order. They receive nil if there will be no answer.
        private var answers: [@Sendable (OutputOverrideOutcome?) -> Void] = []

        var current: AudioRoute? { chosenRoute ?? route }

        /// Changes the route of a player.
        ///
        /// - Parameter new: The route; nil for the compositor's route.
        /// - Returns: The former route.
        mutating func move(to new: AudioRoute?) -> AudioRoute? {
            defer { chosenRoute = new }
            return current
        }

        /// Records that a player has opened its device.
        ///
        /// - Returns: Whether its form differs from the last device; false for the first device.
        mutating func open(_ device: Device) -> Bool {
            defer { lastDevice = device }
            guard let old = lastDevice else { return false }
            return (old.sampleRate, old.channels, old.period) != (device.sampleRate, device.channels, device.period)
        }

        mutating func expectAnswer(_ answer: @escaping @Sendable (OutputOverrideOutcome?) -> Void) {
            answers.append(answer)
        }

        /// Returns the handler of the oldest request.
        mutating func takeAnswer() -> (@Sendable (OutputOverrideOutcome?) -> Void)? {
            answers.isEmpty ? nil : answers.removeFirst()
        }

        mutating func takeAnswers() -> [@Sendable (OutputOverrideOutcome?) -> Void] {
            defer { answers = [] }
            return answers
        }
    }

    /// The observers.
    struct Observers {
        private var observers: [UInt64: @Sendable (Notification) -> Void] = [:]
        /// The observers of the category.
        private var categoryObservers: [UInt64: @Sendable () -> Void] = [:]
        private var next: UInt64 = 0
        private var nowPlayingWatcher: (@Sendable (Bool) -> Void)?
        /// The value that the watcher received last.
        private var toldNowPlaying = false

        /// The observers, in the order in which they were added.
        var all: [@Sendable (Notification) -> Void] { observers.sorted { $0.key < $1.key }.map(\.value) }
        var ofCategory: [@Sendable () -> Void] { Array(categoryObservers.values) }

        /// Adds an observer.
        ///
        /// - Returns: A number for ``remove(_:)``.
        mutating func add(_ observer: @escaping @Sendable (Notification) -> Void) -> UInt64 {
            defer { next += 1 }
            observers[next] = observer
            return next
        }

        mutating func addOfCategory(_ observer: @escaping @Sendable () -> Void) -> UInt64 {
            defer { next += 1 }
            categoryObservers[next] = observer
            return next
        }

        mutating func remove(_ number: UInt64) { (observers[number], categoryObservers[number]) = (nil, nil) }

        /// Replaces the watcher, whose initial value is `false`.
        mutating func watchNowPlaying(_ watcher: @escaping @Sendable (Bool) -> Void) {
            (nowPlayingWatcher, toldNowPlaying) = (watcher, false)
        }

        /// Returns the watcher if this value is new for it.
        mutating func takeWatcher(of isNowPlaying: Bool) -> (@Sendable (Bool) -> Void)? {
            defer { toldNowPlaying = isNowPlaying }
            return toldNowPlaying == isNowPlaying ? nil : nowPlayingWatcher
        }
    }

    /// The users of the session: the program and its players.
    struct Claims {
        /// Whether the program activated the session, so that its players do not deactivate it.
        var isHeldByProgram = false
        private(set) var isRunning = false
        private var players: [UInt64: PlayerClaim.Claimant] = [:]
        private var next: UInt64 = 0

        /// The players, in the order in which they were added.
        var all: [PlayerClaim.Claimant] { players.sorted { $0.key < $1.key }.map(\.value) }

        subscript(number: UInt64) -> PlayerClaim.Claimant? { players[number] }

        mutating func add(_ player: PlayerClaim.Claimant) -> UInt64 {
            defer { next += 1 }
            players[next] = player
            return next
        }

        mutating func remove(_ number: UInt64) { players[number] = nil }

        mutating func setDevice(_ device: @escaping @Sendable () -> Device?, of number: UInt64) {
            players[number]?.device = device
        }

        mutating func hold(_ number: UInt64) { players[number]?.isHeld = true }
        mutating func drop(_ number: UInt64) { players[number]?.isHeld = false }

        /// Removes a player.
        ///
        /// - Returns: Whether the player used the session and no user is left.
        mutating func giveBack(_ number: UInt64) -> Bool {
            guard players[number]?.isHeld == true else { return false }
            drop(number)
            return !isHeldByProgram && !players.values.contains { $0.isHeld }
        }

        /// Records whether a player is audible.
        ///
        /// - Returns: Whether the session is running now; nil if that did not change.
        mutating func setRunning(_ isRunning: Bool, of number: UInt64) -> Bool? {
            players[number]?.isRunning = isRunning
            let isAny = players.values.contains { $0.isRunning }
            guard isAny != self.isRunning else { return nil }
            self.isRunning = isAny
            return isAny
        }
    }
}
