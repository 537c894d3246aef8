import Dispatch
import SystemCalls

/// What ``Player/addPeriodicTimeObserver(forInterval:queue:using:)`` and its like give, for
/// ``Player/removeTimeObserver(_:)``. Any thread.
public final class TimeObserver: Sendable {
    private struct State {
        var schedule: TimeObserverSchedule
        var isRemoved = false
        /// A call is on its way: those that come due meanwhile are one with it.
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

    /// Tells it where playing is. The player's thread.
    ///
    /// - Returns: the moment at which it wants to be told again.
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
