import Dispatch
import SystemCalls

/// An observer of a player's time, for ``Player/removeTimeObserver(_:)``. Any thread.
///
/// ``Player/addPeriodicTimeObserver(forInterval:queue:using:)`` and
/// ``Player/addBoundaryTimeObserver(forTimes:queue:using:)`` return it.
public final class TimeObserver: Sendable {
    private struct State {
        var schedule: TimeObserverSchedule
        var isRemoved = false
        /// Whether a call waits in the queue. Calls that become due meanwhile are merged into it.
        var isUnderway = false
    }

    private let state: Monitor<State>
    private let queue: DispatchQueue
    private let block: @Sendable (MediaTime) -> Void
    let player: ObjectIdentifier
    let number: UInt64

    init(
        schedule: TimeObserverSchedule, queue: DispatchQueue, player: ObjectIdentifier, number: UInt64,
        block: @escaping @Sendable (MediaTime) -> Void
    ) {
        state = Monitor(State(schedule: schedule))
        self.queue = queue
        self.player = player
        self.number = number
        self.block = block
    }

    /// Updates the observer with the item's time, in nanoseconds. Player thread only.
    ///
    /// - Returns: The item's time at which this must be called again; nil for none.
    func follow(_ time: Int64, _ change: Change) -> Int64? {
        let (isDue, next) = state.withLock { state -> (Bool, Int64?) in
            let isDue =
                switch change {
                case .none: state.schedule.advance(to: time)
                case .rate: state.schedule.advance(to: time) || state.schedule.noticesRate
                case .jump: state.schedule.jump(to: time)
                }
            let calls = isDue && !state.isUnderway && !state.isRemoved
            if calls { state.isUnderway = true }
            return (calls, state.schedule.next(after: time))
        }
        if isDue { queue.async { [self] in call(MediaTime(nanoseconds: time)) } }
        return next
    }

    enum Change { case none, rate, jump }

    private func call(_ time: MediaTime) {
        let isWanted = state.withLock { state in
            state.isUnderway = false
            return !state.isRemoved
        }
        if isWanted { block(time) }
    }

    func remove() { state.withLock { $0.isRemoved = true } }
}
