import AudioPolicy
import CompositorProtocol

/// The parts of a session's state; each holds what changes together. Pure values: the lock is ``AudioSession/state``'s.
extension AudioSession {
    struct State {
        var wanted = Wanted()
        var granted = Granted()
        var dialogue = Dialogue()
        var output = Output()
        var observers = Observers()
        var claims = Claims()
    }

    /// What the program has set. It outlasts the compositor.
    struct Wanted: Equatable {
        var configuration = AudioConfiguration.initial
        var presence = AudioArbiter.Presence.foreground
        var prefersNoInterruptions = false
        var prefersInterruptionOnRouteDisconnect = true
        var allowsBackgroundPlayback = true
        var device = DevicePreferences()

        /// What a compositor has to be told, besides the configuration, because it is not what the compositor assumes.
        var declarations: [AudioRequest] {
            var requests: [AudioRequest] = []
            if presence != .foreground { requests.append(.presence(presence)) }
            if prefersNoInterruptions { requests.append(.prefersNoInterruptions(true)) }
            if !prefersInterruptionOnRouteDisconnect { requests.append(.prefersInterruptionOnRouteDisconnect(false)) }
            return requests
        }
    }

    /// What was decided about this session: by the compositor, or in this process where there is none.
    struct Granted: Equatable {
        private(set) var isActive = false
        /// The claim was taken away, and it may come back.
        private(set) var isInterrupted = false
        /// Host time at which the sound of others is lowered.
        private(set) var duckCompleteTime: Int64 = 0
        var properties = AudioArbiter.Properties()

        mutating func activate(duckedAt: Int64) {
            (isActive, isInterrupted, duckCompleteTime) = (true, false, duckedAt)
        }

        /// Activates where there is no other program; interruptions are not known there.
        mutating func activateAlone() { isActive = true }

        mutating func interrupt() { (isActive, isInterrupted) = (false, true) }
        mutating func endInterruption() { isInterrupted = false }

        /// Ends the activation for those who ask, before the compositor has answered.
        mutating func prepareDeactivation() { isActive = false }
        mutating func deactivate() { (isActive, isInterrupted) = (false, false) }
    }

    /// Where this program's sound is heard.
    struct Output {
        /// Where sound is heard, as the compositor reports.
        var route: AudioRoute?
        /// The route of a player that was moved to a device of its own.
        private(set) var chosenRoute: AudioRoute?
        /// The device that was opened last.
        private(set) var lastDevice: Device?
        /// Called with the answers to requests for another output, in their order; nil: there will be none.
        private var answers: [@Sendable (OutputOverrideOutcome?) -> Void] = []

        var current: AudioRoute? { chosenRoute ?? route }

        /// - Parameter new: nil: the compositor's route counts again.
        /// - Returns: the route until now.
        mutating func move(to new: AudioRoute?) -> AudioRoute? {
            defer { chosenRoute = new }
            return current
        }

        /// Notes that a player has opened its device.
        ///
        /// - Returns: whether the device has another form than the one before it; a first device is no change.
        mutating func open(_ device: Device) -> Bool {
            defer { lastDevice = device }
            guard let old = lastDevice else { return false }
            return (old.sampleRate, old.channels, old.period) != (device.sampleRate, device.channels, device.period)
        }

        mutating func expectAnswer(_ answer: @escaping @Sendable (OutputOverrideOutcome?) -> Void) {
            answers.append(answer)
        }

        /// Returns what receives the answer to the oldest request.
        mutating func takeAnswer() -> (@Sendable (OutputOverrideOutcome?) -> Void)? {
            answers.isEmpty ? nil : answers.removeFirst()
        }

        mutating func takeAnswers() -> [@Sendable (OutputOverrideOutcome?) -> Void] {
            defer { answers = [] }
            return answers
        }
    }

    /// Who is notified.
    struct Observers {
        private var observers: [UInt64: @Sendable (Notification) -> Void] = [:]
        /// Called when the category may have changed.
        private var categoryObservers: [UInt64: @Sendable () -> Void] = [:]
        private var next: UInt64 = 0
        private var nowPlayingWatcher: (@Sendable (Bool) -> Void)?
        /// What the watcher received last.
        private var toldNowPlaying = false

        /// In the order in which they were added.
        var all: [@Sendable (Notification) -> Void] { observers.sorted { $0.key < $1.key }.map(\.value) }
        var ofCategory: [@Sendable () -> Void] { Array(categoryObservers.values) }

        /// - Returns: the observer's number, for ``remove(_:)``.
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

        /// Replaces the watcher, which begins with `false`.
        mutating func watchNowPlaying(_ watcher: @escaping @Sendable (Bool) -> Void) {
            (nowPlayingWatcher, toldNowPlaying) = (watcher, false)
        }

        /// - Returns: the watcher, if it has not received this value last.
        mutating func takeWatcher(of isNowPlaying: Bool) -> (@Sendable (Bool) -> Void)? {
            defer { toldNowPlaying = isNowPlaying }
            return toldNowPlaying == isNowPlaying ? nil : nowPlayingWatcher
        }
    }

    /// What needs the session: the program, or its players.
    struct Claims {
        /// The program activated it by itself: its players do not give it back.
        var isHeldByProgram = false
        private(set) var isRunning = false
        private var players: [UInt64: PlayerClaim.Claimant] = [:]
        private var next: UInt64 = 0

        /// In the order in which they were added.
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

        /// Ends a player's hold.
        ///
        /// - Returns: whether nothing holds the session any longer, and it was this player that did.
        mutating func giveBack(_ number: UInt64) -> Bool {
            guard players[number]?.isHeld == true else { return false }
            drop(number)
            return !isHeldByProgram && !players.values.contains { $0.isHeld }
        }

        /// Notes whether a player is heard.
        ///
        /// - Returns: whether the session is running now; nil: it is as before.
        mutating func setRunning(_ isRunning: Bool, of number: UInt64) -> Bool? {
            players[number]?.isRunning = isRunning
            let isAny = players.values.contains { $0.isRunning }
            guard isAny != self.isRunning else { return nil }
            self.isRunning = isAny
            return isAny
        }
    }
}
