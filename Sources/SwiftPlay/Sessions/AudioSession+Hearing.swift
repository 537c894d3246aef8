import AudioOutput
import AudioPolicy
import CompositorProtocol
import Dispatch
import SystemCalls

/// The compositor's reports. On the connection's thread.
extension AudioSession {
    func hear(_ event: CompositorLink.AudioEvent) {
        switch event {
        case .opened: opened()
        case .unavailable: becomeAlone()
        case .refused: refuse()
        case .lost, .report(.reset): lose()
        case .report(let report): hear(report)
        }
    }

    private func hear(_ report: AudioReport) {
        switch report {
        case .activated(let quietAt, let duckedAt):
            state.update { ($0.isActive, $0.isInterrupted, $0.duckCompleteTime) = (true, false, duckedAt) }
            settleQuestion(.granted(quietAt: quietAt, duckedAt: duckedAt))
        case .refused(let code): settleQuestion(.failed(code))
        case .done(let code): settleQuestion(code.map { .failed($0) } ?? .done)
        case .properties(let properties):
            state.update { $0.properties = properties }
            tellNowPlaying()
        case .notice(.began(let reason)):
            state.update { ($0.isActive, $0.isInterrupted) = (false, true) }
            tell(.interruptionBegan(reason: InterruptionReason(reason)), .interrupted)
        case .notice(.ended(let resumes)):
            state.update { $0.isInterrupted = false }
            tell(.interruptionEnded(shouldResume: resumes), .freed(shouldResume: resumes))
        case .notice(.hint(let begins)): tell(.silenceSecondaryAudioHint(begins: begins))
        case .route(let route): setRoute(route)
        case .routeChange(let change): hear(change)
        case .outputOverride(let outcome): outputAnswered(outcome)
        case .reset: break
        }
    }

    /// Notifies the watcher on the queue: it receives changes in their order, and no value twice in a row.
    func tellNowPlaying() {
        queue.async { [self] in
            let (watcher, isIt) = state.update { state in
                let isIt = state.properties.isNowPlaying
                defer { state.toldNowPlaying = isIt }
                return (state.toldNowPlaying == isIt ? nil : state.nowPlayingWatcher, isIt)
            }
            watcher?(isIt)
        }
    }

    /// Calls `watcher` on the session's queue when this program becomes the one that the user listens to, and when it
    /// ceases to be. A process has one watcher: a new one takes the old one's place.
    package func watchNowPlaying(_ watcher: @escaping @Sendable (Bool) -> Void) {
        state.update { ($0.nowPlayingWatcher, $0.toldNowPlaying) = (watcher, false) }
        tellNowPlaying()
    }

    /// Answers the oldest question that was sent.
    private func settleQuestion(_ answer: Answer) {
        let question: Question? = state.update { state in
            guard !state.asked.isEmpty else { return nil }
            let question = state.asked.removeFirst()
            switch question.request {
            case .deactivate: (state.isActive, state.isInterrupted) = (false, false)
            // Notifications that follow the answer find the new category.
            case .configure(let new): if case .granted = answer { state.configuration = new }
            default: break
            }
            return question
        }
        question?.answer(answer)
    }

    // MARK: the connection

    private func opened() {
        let wasLost = state.update { state in
            defer { state.connection = .open }
            send(.configure(state.configuration))
            // The compositor reports the other programs' sessions before it answers this.
            state.asked.append(Question(request: .configure(state.configuration)) { [weak self] _ in
                self?.state.update { $0.isAcquainted = true }
            })
            if state.presence != .foreground { send(.presence(state.presence)) }
            if state.prefersNoInterruptions { send(.prefersNoInterruptions(true)) }
            if !state.prefersInterruptionOnRouteDisconnect { send(.prefersInterruptionOnRouteDisconnect(false)) }
            for question in state.waiting {
                state.asked.append(question)
                send(question.request)
            }
            state.waiting = []
            if state.isRunning { send(.running(true)) }
            return state.connection != .none
        }
        if wasLost { tellReset() }
    }

    /// Milliseconds by which the program that the user listens to is ahead of all others after a reset.
    private static let headStart = 200

    /// Notifies of the reset: at once where the user listened to this program, and a moment later elsewhere, so that the programs that come
    /// back at the same time do not interrupt it.
    private func tellReset() {
        let (isFirst, losses) = state.update { state in
            defer { state.hasHeadStart = false }
            return (state.hasHeadStart, state.losses)
        }
        if isFirst { return tell(.mediaServicesWereReset, .reset) }
        queue.asyncAfter(deadline: .now() + .milliseconds(Self.headStart)) { [self] in
            // After another loss its own reset follows.
            if state.withLock({ $0.losses == losses }) { tell(.mediaServicesWereReset, .reset) }
        }
    }

