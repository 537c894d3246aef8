import SystemCalls

/// The opening of a device on a thread of its own: a sound server that does not answer holds up nobody.
package final class RendererOpening: Sendable {
    package typealias Outcome = Result<AudioRenderer, any Error>

    /// Readable when there is something to take.
    package let done: EventDescriptor
    package let wanted: AudioFormat

    private enum State {
        case underWay
        case over(Outcome)
        /// The outcome was taken, or nobody waits for it any more.
        case left
    }
    private let state = Monitor(State.underWay)
    private let thread: NamedThread

    /// Begins to open. A device that was used before is given back first: there may be but one user of it.
    package init(
        backend: AudioBackend, wanted: AudioFormat, channels: ChannelChoice, period: Int64? = nil, name: String,
        session: SessionGain? = nil,
        after old: AudioRenderer? = nil
    ) throws(SystemCallError) {
        done = try EventDescriptor()
        self.wanted = wanted
        let (state, done) = (state, done)
        thread = try NamedThread("sound open") {
            old?.close()
            let isWanted = state.withLock { if case .left = $0 { false } else { true } }
            guard isWanted else { return }
            let outcome = Outcome {
                try AudioRenderer(
                    backend: backend, wanted: wanted, channels: channels, period: period, name: name, session: session)
            }
            let isLate = state.update { state in
                if case .left = state { return true }
                state = .over(outcome)
                return false
            }
            if isLate, case .success(let renderer) = outcome { renderer.close() }
            done.signal()
        }
    }

    deinit { abandon() }

    /// What came of it; nil while it is under way. Given once.
    package func take() -> Outcome? {
        let outcome: Outcome? = state.withLock { state in
            guard case .over(let outcome) = state else { return nil }
            state = .left
            return outcome
        }
        if outcome != nil { thread.join() }
        return outcome
    }

    /// Nobody waits for it any more: what is open by now is closed, what opens later is closed by the thread, which is
    /// left behind.
    package func abandon() {
        if let outcome = take() {
            if case .success(let renderer) = outcome { renderer.close() }
            return
        }
        let isUnderWay = state.withLock { state in
            guard case .underWay = state else { return false }
            state = .left
            return true
        }
        if isUnderWay { thread.leaveBehind() }
    }
}
