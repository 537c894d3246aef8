import AudioPolicy
import CompositorProtocol

/// The parts of a session's state. They are pure values, which the lock of ``AudioSession/state`` protects.
extension AudioSession {
    /// The whole state of the process's audio session.
    struct State {
        /// The settings that the program has made.
        var requestedState = RequestedState()
        /// The decisions of the compositor, or of this process if there is no compositor.
        var grantedState = GrantedState()
        /// The state of the connection to the compositor, and the unanswered requests.
        var requests = RequestQueue()
        /// The route of the audio, and the last audio device.
        var output = Output()
        /// The observers of notifications, of the category and of the now playing state.
        var observers = Observers()
        /// The users of the session in this process.
        var users = Users()
    }

    /// The settings of the program. They stay when the compositor exits; the next compositor receives them.
    struct RequestedState: Equatable {
        /// The category, mode and options.
        var configuration = AudioConfiguration.initial
        /// Whether the program is in the foreground, in the background or in a floating window.
        var visibility = AudioArbiter.Visibility.foreground
        /// See ``AudioSession/setPrefersNoInterruptionsFromSystemAlerts(_:)``.
        var prefersNoInterruptions = false
        /// See ``AudioSession/setPrefersInterruptionOnRouteDisconnect(_:)``.
        var prefersInterruptionOnRouteDisconnect = true
        /// See ``AudioSession/setAllowsBackgroundPlayback(_:)``.
        var allowsBackgroundPlayback = true
        /// The preferred properties of the device.
        var device = DevicePreferences()

        /// One request for each setting that the compositor must know and that differs from its default. The
        /// configuration is sent separately, before these requests.
        var nonDefaultRequests: [AudioRequest] {
            var requests: [AudioRequest] = []
            if visibility != .foreground { requests.append(.visibility(visibility)) }
            if prefersNoInterruptions { requests.append(.prefersNoInterruptions(true)) }
            if !prefersInterruptionOnRouteDisconnect { requests.append(.prefersInterruptionOnRouteDisconnect(false)) }
            return requests
        }
    }

    /// The decisions about this session, by the compositor or, without a compositor, by this process.
    struct GrantedState: Equatable {
        /// Whether the program may be heard.
        private(set) var isActive = false
        /// Whether the session is interrupted and may resume.
        private(set) var isInterrupted = false
        /// The host time at which the other programs that this session lowers have reached their low volume; 0 if it
        /// lowers none.
        private(set) var duckCompleteTime: Int64 = 0
        /// The compositor's report about other programs and about the now playing program.
        var properties = AudioArbiter.Properties()

        /// Records an activation by the compositor.
        mutating func activate(duckedAt: Int64) {
            (isActive, isInterrupted, duckCompleteTime) = (true, false, duckedAt)
        }

        /// Activates the session without a compositor, where there are no interruptions.
        mutating func activateLocally() { isActive = true }

        /// Records an interruption: the session is inactive.
        mutating func interrupt() { (isActive, isInterrupted) = (false, true) }
        /// Records the end of an interruption. The session stays inactive.
        mutating func endInterruption() { isInterrupted = false }

        /// Marks the session as inactive before the compositor has answered a deactivation.
        mutating func prepareDeactivation() { isActive = false }
        /// Records a deactivation of the session.
        mutating func deactivate() { (isActive, isInterrupted) = (false, false) }
    }

    /// The route of this program's audio.
    struct Output {
        /// The route that the compositor reports.
        var route: AudioRoute?
        /// The route of a player for which the program has chosen a device; nil if there is none.
        private(set) var chosenRoute: AudioRoute?
        /// The audio device that a player opened last; nil before the first device.
        private(set) var lastDevice: Device?
        /// The handlers of requests for an output port, in order. They receive nil if there will be no answer.
        private var outputRequestHandlers: [@Sendable (OutputOverrideOutcome?) -> Void] = []

        /// The route of this program: the route of the chosen device, or else the route that the compositor reports.
        var currentRoute: AudioRoute? { chosenRoute ?? route }

        /// Records that a player has moved to another device.
        ///
        /// - Parameter newRoute: The route of the device; nil for the compositor's route.
        /// - Returns: The former route.
        mutating func move(to newRoute: AudioRoute?) -> AudioRoute? {
            defer { chosenRoute = newRoute }
            return currentRoute
        }

        /// Records that a player has opened its device.
        ///
        /// - Returns: Whether the sample rate, channels or period differ from the last device; false for the first
        ///   device.
        mutating func open(_ device: Device) -> Bool {
            defer { lastDevice = device }
            guard let lastDevice else { return false }
            return (lastDevice.sampleRate, lastDevice.channels, lastDevice.period)
                != (device.sampleRate, device.channels, device.period)
        }

        /// Adds the handler of a new request for an output port.
        mutating func addOutputRequest(_ handler: @escaping @Sendable (OutputOverrideOutcome?) -> Void) {
            outputRequestHandlers.append(handler)
        }

