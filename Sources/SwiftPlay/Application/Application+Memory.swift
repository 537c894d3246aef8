import CompositorProtocol
import Dispatch
import Foundation
import SystemCalls

/// Shortage of memory.
extension Application {
    /// Posted on the main queue when memory is short, and again every 10 s (`warning`) or 2 s (`critical`) while it
    /// stays short (UIApplication.didReceiveMemoryWarningNotification). ``memoryPressure`` states how short it is.
    ///
    /// Release caches as a whole. Do not search them for parts to release: reading memory that the kernel has swapped
    /// out needs more memory first.
    public static let didReceiveMemoryWarningNotification = Notification.Name(
        "SwiftPlayApplicationDidReceiveMemoryWarning")

    /// How short memory is, as the compositor process has reported; ``MemoryPressure/normal`` without a compositor.
    public var memoryPressure: MemoryPressure { state.withLock { $0.memoryPressure } }

    /// The present memory pressure, and each later report. The sequence does not end; a slow reader misses all but the
    /// newest report.
    public var memoryPressures: AsyncStream<MemoryPressure> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: MemoryPressure.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            defer { state.nextFollower += 1 }
            state.pressureFollowers[state.nextFollower] = continuation
            continuation.yield(state.memoryPressure)
            return state.nextFollower
        }
        continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.pressureFollowers[number] = nil } }
        return stream
    }

    /// The limits of the memory of the program's players at the moment.
    var memoryBudget: MemoryBudget {
        state.withLock { MemoryBudget(role: $0.currentRole, pressure: $0.memoryPressure) }
    }

    /// Handles a report of the compositor; nil after the connection was lost.
    func handle(_ level: MemoryPressureLevel?, now: Int64 = MonotonicTime.now) {
        let (handlers, reduction) = state.withLock { state -> ([@Sendable () -> Void], MemoryReduction?) in
            let new = level.map(MemoryPressure.init) ?? .normal, old = state.memoryPressure
            state.memoryPressure = new
            let isWarning = state.warningFilter.accepts(new, now: now)
            guard isWarning || new != old else { return ([], nil) }
            for follower in state.pressureFollowers.values { follower.yield(new) }
            if isWarning {
                DispatchQueue.main.async {
                    NotificationCenter.default.post(name: Self.didReceiveMemoryWarningNotification, object: Self.shared)
                }
            }
            let reduction = isWarning ? MemoryReduction(role: state.currentRole, pressure: new) : nil
            return (Array(state.budgetHandlers.values), reduction)
        }
        for handler in handlers { handler() }
        if let reduction { releaseMemory(reduction, after: level) }
    }

    /// Sets the function that is called after ``memoryBudget`` may have changed, on the thread that learns of it; nil
    /// removes it.
    package func setBudgetHandler(_ owner: AnyObject, _ handler: (@Sendable () -> Void)?) {
        state.withLock { $0.budgetHandlers[ObjectIdentifier(owner)] = handler }
    }
}
