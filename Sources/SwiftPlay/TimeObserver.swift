import Dispatch
import SystemCalls

/// An observer of a player's time, for ``Player/removeTimeObserver(_:)``. Safe to use from any thread.
///
/// ``Player/addPeriodicTimeObserver(forInterval:queue:using:)`` and
/// ``Player/addBoundaryTimeObserver(forTimes:queue:using:)`` return it.
public final class TimeObserver: Sendable {
    /// The mutable part of the observer.
    private struct State {
        /// The schedule of the item's times at which the block must be called.
        var schedule: TimeObserverSchedule
        /// Whether ``Player/removeTimeObserver(_:)`` was called. The block is then not called any more.
        var isRemoved = false
        /// Whether a call of the block waits in the dispatch queue. Calls that become due meanwhile are merged into it.
        var isCallPending = false
    }

    /// The schedule, and whether a call of the block waits in the dispatch queue.
    private let state: Monitor<State>
    /// The queue on which the block is called.
    private let queue: DispatchQueue
    /// The program's block, which receives the item's time.
    private let block: @Sendable (MediaTime) -> Void
    /// The identity of the player core that the observer belongs to.
    let playerIdentifier: ObjectIdentifier
    /// The number of the observer within its player.
    let number: UInt64

    init(
        schedule: TimeObserverSchedule, queue: DispatchQueue, player: ObjectIdentifier, number: UInt64,
        block: @escaping @Sendable (MediaTime) -> Void
    ) {
        state = Monitor(State(schedule: schedule))
        self.queue = queue
        playerIdentifier = player
        self.number = number
        self.block = block
    }

    /// Updates the observer with the item's time, in nanoseconds. Player thread only.
    ///
    /// - Returns: The item's time at which this method must be called again; nil if there is no such time.
    func update(_ time: Int64, _ change: Change) -> Int64? {
        let (mustCallBlock, nextTime) = state.withLock { state -> (Bool, Int64?) in
            let isDue =
                switch change {
                case .none: state.schedule.advance(to: time)
                case .rate: state.schedule.advance(to: time) || state.schedule.respondsToRateChange
                case .jump: state.schedule.jump(to: time)
                }
            let mustCallBlock = isDue && !state.isCallPending && !state.isRemoved
            if mustCallBlock { state.isCallPending = true }
            return (mustCallBlock, state.schedule.nextTime(after: time))
        }
        if mustCallBlock { queue.async { [self] in callBlock(MediaTime(nanoseconds: time)) } }
        return nextTime
    }

    /// The change since the last update: `none` if the time has only advanced, `rate` if playback has started or
    /// stopped, `jump` if the time has jumped.
    enum Change { case none, rate, jump }

    /// Calls the block, on the observer's queue, unless the observer was removed meanwhile.
    private func callBlock(_ time: MediaTime) {
        let isWanted = state.withLock { state in
            state.isCallPending = false
            return !state.isRemoved
        }
        if isWanted { block(time) }
    }

    /// Stops calling the block.
    func remove() { state.withLock { $0.isRemoved = true } }
}
