import SystemCalls

/// Opens a device on a separate thread, so that a sound server that does not respond blocks no other work.
package final class AsyncDeviceOpener: Sendable {
    /// The opened device, or the reason why it could not be opened.
    package typealias Outcome = Result<AudioRenderer, any Error>

    /// The event descriptor that becomes readable when the device is open or opening has failed.
    package let completionEvent: EventDescriptor
    /// The format that was requested; the opened device may use another.
    package let requestedFormat: AudioFormat

    /// The progress of opening the device, and whether the result was returned.
    private enum State {
        /// The thread is still opening the device.
        case opening
        /// The result is ready, but ``takeOutcome()`` has not returned it yet.
        case finished(Outcome)
        /// ``takeOutcome()`` has returned the result, or ``abandon()`` was called: the opener is no longer in use.
        case closed
    }
    private let state = Monitor(State.opening)
    private let thread: NamedThread

    /// Starts a thread that opens the device.
    ///
    /// - Parameter previousRenderer: A renderer that still uses the device. The opener closes it first, because the
    ///   device may permit only one user.
    package init(
        backend: AudioBackend, requested: AudioFormat, channels: ChannelChoice, period: Int64? = nil, name: String,
        session: SharedGainPage? = nil,
        after previousRenderer: AudioRenderer? = nil
    ) throws(SystemCallError) {
        completionEvent = try EventDescriptor()
        self.requestedFormat = requested
        let (state, completionEvent) = (state, completionEvent)
        thread = try NamedThread("sound open") {
            previousRenderer?.close()
            let isStillNeeded = state.withLock { if case .closed = $0 { false } else { true } }
            guard isStillNeeded else { return }
            let outcome = Outcome {
                try AudioRenderer(
                    backend: backend, requested: requested, channels: channels, period: period, name: name,
                    session: session)
            }
            let wasAbandoned = state.update { state in
                if case .closed = state { return true }
                state = .finished(outcome)
                return false
            }
            if wasAbandoned, case .success(let renderer) = outcome { renderer.close() }
            completionEvent.signal()
        }
    }

    deinit { abandon() }

    /// Returns the result once. Returns nil while the device is being opened, and after the result was returned.
    package func takeOutcome() -> Outcome? {
        let outcome: Outcome? = state.withLock { state in
            guard case .finished(let outcome) = state else { return nil }
            state = .closed
            return outcome
        }
        if outcome != nil { thread.join() }
        return outcome
    }

    /// Cancels opening. If the device is already open, closes it; otherwise the detached thread closes the device after
    /// opening it.
    package func abandon() {
        // Read and replace the state in one step under the lock, so that opening cannot finish in between.
        let previousState = state.withLock { state in
            defer { state = .closed }
            return state
        }
        switch previousState {
        case .opening: thread.detach()
        case .finished(let outcome):
            thread.join()
            if case .success(let renderer) = outcome { renderer.close() }
        case .closed: break
        }
    }
}
