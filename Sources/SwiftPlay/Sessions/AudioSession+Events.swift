import AudioOutput
import AudioPolicy
import CompositorProtocol
import Dispatch
import SystemCalls

/// The handling of the compositor's reports, on the thread "compositor".
extension AudioSession {
    /// Handles an event of the connection to the compositor.
    func handle(_ event: CompositorLink.AudioEvent) {
        switch event {
        case .opened: handleOpenedConnection()
        case .unavailable: handleUnavailableCompositor()
        case .refused: handleRefusal()
        case .lost, .report(.reset): handleConnectionLoss()
        case .report(let report): handle(report)
        }
    }

    /// Handles a report of the compositor about this session, the route or other programs.
    private func handle(_ report: AudioReport) {
        switch report {
        case .activated(let othersSilentAt, let othersDuckedAt):
            state.update { $0.grantedState.activate(duckedAt: othersDuckedAt) }
            completeRequest(.granted(othersSilentAt: othersSilentAt, othersDuckedAt: othersDuckedAt))
        case .refused(let code): completeRequest(.failed(code))
        case .done(let code): completeRequest(code.map { .failed($0) } ?? .done)
        case .properties(let properties):
            state.update { $0.grantedState.properties = properties }
            notifyNowPlaying()
        case .notice(.began(let reason)):
            state.update { $0.grantedState.interrupt() }
            notify(.interruptionBegan(reason: InterruptionReason(reason)), .interrupted)
        case .notice(.ended(let shouldResume)):
            state.update { $0.grantedState.endInterruption() }
            notify(.interruptionEnded(shouldResume: shouldResume), .interruptionEnded(shouldResume: shouldResume))
        case .notice(.silenceSecondaryAudioHint(let begins)): notify(.silenceSecondaryAudioHint(begins: begins))
        case .route(let route): setRoute(route)
        case .routeChange(let change): handle(change)
        case .outputOverride(let outcome): completeOutputRequest(outcome)
        case .reset: break
        }
    }

    /// Notifies the watcher of the now playing state, on the session's queue. The watcher receives the changes in
    /// order, and never the same value twice in a row.
    func notifyNowPlaying() {
        queue.async { [self] in
            let (watcher, isNowPlaying) = state.update { state in
                let isNowPlaying = state.grantedState.properties.isNowPlaying
                return (state.observers.takeWatcher(of: isNowPlaying), isNowPlaying)
            }
            watcher?(isNowPlaying)
        }
    }

    /// Sets the watcher of the now playing state. It replaces an earlier watcher.
    ///
    /// - Parameter watcher: Called on the session's queue when this program becomes the now playing program, and when
    ///   it no longer is.
    package func watchNowPlaying(_ watcher: @escaping @Sendable (Bool) -> Void) {
        state.update { $0.observers.watchNowPlaying(watcher) }
        notifyNowPlaying()
    }

    /// Passes the compositor's answer to the oldest request that was sent.
    private func completeRequest(_ reply: Reply) {
        let request: PendingRequest? = state.update { state in
            guard let request = state.requests.takePendingRequest() else { return nil }
            switch request.request {
            case .deactivate: state.grantedState.deactivate()
            // Set the category now: observers of notifications that follow this answer must read the new category.
            case .configure(let configuration):
                if case .granted = reply { state.requestedState.configuration = configuration }
            default: break
            }
            return request
        }
        request?.reply(reply)
    }

    // MARK: The connection

    /// Sends the configuration and the waiting requests, because the compositor now serves this process.
    private func handleOpenedConnection() {
        let wasCompositorUnavailable = state.update { state in
            // The compositor reports the state of other programs before it answers the first request. Therefore that
            // state is known once the answer arrives.
            let firstRequest = PendingRequest(request: .configure(state.requestedState.configuration)) {
                [weak self] _ in
                self?.state.update { $0.requests.hasFirstReport = true }
            }
            let (waitingRequests, wasCompositorUnavailable) = state.requests.open(with: firstRequest)
            let runningRequests: [AudioRequest] = state.users.isRunning ? [.running(true)] : []
            let requests = [firstRequest.request] + state.requestedState.nonDefaultRequests + waitingRequests
            for request in requests + runningRequests { send(request) }
            return wasCompositorUnavailable
        }
        if wasCompositorUnavailable { notifyReset() }
    }

    /// The delay with which programs other than the now playing program are notified of a reset, in milliseconds.
    private static let resetDelayMilliseconds = 200

    /// Notifies observers of the reset. If another program was the now playing program, the notification is delayed, so
    /// that this program does not interrupt the other program when all programs activate their sessions again.
    private func notifyReset() {
        let (hasPriority, lossCount) = state.update { ($0.requests.takeResetPriority(), $0.requests.lossCount) }
        if hasPriority { return notify(.mediaServicesWereReset, .reset) }
        queue.asyncAfter(deadline: .now() + .milliseconds(Self.resetDelayMilliseconds)) { [self] in
            // If the compositor was lost again meanwhile, skip this notification: another one follows the newer loss.
            if state.withLock({ $0.requests.lossCount == lossCount }) { notify(.mediaServicesWereReset, .reset) }
        }
    }

