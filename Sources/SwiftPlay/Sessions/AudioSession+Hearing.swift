import AudioOutput
import AudioPolicy
import CompositorProtocol
import Dispatch
import SystemCalls

/// Handles the compositor's reports, on the connection's thread.
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

    /// Notifies the watcher on the queue. It receives changes in order, and never the same value twice in a row.
    func tellNowPlaying() {
        queue.async { [self] in
            let (watcher, isIt) = state.update { state in
                let isIt = state.granted.properties.isNowPlaying
                return (state.observers.takeWatcher(of: isIt), isIt)
            }
            watcher?(isIt)
        }
    }

    /// Sets the watcher of the now playing state. It replaces an earlier watcher.
    ///
    /// - Parameter watcher: Called on the session's queue when this program becomes the now playing one, and when it no
    ///   longer is.
    package func watchNowPlaying(_ watcher: @escaping @Sendable (Bool) -> Void) {
        state.update { $0.observers.watchNowPlaying(watcher) }
        tellNowPlaying()
    }

    /// Answers the oldest sent request.
    private func settleQuestion(_ answer: Answer) {
        let question: Question? = state.update { state in
            guard let question = state.dialogue.takeAsked() else { return nil }
            switch question.request {
            case .deactivate: state.granted.deactivate()
            // The category changes before the notifications that follow the answer.
            case .configure(let new): if case .granted = answer { state.wanted.configuration = new }
            default: break
            }
            return question
        }
        question?.answer(answer)
    }

    // MARK: The connection

    private func opened() {
        let wasLost = state.update { state in
            // The compositor reports the other programs' sessions before this answer.
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

    /// The head start of the now playing program after a reset, in milliseconds.
    private static let headStart = 200

    /// Notifies of the reset: the now playing program at once, other programs a moment later, so that they do not
    /// interrupt it when all return at the same time.
    private func tellReset() {
        let (isFirst, losses) = state.update { ($0.dialogue.takeHeadStart(), $0.dialogue.losses) }
        if isFirst { return tell(.mediaServicesWereReset, .reset) }
        queue.asyncAfter(deadline: .now() + .milliseconds(Self.headStart)) { [self] in
            // Another loss is followed by its own reset.
            if state.withLock({ $0.dialogue.losses == losses }) { tell(.mediaServicesWereReset, .reset) }
        }
    }

    /// Handles the absence of a compositor: the rules apply in this process only.
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

    /// Handles a refusal by the compositor: requests fail and are not granted in this process. The next request, or the
    /// link itself, tries again.
    private func refuse() {
        let (questions, wasAlone) = state.update { state in
            let (questions, wasAlone) = state.dialogue.refuse()
            // The rules no longer apply in this process only.
            if wasAlone {
                state.granted.deactivate()
                state.granted.properties = AudioArbiter.Properties()
            }
            return (questions, wasAlone)
        }
        for question in questions { question.answer(.failed(.mediaServicesFailed)) }
        guard wasAlone else { return }
        tellNowPlaying()
        // As after a loss without other programs, playback continues until the compositor serves this process.
        tell(.mediaServicesWereLost, .lost(isSilenced: false))
    }

    /// Handles the loss of the compositor. If other programs had active sessions, this one is silent until there is a
    /// compositor again, because otherwise all would be heard at once. Without other programs it plays on.
    private func lose() {
        let lost: (questions: [Question], hadCompany: Bool)? = state.update { state in
            let properties = state.granted.properties
            guard let questions = state.dialogue.lose(isNowPlaying: properties.isNowPlaying) else { return nil }
            // Category, mode and options stay. The next compositor receives them.
            state.granted.deactivate()
            state.granted.properties = AudioArbiter.Properties()
            return (questions, properties.hasCompany)
        }
        // The connection was lost before the session was open.
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

    // MARK: Observers

    /// Notifies players at once, then observers. After a reset it notifies observers first, so that the program can
    /// configure its session before its players activate it.
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

    /// Adds an observer of notifications.
    ///
    /// - Parameter observer: Called with each notification, in order, on a serial queue of the library. It may read and
    ///   change this session.
    /// - Returns: A number for ``removeObserver(_:)``.
    @discardableResult
    public func addObserver(_ observer: @escaping @Sendable (Notification) -> Void) -> UInt64 {
        state.update { $0.observers.add(observer) }
    }

    /// Removes an observer. It may still receive notifications that are under way.
    ///
    /// - Parameter number: What ``addObserver(_:)`` returned.
    public func removeObserver(_ number: UInt64) { state.update { $0.observers.remove(number) } }

    /// The notifications from now on. The sequence keeps the newest 64 for a slow reader.
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
