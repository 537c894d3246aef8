import CompositorProtocol
import Dispatch
import SystemCalls

/// The memory pressure, warnings about it, and the memory limits of the program's players.
extension Application {
    /// The memory pressure that the compositor process reported last; ``MemoryPressure/normal`` without a compositor.
    public var memoryPressure: MemoryPressure { state.withLock { $0.memoryPressure } }

    /// The present memory pressure, and each later report. The sequence does not end; a slow reader misses all but the
    /// newest report.
    public var memoryPressures: AsyncStream<MemoryPressure> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: MemoryPressure.self, bufferingPolicy: .bufferingNewest(1))
        let streamNumber = state.withLock { state in
            defer { state.nextStreamNumber += 1 }
            state.memoryPressureStreams[state.nextStreamNumber] = continuation
            continuation.yield(state.memoryPressure)
            return state.nextStreamNumber
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.memoryPressureStreams[streamNumber] = nil }
        }
        return stream
    }

    /// The limits of the memory of the program's players at the moment.
    var memoryBudget: MemoryBudget {
        state.withLock { MemoryBudget(role: $0.currentRole, pressure: $0.memoryPressure) }
    }

    /// The parts of the state that a report of memory pressure concerns.
    private struct MemoryPressureReport {
        /// Whether the program must be notified of a warning.
        let isWarning: Bool
        let role: ApplicationRole
        let streams: [UInt64: AsyncStream<MemoryPressure>.Continuation]
        let budgetHandlers: [ObjectIdentifier: @Sendable () -> Void]
    }

    /// Handles the memory pressure that the compositor reports; nil after the connection was lost. Called only on the
    /// thread "compositor".
    func handleMemoryPressure(_ level: MemoryPressureLevel?, now: Int64 = MonotonicTime.now) {
        let newPressure = level.map(MemoryPressure.init) ?? .normal
        let report = state.withLock { state -> MemoryPressureReport? in
            let oldPressure = state.memoryPressure
            state.memoryPressure = newPressure
            let isWarning = state.warningFilter.accepts(newPressure, now: now)
            guard isWarning || newPressure != oldPressure else { return nil }
            return MemoryPressureReport(
                isWarning: isWarning, role: state.currentRole, streams: state.memoryPressureStreams,
                budgetHandlers: state.budgetHandlers)
        }
        guard let report else { return }
        // Publish without the lock, because that takes long. The order of reports is kept, because only
        // one thread calls this method.
        for stream in report.streams.values { stream.yield(newPressure) }
        if report.isWarning { Self.postNotifications(of: [.didReceiveMemoryWarning]) }
        for handler in report.budgetHandlers.values { handler() }
        if report.isWarning, let reduction = MemoryReduction(role: report.role, pressure: newPressure) {
            releaseMemory(reduction, after: level)
        }
    }

    /// Sets the function that is called after ``memoryBudget`` may have changed, on the thread that made the change;
    /// nil removes the function.
    package func setBudgetHandler(_ owner: AnyObject, _ handler: (@Sendable () -> Void)?) {
        state.withLock { $0.budgetHandlers[ObjectIdentifier(owner)] = handler }
    }
}
