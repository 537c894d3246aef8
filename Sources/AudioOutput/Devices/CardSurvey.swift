import SystemCalls

/// Looks once for what there is to be heard on, on a thread of its own: ALSA's configuration may ask a sound server
/// that does not answer.
final class CardSurvey: Sendable {
    struct Outcome: Sendable {
        /// The sound server that is ALSA's default; nil: the default is a card.
        var server: String?
        /// The default's first, if it is a card.
        var controls: [ControlWatch] = []
    }

    /// Readable when there is something to take.
    let done: EventDescriptor
    private enum State {
        case underWay
        case over(Outcome)
        case taken
    }
    private let state = Monitor(State.underWay)
    private let thread: NamedThread

    init() throws(SystemCallError) {
        done = try EventDescriptor()
        let (state, done) = (state, done)
        thread = try NamedThread("sound cards") {
            let found = Self.look()
            state.update { $0 = .over(found) }
            done.signal()
        }
    }

    private static func look() -> Outcome {
        var found = Outcome(server: AudioDeviceList.server)
        // Of a server nothing is opened: it may hang later, too.
        if found.server == nil, let watch = try? ControlWatch("default") { found.controls.append(watch) }
        for control in AudioDeviceList.controls {
            guard let watch = try? ControlWatch(control) else { continue }
            let isDefault =
                found.controls.first.map {
                    $0.control == "default" && $0.card == watch.card && $0.cardName == watch.cardName
                } ?? false
            if !isDefault { found.controls.append(watch) }
        }
        return found
    }

    /// What was found; nil while it is looked for. Given once.
    func take() -> Outcome? {
        let found: Outcome? = state.update { state in
            guard case .over(let found) = state else { return nil }
            state = .taken
            return found
        }
        if found != nil { thread.join() }
        return found
    }

    deinit {
        _ = take()
        if case .underWay = state.withLock({ $0 }) { thread.leaveBehind() }
    }
}
