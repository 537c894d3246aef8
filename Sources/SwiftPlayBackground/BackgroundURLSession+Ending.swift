import BackgroundProtocol
import Dispatch

/// The end of a session.
extension BackgroundURLSession {
    /// Takes no new transfers, and invalidates the session when all of its transfers have ended.
    public func finishTasksAndInvalidate() {
        state.withLock { $0.isInvalid = true }
        endWithTasks { _ in }
    }

    /// Cancels all transfers and invalidates the session when they have ended.
    public func invalidateAndCancel() {
        state.withLock { $0.isInvalid = true }
        endWithTasks { tasks in
            for task in tasks where task.state != .completed { task.cancel() }
        }
    }

    /// Asks the service for all transfers, also those of earlier runs. Invalidates the session when they have ended.
    ///
    /// - Parameter handleTasks: Receives the transfers.
    private func endWithTasks(_ handleTasks: @escaping @Sendable ([BackgroundSessionTask]) -> Void) {
        withKey { [self] key in
            // A session that the service has refused has ended.
            guard let key, !state.withLock({ $0.hasEnded }) else { return }
            link.perform(.list(session: key)) { [self] answer in
                guard case .success = answer else {
                    // Without the list, the session would end before its transfers.
                    return delegateQueue.asyncAfter(deadline: .now() + Self.repetitionInterval) { [self] in
                        endWithTasks(handleTasks)
                    }
                }
                handleTasks(state.withLock { $0.tasks.all })
                // The delegate handles the events that have arrived before.
                delegateQueue.async { [self] in
                    state.withLock { $0.knowsEarlierTasks = true }
                    invalidateIfDone()
                }
            }
        }
    }

    /// Invalidates the session if it takes no new transfers and all have ended.
    func invalidateIfDone() {
        let isDone = state.withLock { state in
            state.isInvalid && state.knowsEarlierTasks && !state.hasEnded && state.tasks.unanswered.isEmpty
                && state.tasks.stored.values.allSatisfy { $0.record.withLock { $0.isCompleted } }
        }
        if isDone { invalidate(nil) }
    }

    /// Ends the session, and releases its delegate after the calls that are on the delegate queue.
    func invalidate(_ error: BackgroundURLError?) {
        state.withLock { state in (state.isInvalid, state.hasEnded) = (true, true) }
        if let key = state.withLock({ $0.key }) {
            for name in ["attach \(configuration.identifier)", eventEndName] { link.removeStanding(name) }
            link.perform(.detach(session: key))
        }
        BackgroundConnection.shared.remove(self)
        delegateQueue.async { [self] in
            // Calls that were queued before this one, such as the end of the events, needed the delegate.
            let delegate = state.withLock { state in
                defer { state.delegate = nil }
                return state.delegate
            }
            delegate?.urlSession(self, didBecomeInvalidWithError: error)
        }
    }
}
