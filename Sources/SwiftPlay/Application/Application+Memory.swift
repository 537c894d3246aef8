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

    /// Handles the memory pressure that the compositor reports; nil after the connection was lost.
    func handleMemoryPressure(_ level: MemoryPressureLevel?, now: Int64 = MonotonicTime.now) {
        let (handlers, reduction) = state.withLock { state -> ([@Sendable () -> Void], MemoryReduction?) in
            let newPressure = level.map(MemoryPressure.init) ?? .normal
            let oldPressure = state.memoryPressure
            state.memoryPressure = newPressure
            let isWarning = state.warningFilter.accepts(newPressure, now: now)
            guard isWarning || newPressure != oldPressure else { return ([], nil) }
            for stream in state.memoryPressureStreams.values { stream.yield(newPressure) }
            if isWarning { Self.postNotifications(of: [.didReceiveMemoryWarning]) }
            let reduction = isWarning ? MemoryReduction(role: state.currentRole, pressure: newPressure) : nil
            return (Array(state.budgetHandlers.values), reduction)
        }
        for handler in handlers { handler() }
        if let reduction { releaseMemory(reduction, after: level) }
    }

    /// Sets the function that is called after ``memoryBudget`` may have changed, on the thread that made the change;
    /// nil removes the function.
    package func setBudgetHandler(_ owner: AnyObject, _ handler: (@Sendable () -> Void)?) {
        state.withLock { $0.budgetHandlers[ObjectIdentifier(owner)] = handler }
    }
}
