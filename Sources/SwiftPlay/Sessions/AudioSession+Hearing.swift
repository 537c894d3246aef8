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
            state.update { $0.granted.activate(duckedAt: duckedAt) }
            settleQuestion(.granted(quietAt: quietAt, duckedAt: duckedAt))
        case .refused(let code): settleQuestion(.failed(code))
        case .done(let code): settleQuestion(code.map { .failed($0) } ?? .done)
        case .properties(let properties):
            state.update { $0.granted.properties = properties }
            tellNowPlaying()
        case .notice(.began(let reason)):
            state.update { $0.granted.interrupt() }
            tell(.interruptionBegan(reason: InterruptionReason(reason)), .interrupted)
        case .notice(.ended(let resumes)):
            state.update { $0.granted.endInterruption() }
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
                let isIt = state.granted.properties.isNowPlaying
                return (state.observers.takeWatcher(of: isIt), isIt)
            }
            watcher?(isIt)
        }
    }

    /// Calls `watcher` on the session's queue when this program becomes the one that the user listens to, and when it
    /// ceases to be. A process has one watcher: a new one takes the old one's place.
    package func watchNowPlaying(_ watcher: @escaping @Sendable (Bool) -> Void) {
        state.update { $0.observers.watchNowPlaying(watcher) }
        tellNowPlaying()
    }

    /// Answers the oldest question that was sent.
    private func settleQuestion(_ answer: Answer) {
        let question: Question? = state.update { state in
            guard let question = state.dialogue.takeAsked() else { return nil }
            switch question.request {
            case .deactivate: state.granted.deactivate()
            // Notifications that follow the answer find the new category.
            case .configure(let new): if case .granted = answer { state.wanted.configuration = new }
            default: break
            }
            return question
        }
        question?.answer(answer)
    }

    // MARK: the connection

    private func opened() {
        let wasLost = state.update { state in
            // The compositor reports the other programs' sessions before it answers this.
            let first = Question(request: .configure(state.wanted.configuration)) { [weak self] _ in
                self?.state.update { $0.dialogue.isAcquainted = true }
            }
            let (waiting, wasLost) = state.dialogue.open(with: first)
            let running: [AudioRequest] = state.claims.isRunning ? [.running(true)] : []
            for request in [first.request] + state.wanted.declarations + waiting + running { send(request) }
            return wasLost
        }
        if wasLost { tellReset() }
    }

    /// Milliseconds by which the program that the user listens to is ahead of all others after a reset.
    private static let headStart = 200

    /// Notifies of the reset: at once where the user listened to this program, and a moment later elsewhere, so that
    /// the programs that come back at the same time do not interrupt it.
    private func tellReset() {
        let (isFirst, losses) = state.update { ($0.dialogue.takeHeadStart(), $0.dialogue.losses) }
        if isFirst { return tell(.mediaServicesWereReset, .reset) }
        queue.asyncAfter(deadline: .now() + .milliseconds(Self.headStart)) { [self] in
            // After another loss its own reset follows.
            if state.withLock({ $0.dialogue.losses == losses }) { tell(.mediaServicesWereReset, .reset) }
        }
    }

    /// There is no compositor: the rules hold in this process alone.
    func becomeAlone() {
        let (answers, wasLost) = state.update { state in
            let (questions, wasLost) = state.dialogue.becomeAlone()
            (state.granted.properties, state.output.route) = (AudioArbiter.Properties(), nil)
            return (questions.map { ($0, grantHere($0.request, &state)) }, wasLost)
        }
        dropOutputRequests()
        tellNowPlaying()
        for (question, answer) in answers { question.answer(answer) }
        if wasLost { tell(.mediaServicesWereReset, .reset) }
    }

    /// A compositor is there and does not serve this process: what was asked fails, and nothing is granted here. The
    /// next question, or the link by itself, asks the compositor again.
    private func refuse() {
        let (questions, wasAlone) = state.update { state in
            let (questions, wasAlone) = state.dialogue.refuse()
            // The rules do not hold in this process alone any longer.
            if wasAlone {
                state.granted.deactivate()
                state.granted.properties = AudioArbiter.Properties()
            }
            return (questions, wasAlone)
        }
        for question in questions { question.answer(.failed(.mediaServicesFailed)) }
        guard wasAlone else { return }
        tellNowPlaying()
        // As after a loss without other programs: what plays plays on until the compositor serves this process.
        tell(.mediaServicesWereLost, .lost(isSilenced: false))
    }

    /// The compositor is gone (decision D-10). If other programs had claims, this one is silent until there is a
    /// compositor again: all of them would be heard at once. Without other programs it plays on.
    private func lose() {
        let lost: (questions: [Question], hadCompany: Bool)? = state.update { state in
            let properties = state.granted.properties
            guard let questions = state.dialogue.lose(isNowPlaying: properties.isNowPlaying) else { return nil }
            // Category, mode and options stay: this object configures the next compositor with them.
            state.granted.deactivate()
            state.granted.properties = AudioArbiter.Properties()
            return (questions, properties.hasCompany)
        }
        // The connection was lost before the session was open on it.
        guard let (questions, hadCompany) = lost else { return openAgain() }
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
            for observer in state.withLock({ $0.observers.all }) { observer(notification) }
            if let event, notification == .mediaServicesWereReset { tellPlayers(event) }
        }
    }

    private func tellPlayers(_ event: PlayerClaim.Event) {
        for player in state.withLock({ $0.claims.all }) { player.hear(event) }
    }

    /// Calls `observer` with each notification, in order, until ``removeObserver(_:)``.
    ///
    /// - Parameter observer: called on a serial queue of the library; it may read and change this session.
    /// - Returns: the observer's number, for ``removeObserver(_:)``.
    @discardableResult
    public func addObserver(_ observer: @escaping @Sendable (Notification) -> Void) -> UInt64 {
        state.update { $0.observers.add(observer) }
    }

    /// Removes an observer. Notifications that are under way may still reach it.
    public func removeObserver(_ number: UInt64) { state.update { $0.observers.remove(number) } }

    /// All notifications from now on; a reader that falls behind loses the oldest beyond 64.
    public var notifications: AsyncStream<Notification> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Notification.self, bufferingPolicy: .bufferingNewest(64))
        let number = addObserver { continuation.yield($0) }
        continuation.onTermination = { [weak self] _ in self?.removeObserver(number) }
        return stream
    }
}

extension AudioSession.InterruptionReason {
    init(_ reason: AudioArbiter.Reason) {
        self =
            switch reason {
            case .default: .default
            case .appWasSuspended: .appWasSuspended
            case .routeDisconnected: .routeDisconnected
            }
    }
}