    /// Handles the absence of a compositor: grants the pending requests in this process.
    func handleUnavailableCompositor() {
        let (replies, wasLost) = state.update { state in
            let (requests, wasLost) = state.requests.recordUnavailableCompositor()
            (state.grantedState.properties, state.output.route) = (AudioArbiter.Properties(), nil)
            return (requests.map { ($0, grantLocally($0.request, &state)) }, wasLost)
        }
        cancelOutputRequests()
        notifyNowPlaying()
        for (request, reply) in replies { request.reply(reply) }
        if wasLost { notify(.mediaServicesWereReset, .reset) }
    }

    /// Handles a refusal by the compositor: the pending requests fail. ``CompositorLink`` tries to connect again after
    /// a while. If there was no connection yet, the next request connects at once.
    private func handleRefusal() {
        let (requests, wereGrantedLocally) = state.update { state in
            let (requests, wereGrantedLocally) = state.requests.recordRefusal()
            // A compositor runs again, so activations that this process has granted itself are no longer valid.
            if wereGrantedLocally {
                state.grantedState.deactivate()
                state.grantedState.properties = AudioArbiter.Properties()
            }
            return (requests, wereGrantedLocally)
        }
        for request in requests { request.reply(.failed(.mediaServicesFailed)) }
        guard wereGrantedLocally else { return }
        notifyNowPlaying()
        // As after a loss without other programs, playback continues until a compositor serves this process.
        notify(.mediaServicesWereLost, .lost(isSilenced: false))
    }

    /// Handles the loss of the compositor. If other programs had active or interrupted sessions, this program is silent
    /// until a compositor serves it again, because otherwise all programs would be heard at the same time. Without
    /// sessions of other programs, this program continues to play.
    private func handleConnectionLoss() {
        let lostState: (requests: [PendingRequest], hadOtherSessions: Bool)? = state.update { state in
            let properties = state.grantedState.properties
            guard let requests = state.requests.recordConnectionLoss(isNowPlaying: properties.isNowPlaying) else {
                return nil
            }
            // Keep category, mode and options: the next compositor receives them.
            state.grantedState.deactivate()
            state.grantedState.properties = AudioArbiter.Properties()
            return (requests, properties.isOtherAudioAudible)
        }
        // The connection was lost before the session was open: there is no state to discard.
        guard let (requests, hadOtherSessions) = lostState else { return reopenConnection() }
        cancelOutputRequests()
        notifyNowPlaying()
        if hadOtherSessions { gain?.setGate(isOpen: false, milliseconds: AudioArbiter.Fade.interruption) }
        for request in requests { request.reply(.lost) }
        notify(.mediaServicesWereLost, .lost(isSilenced: hadOtherSessions))
        reopenConnection()
    }

    /// Opens the connection again, unless the compositor crashes repeatedly.
    private func reopenConnection() {
        guard !link.isCrashLooping else { return handleUnavailableCompositor() }
        link.reopenAudioSession()
    }

    // MARK: Observers

    /// Notifies the players at once, then the observers. After a reset the observers are notified first, so that the
    /// program can configure its session before the players activate the session.
    func notify(_ notification: Notification, _ event: PlayerAudioSession.Event? = nil) {
        if let event, notification != .mediaServicesWereReset { notifyPlayers(event) }
        queue.async { [self] in
            for observer in state.withLock({ $0.observers.allNotificationObservers }) { observer(notification) }
            if let event, notification == .mediaServicesWereReset { notifyPlayers(event) }
        }
    }

    /// Calls the handlers of all players in this process.
    private func notifyPlayers(_ event: PlayerAudioSession.Event) {
        for player in state.withLock({ $0.users.allPlayers }) { player.handler(event) }
    }

    /// Adds an observer of notifications.
    ///
    /// - Parameter observer: Called with each notification, in order, on a serial queue of the library. The observer
    ///   may read and change this session.
    /// - Returns: A number for ``removeObserver(_:)``.
    @discardableResult
    public func addObserver(_ observer: @escaping @Sendable (Notification) -> Void) -> UInt64 {
        state.update { $0.observers.add(observer) }
    }

    /// Removes an observer. It may still receive notifications that are under way.
    ///
    /// - Parameter number: The number that ``addObserver(_:)`` returned.
    public func removeObserver(_ number: UInt64) { state.update { $0.observers.remove(number) } }

    /// The notifications from now on. The sequence keeps the newest 64 notifications for a slow reader.
    public var notifications: AsyncStream<Notification> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Notification.self, bufferingPolicy: .bufferingNewest(64))
        let observerNumber = addObserver { continuation.yield($0) }
        continuation.onTermination = { [weak self] _ in self?.removeObserver(observerNumber) }
        return stream
    }
}

extension AudioSession.InterruptionReason {
    /// Creates the public reason for a reason of the compositor's arbiter.
    init(_ reason: AudioArbiter.Reason) {
        self =
            switch reason {
            case .default: .default
            case .appWasSuspended: .appWasSuspended
            case .routeDisconnected: .routeDisconnected
            }
    }
}
