import SystemCalls

/// A one-time scan of the available sound cards, on a separate thread: ALSA's configuration may query a sound server
/// that does not respond.
final class AudioCardScan: Sendable {
    /// The sound server and the cards that the scan found.
    struct Outcome: Sendable {
        /// The sound server behind ALSA's device `default`; nil if `default` is a card.
        var server: String?
        /// The open ALSA controls of the cards; the default card is first.
        var controls: [CardControlMonitor] = []
    }

    /// The event descriptor that becomes readable when the outcome is available.
    let completionEvent: EventDescriptor
    /// The progress of the scan.
    private enum State {
        /// The thread is still scanning.
        case running
        /// The outcome is ready, but ``takeOutcome()`` has not returned it yet.
        case finished(Outcome)
        /// ``takeOutcome()`` has returned the outcome, or the scan object no longer exists.
        case taken
    }
    private let state = Monitor(State.running)
    private let thread: NamedThread

    init() throws(SystemCallError) {
        completionEvent = try EventDescriptor()
        let (state, completionEvent) = (state, completionEvent)
        thread = try NamedThread("sound cards") {
            let outcome = Self.scan()
            state.update { $0 = .finished(outcome) }
            completionEvent.signal()
        }
    }

    /// Opens the ALSA controls of all cards. Runs on the scan's thread.
    private static func scan() -> Outcome {
        var outcome = Outcome(server: AudioDeviceList.server)
        // Do not open a sound server's control, because the server may hang later.
        if outcome.server == nil, let monitor = try? CardControlMonitor("default") { outcome.controls.append(monitor) }
        for control in AudioDeviceList.controls {
            guard let monitor = try? CardControlMonitor(control) else { continue }
            let isDefault =
                outcome.controls.first.map {
                    $0.control == "default" && $0.cardNumber == monitor.cardNumber && $0.cardName == monitor.cardName
                } ?? false
            if !isDefault { outcome.controls.append(monitor) }
        }
        return outcome
    }

    /// Returns the outcome once. Returns nil while the scan runs, and after the outcome was returned.
    func takeOutcome() -> Outcome? {
        let outcome: Outcome? = state.update { state in
            guard case .finished(let outcome) = state else { return nil }
            state = .taken
            return outcome
        }
        if outcome != nil { thread.join() }
        return outcome
    }

    deinit {
        // Read and replace the state in one step under the lock, so that the scan cannot finish in between.
        let previousState = state.withLock { state in
            defer { state = .taken }
            return state
        }
        switch previousState {
        case .running: thread.detach()
        case .finished: thread.join()
        case .taken: break
        }
    }
}
