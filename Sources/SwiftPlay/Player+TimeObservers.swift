import Dispatch
import SystemCalls

extension Player {
    /// Calls `block` on `queue` whenever another `interval` of the item's time has passed, once at each jump of the
    /// time, and when playing starts or stops. Calls that the queue has not run yet are one.
    ///
    /// - Parameters:
    ///   - interval: of the item's time, so twice as often at twice the speed; 1 ms at least.
    ///   - queue: a serial one; nil is the main queue.
    /// - Returns: what ``removeTimeObserver(_:)`` takes. It is called until then, or until the player is gone.
    public func addPeriodicTimeObserver(
        forInterval interval: MediaTime, queue: DispatchQueue? = nil,
        using block: @escaping @Sendable (MediaTime) -> Void
    ) -> TimeObserver {
        precondition(interval > .zero && interval.nanoseconds != nil, "the interval must be longer than nothing")
        return core.addTimeObserver(TimeObserverSchedule(every: interval.nanoseconds ?? 1), queue ?? .main, block)
    }

    /// Calls `block` on `queue` when playing passes one of `times` by itself; a seek across it does not count.
    ///
    /// - Parameter queue: a serial one; nil is the main queue.
    public func addBoundaryTimeObserver(
        forTimes times: [MediaTime], queue: DispatchQueue? = nil, using block: @escaping @Sendable () -> Void
    ) -> TimeObserver {
        core.addTimeObserver(TimeObserverSchedule(at: times.compactMap(\.nanoseconds)), queue ?? .main) { _ in block() }
    }

    /// Ends the calls. When this returns no new one begins; one that runs on another thread may still be running.
    public func removeTimeObserver(_ observer: TimeObserver) {
        precondition(observer.player == ObjectIdentifier(core), "this observer belongs to another player")
        core.removeTimeObserver(observer)
    }

    /// The item's time, once every `interval` of it while it plays, and at each jump. Keeps the newest for a slow
    /// reader. Ends when the player is closed or released.
    public func times(every interval: MediaTime) -> AsyncStream<MediaTime> {
        let core = core
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let queue = DispatchQueue(label: "player times")
            let observer = core.addTimeObserver(TimeObserverSchedule(every: interval.nanoseconds ?? 1), queue) {
                continuation.yield($0)
            }
            let number = core.addObserver { if case .closed = $0 { continuation.finish() } }
            continuation.onTermination = { _ in
                core.removeTimeObserver(observer)
                core.removeObserver(number)
            }
        }
    }
}

extension PlayerCore {
    func addTimeObserver(
        _ schedule: TimeObserverSchedule, _ queue: DispatchQueue, _ block: @escaping @Sendable (MediaTime) -> Void
    ) -> TimeObserver {
        let observer = TimeObserver(
            schedule: schedule, queue: queue, player: ObjectIdentifier(self), number: nextObserverNumber(), block: block
        )
        timeObservers.withLock { $0[observer.number] = observer }
        post(.look)
        return observer
    }

    func removeTimeObserver(_ observer: TimeObserver) {
        observer.remove()
        timeObservers.withLock { $0[observer.number] = nil }
    }
}
