import Dispatch
import SystemCalls

extension Player {
    /// Calls a block at regular intervals of the item's time, after each jump of the time, and when playback starts or
    /// stops (AVPlayer.addPeriodicTimeObserver(forInterval:queue:using:)).
    ///
    /// If a call of the block is still waiting in the queue, no further call is added.
    ///
    /// - Parameters:
    ///   - interval: The interval in the item's time: at twice the rate the block is called twice as often. At least 1
    ///     ms.
    ///   - queue: A serial queue; nil for the main queue.
    ///   - block: Called on `queue` with the item's time, until the observer is removed or the player is released.
    /// - Returns: The observer, for ``removeTimeObserver(_:)``.
    public func addPeriodicTimeObserver(
        forInterval interval: MediaTime, queue: DispatchQueue? = nil,
        using block: @escaping @Sendable (MediaTime) -> Void
    ) -> TimeObserver {
        precondition(interval > .zero && interval.nanoseconds != nil, "the interval must be positive and finite")
        return core.addTimeObserver(TimeObserverSchedule(every: interval.nanoseconds ?? 1), queue ?? .main, block)
    }

    /// Calls a block when playback passes one of the given times
    /// (AVPlayer.addBoundaryTimeObserver(forTimes:queue:using:)). A seek across a time does not call the block.
    ///
    /// - Parameters:
    ///   - times: Times on the item's timeline. Times that are not numeric are ignored.
    ///   - queue: A serial queue; nil for the main queue.
    ///   - block: Called on `queue` until the observer is removed or the player is released.
    /// - Returns: The observer, for ``removeTimeObserver(_:)``.
    public func addBoundaryTimeObserver(
        forTimes times: [MediaTime], queue: DispatchQueue? = nil, using block: @escaping @Sendable () -> Void
    ) -> TimeObserver {
        core.addTimeObserver(TimeObserverSchedule(at: times.compactMap(\.nanoseconds)), queue ?? .main) { _ in block() }
    }

    /// Removes a time observer (AVPlayer.removeTimeObserver(_:)). After this method returns, its block is not started
    /// again; a call on another thread may still be running.
    ///
    /// - Parameter observer: An observer of this player. With an observer of another player, a precondition fails.
    public func removeTimeObserver(_ observer: TimeObserver) {
        precondition(observer.playerIdentifier == ObjectIdentifier(core), "this observer belongs to another player")
        core.removeTimeObserver(observer)
    }

    /// Returns a sequence of the item's times, at regular intervals while it plays and after each jump.
    ///
    /// The sequence keeps only the newest time for a slow reader. It ends when the player is closed or released.
    ///
    /// - Parameter interval: The interval in the item's time; at least 1 ms.
    /// - Returns: The sequence of times.
    public func times(every interval: MediaTime) -> AsyncStream<MediaTime> {
        let core = core
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let queue = DispatchQueue(label: "player times")
            let observer = core.addTimeObserver(TimeObserverSchedule(every: interval.nanoseconds ?? 1), queue) {
                continuation.yield($0)
            }
            let observerNumber = core.addObserver { if case .closed = $0 { continuation.finish() } }
            continuation.onTermination = { _ in
                core.removeTimeObserver(observer)
                core.removeObserver(observerNumber)
            }
        }
    }
}

extension PlayerCore {
    /// Registers a block that is called on `queue` according to `schedule`.
    func addTimeObserver(
        _ schedule: TimeObserverSchedule, _ queue: DispatchQueue, _ block: @escaping @Sendable (MediaTime) -> Void
    ) -> TimeObserver {
        let observer = TimeObserver(
            schedule: schedule, queue: queue, player: ObjectIdentifier(self), number: nextObserverNumber(), block: block
        )
        timeObservers.withLock { $0[observer.number] = observer }
        post(.polledStateChanged)
        return observer
    }

    /// Removes a time observer. The block of the observer is not started again.
    func removeTimeObserver(_ observer: TimeObserver) {
        observer.remove()
        timeObservers.withLock { $0[observer.number] = nil }
    }
}