    /// There is no compositor: the rules hold in this process alone.
    func becomeAlone() {
        let (answers, wasLost) = state.update { state in
            let wasLost = state.connection == .lost
            (state.connection, state.isAcquainted) = (.unavailable, true)
            // Known of a compositor that is gone for good: it does not count when another one is there.
            state.hasHeadStart = false
            (state.properties, state.route) = (AudioArbiter.Properties(), nil)
            let answers = (state.asked + state.waiting).map { ($0, grantHere($0.request, &state)) }
            (state.asked, state.waiting) = ([], [])
            return (answers, wasLost)
        }
        dropOutputRequests()
        tellNowPlaying()
        for (question, answer) in answers { question.answer(answer) }
        if wasLost { tell(.mediaServicesWereReset, .reset) }
    }

    /// A compositor is there and does not serve this process: what was asked fails, and nothing is granted here. The next
    /// question, or the link by itself, asks the compositor again.
    private func refuse() {
        let (questions, wasAlone) = state.update { state in
            if state.connection == .none { state.isAsked = false }
            // The rules do not hold in this process alone any longer.
            let wasAlone = state.connection == .unavailable
            if wasAlone {
                (state.connection, state.isActive, state.isInterrupted) = (.lost, false, false)
                state.properties = AudioArbiter.Properties()
            }
            state.isAcquainted = true
            defer { (state.asked, state.waiting) = ([], []) }
            return (state.asked + state.waiting, wasAlone)
        }
        for question in questions { question.answer(.failed(.mediaServicesFailed)) }
        guard wasAlone else { return }
        tellNowPlaying()
        // As after a loss without other programs: what plays plays on until the compositor serves this process.
        tell(.mediaServicesWereLost, .lost(isSilenced: false))
    }

    /// The compositor is gone (decision D-10). If other programs had claims, this one is silent until there is a compositor
    /// again: all of them would be heard at once. Without other programs it plays on.
    private func lose() {
        let (questions, hadCompany, wasOpen) = state.update { state in
            let wasOpen = state.connection == .open
            let questions = state.asked
            // Category, mode and options stay: this object configures the next compositor with them.
            if wasOpen {
                state.losses += 1
                state.hasHeadStart = state.hasHeadStart || state.properties.isNowPlaying
                (state.connection, state.isActive, state.isInterrupted, state.asked) = (.lost, false, false, [])
            }
            return (questions, state.properties.hasCompany, wasOpen)
        }
        // The connection was lost before the session was open on it.
        guard wasOpen else { return openAgain() }
        state.update { $0.properties = AudioArbiter.Properties() }
        dropOutputRequests()
        tellNowPlaying()
        if hadCompany { gain?.setGate(isOpen: false, milliseconds: AudioArbiter.Fade.interruption) }
        for question in questions { question.answer(.lost) }
        tell(.mediaServicesWereLost, .lost(isSilenced: hadCompany))
        openAgain()
    }

    private func openAgain() {
        guard !link.isHopeless else { return becomeAlone() }
        link.reopenAudio()
    }

    // MARK: observers

    /// Notifies players at once and then observers. After a reset observers come first: the program may configure its
    /// session again before its players activate it.
    func tell(_ notification: Notification, _ event: PlayerClaim.Event? = nil) {
        if let event, notification != .mediaServicesWereReset { tellPlayers(event) }
        queue.async { [self] in
            for observer in state.withLock({ $0.observers.sorted { $0.key < $1.key }.map(\.value) }) { observer(notification) }
            if let event, notification == .mediaServicesWereReset { tellPlayers(event) }
        }
    }

    private func tellPlayers(_ event: PlayerClaim.Event) {
        for player in state.withLock({ $0.players.sorted { $0.key < $1.key }.map(\.value) }) { player.hear(event) }
    }

    /// Calls `observer` with each notification, in order, until ``removeObserver(_:)``.
    ///
    /// - Parameter observer: called on a serial queue of the library; it may read and change this session.
    /// - Returns: the observer's number, for ``removeObserver(_:)``.
    @discardableResult
    public func addObserver(_ observer: @escaping @Sendable (Notification) -> Void) -> UInt64 {
        state.update { state in
            defer { state.next += 1 }
            state.observers[state.next] = observer
            return state.next
        }
    }

    /// Removes an observer. Notifications that are under way may still reach it.
    public func removeObserver(_ number: UInt64) { state.update { _ = $0.observers.removeValue(forKey: number) } }

    /// All notifications from now on; a reader that falls behind loses the oldest beyond 64.
    public var notifications: AsyncStream<Notification> {
        let (stream, continuation) = AsyncStream.makeStream(of: Notification.self, bufferingPolicy: .bufferingNewest(64))
        let number = addObserver { continuation.yield($0) }
        continuation.onTermination = { [weak self] _ in self?.removeObserver(number) }
        return stream
    }
}

extension AudioSession.InterruptionReason {
    init(_ reason: AudioArbiter.Reason) {
        self = switch reason {
        case .default: .default
        case .appWasSuspended: .appWasSuspended
        case .routeDisconnected: .routeDisconnected
        }
    }
}
