import SystemCalls

/// The opening of a device on a thread of its own, so that a sound server that does not answer blocks nothing else.
package final class RendererOpening: Sendable {
    package typealias Outcome = Result<AudioRenderer, any Error>

    /// The event that is readable when there is a result.
    package let done: EventDescriptor
    package let wanted: AudioFormat

    private enum State {
        case underWay
        case over(Outcome)
        /// Whether the result was taken or is not needed any more.
        case left
    }
    private let state = Monitor(State.underWay)
    private let thread: NamedThread

    /// Starts to open. A renderer that uses the device is closed first, because the device may permit only one user.
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

    /// Returns the result once; nil while it is under way.
    package func take() -> Outcome? {
        let outcome: Outcome? = state.withLock { state in
            guard case .over(let outcome) = state else { return nil }
            state = .left
            return outcome
        }
        if outcome != nil { thread.join() }
        return outcome
    }

    /// Cancels: closes an open device. A device that opens later is closed by the thread, which is left behind.
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