        /// Returns and removes the handler of the oldest request for an output port.
        mutating func takeOutputRequest() -> (@Sendable (OutputOverrideOutcome?) -> Void)? {
            outputRequestHandlers.isEmpty ? nil : outputRequestHandlers.removeFirst()
        }

        /// Returns and removes all handlers of requests for an output port.
        mutating func takeOutputRequests() -> [@Sendable (OutputOverrideOutcome?) -> Void] {
            defer { outputRequestHandlers = [] }
            return outputRequestHandlers
        }
    }

    /// The observers of the session.
    struct Observers {
        /// The observers of notifications, by their numbers.
        private var observers: [UInt64: @Sendable (Notification) -> Void] = [:]
        /// The observers of the category, by their numbers.
        private var categoryObservers: [UInt64: @Sendable () -> Void] = [:]
        /// The number that the next observer gets.
        private var nextNumber: UInt64 = 0
        /// The closure that is called when this program becomes, or ceases to be, the now playing program.
        private var nowPlayingWatcher: (@Sendable (Bool) -> Void)?
        /// The value that ``nowPlayingWatcher`` received last.
        private var wasReportedAsNowPlaying = false

        /// The observers of notifications, in the order in which they were added.
        var allNotificationObservers: [@Sendable (Notification) -> Void] {
            observers.sorted { $0.key < $1.key }.map(\.value)
        }
        /// The observers of the category, in any order.
        var allCategoryObservers: [@Sendable () -> Void] { Array(categoryObservers.values) }

        /// Adds an observer of notifications.
        ///
        /// - Returns: A number for ``remove(_:)``.
        mutating func add(_ observer: @escaping @Sendable (Notification) -> Void) -> UInt64 {
            defer { nextNumber += 1 }
            observers[nextNumber] = observer
            return nextNumber
        }

        /// Adds an observer of the category.
        mutating func addCategoryObserver(_ observer: @escaping @Sendable () -> Void) -> UInt64 {
            defer { nextNumber += 1 }
            categoryObservers[nextNumber] = observer
            return nextNumber
        }

        /// Removes an observer of notifications or of the category.
        mutating func remove(_ number: UInt64) { (observers[number], categoryObservers[number]) = (nil, nil) }

        /// Replaces the watcher of the now playing state. The new watcher is not called before this program becomes the
        /// now playing program.
        mutating func watchNowPlaying(_ watcher: @escaping @Sendable (Bool) -> Void) {
            (nowPlayingWatcher, wasReportedAsNowPlaying) = (watcher, false)
        }

        /// Records a value of the now playing state, and returns the watcher that must receive the value; nil if the
        /// watcher has received this value last.
        mutating func takeWatcher(of isNowPlaying: Bool) -> (@Sendable (Bool) -> Void)? {
            defer { wasReportedAsNowPlaying = isNowPlaying }
            return wasReportedAsNowPlaying == isNowPlaying ? nil : nowPlayingWatcher
        }
    }

    /// The users of the session: the program and its players.
    struct Users {
        /// Whether the program activated the session, so that its players do not deactivate it.
        var isActivatedByProgram = false
        /// Whether a player is audible.
        private(set) var isRunning = false
        /// The players by their numbers.
        private var players: [UInt64: PlayerAudioSession.Participant] = [:]
        /// The number that the next player gets.
        private var nextNumber: UInt64 = 0

        /// The players, in the order in which they were added.
        var allPlayers: [PlayerAudioSession.Participant] { players.sorted { $0.key < $1.key }.map(\.value) }

        /// The player with a number; nil if it was removed.
        subscript(number: UInt64) -> PlayerAudioSession.Participant? { players[number] }

        /// Adds a player and returns its number.
        mutating func add(_ player: PlayerAudioSession.Participant) -> UInt64 {
            defer { nextNumber += 1 }
            players[nextNumber] = player
            return nextNumber
        }

        /// Removes a player from the users of the session.
        mutating func remove(_ number: UInt64) { players[number] = nil }

        /// Sets the closure that returns a player's device.
        mutating func setDevice(_ device: @escaping @Sendable () -> Device?, of number: UInt64) {
            players[number]?.device = device
        }

        /// Records whether a player needs the session.
        mutating func setNeedsSession(_ needsSession: Bool, of number: UInt64) {
            players[number]?.needsSession = needsSession
        }

        /// Records that a player no longer needs the session. The player stays in the list.
        ///
        /// - Returns: Whether the player needed the session and no user is left.
        mutating func release(_ number: UInt64) -> Bool {
            guard players[number]?.needsSession == true else { return false }
            setNeedsSession(false, of: number)
            return !isActivatedByProgram && !players.values.contains { $0.needsSession }
        }

        /// Records whether a player is audible.
        ///
        /// - Returns: Whether the session is running now; nil if that did not change.
        mutating func setRunning(_ isRunning: Bool, of number: UInt64) -> Bool? {
            players[number]?.isRunning = isRunning
            let isAnyPlayerAudible = players.values.contains { $0.isRunning }
            guard isAnyPlayerAudible != self.isRunning else { return nil }
            self.isRunning = isAnyPlayerAudible
            return isAnyPlayerAudible
        }
    }
}
