import Dispatch
import SystemCalls

extension Player {
    /// Something that a player reports.
    public enum Notification: Sendable {
        /// Another item is the current one, or none.
        case currentItemChanged(PlayerItem?)
        /// The item can be played: its facts are known. Of a queue's next item too.
        case itemReady(PlayerItem)
        /// The item cannot be played.
        case itemFailed(PlayerItem, PlaybackError)
        /// The item was not taken, since it belongs to another player or is in the queue already; this player goes on
        /// as it was.
        case itemRejected(PlayerItem, PlaybackError)
        /// ``Player/timeControlStatus`` or the reason for waiting changed.
        case timeControlStatusChanged
        /// ``Player/rate`` changed.
        case rateChanged(Float)
        /// The time made a jump: a seek, a step.
        case timeJumped
        /// A seek is over and its picture on screen.
        case seekCompleted
        /// The first frame of an item is on screen.
        case firstFrameShown(PlayerItem)
        /// The item was played to its end.
        case didPlayToEnd(PlayerItem)
        /// Reading stopped before the item's end.
        case failedToPlayToEnd(PlayerItem, PlaybackError)
        /// There was nothing left to play; it goes on when there is.
        case playbackStalled(PlayerItem)
        /// ``PlayerItem/accessLog()`` has a new event.
        case newAccessLogEntry(PlayerItem)
        /// ``PlayerItem/errorLog()`` has a new event.
        case newErrorLogEntry(PlayerItem)
        /// Other tracks of the item play now.
        case mediaSelectionDidChange(PlayerItem)
        /// ``PlayerItem/presentationSize`` became known or changed. Posted before ``itemReady(_:)`` where the container
        /// states the size, else with the first frame on screen.
        case presentationSizeDidChange(PlayerItem)
        /// Something went wrong that playing goes on in spite of, in words.
        case warning(String)
    }

    /// Keeps an observer registered as long as it lives.
    public final class Observation: Sendable {
        private let core: PlayerCore
        private let number: UInt64
        init(core: PlayerCore, number: UInt64) {
            self.core = core
            self.number = number
        }
        deinit { core.removeObserver(number) }
    }

    /// Calls `observer` on the main actor, in order, for as long as the result is kept.
    public func observe(_ observer: @escaping @MainActor @Sendable (Notification) -> Void) -> Observation {
        // The main queue is the main actor's.
        observe(on: .main) { notification in MainActor.assumeIsolated { observer(notification) } }
    }

    /// Calls `observer` on `queue`, in order, for as long as the result is kept.
    public func observe(
        on queue: DispatchQueue, _ observer: @escaping @Sendable (Notification) -> Void
    ) -> Observation {
        let number = core.addObserver { event in
            guard let notification = Notification(event) else { return }
            queue.async { observer(notification) }
        }
        return Observation(core: core, number: number)
    }

    /// Calls `observer` after each frame shown, on the player's thread: return at once.
    public func observeFrames(_ observer: @escaping @Sendable () -> Void) -> Observation {
        let number = core.addObserver { event in if case .framePresented = event { observer() } }
        return Observation(core: core, number: number)
    }

    /// A property's value now and whenever it becomes another: `player.values(of: \.timeControlStatus)`, or
    /// `player.values(of: \.currentItem?.status)`. Keeps the newest for a slow reader. Of use for what changes at
    /// events; the time has ``times(every:)``. Ends when the player is closed or gone.
    public func values<Value: Equatable & Sendable>(of property: any KeyPath<Player, Value> & Sendable) -> AsyncStream<
        Value
    > {
        let core = core
        let last = Monitor<Value?>(nil)
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let look: @Sendable (Player) -> Void = { player in
                last.withLock { last in
                    let value = player[keyPath: property]
                    guard value != last else { return }
                    last = value
                    continuation.yield(value)
                }
            }
            let number = core.addObserver { [weak self] event in
                if case .framePresented = event { return }
                if let self { look(self) } else { continuation.finish() }
                if case .closed = event { continuation.finish() }
            }
            continuation.onTermination = { _ in core.removeObserver(number) }
            look(self)
        }
    }

    /// What happens from now on; keeps the newest 64 for a slow reader. Ends when the player is closed.
    public var notifications: AsyncStream<Notification> {
        let core = core
        return AsyncStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
            let number = core.addObserver { event in
                if let notification = Notification(event) { continuation.yield(notification) }
                if case .closed = event { continuation.finish() }
            }
            continuation.onTermination = { _ in core.removeObserver(number) }
        }
    }
}

extension Player.Notification {
    init?(_ event: PlayerCore.Event) {
        switch event {
        case .itemChanged(let item): self = .currentItemChanged(item)
        case .itemReady(let item): self = .itemReady(item)
        case .itemFailed(let item, let error): self = .itemFailed(item, error)
        case .itemRejected(let item, let error): self = .itemRejected(item, error)
        case .statusChanged: self = .timeControlStatusChanged
        case .rateChanged(let rate): self = .rateChanged(rate)
        case .timeJumped: self = .timeJumped
        case .seekCompleted: self = .seekCompleted
        case .firstFrame(let item): self = .firstFrameShown(item)
        case .playedToEnd(let item): self = .didPlayToEnd(item)
        case .failedToPlayToEnd(let item, let error): self = .failedToPlayToEnd(item, error)
        case .stalled(let item): self = .playbackStalled(item)
        case .accessLogged(let item): self = .newAccessLogEntry(item)
        case .errorLogged(let item): self = .newErrorLogEntry(item)
        case .mediaSelectionChanged(let item): self = .mediaSelectionDidChange(item)
        case .presentationSizeChanged(let item): self = .presentationSizeDidChange(item)
        case .warning(let text): self = .warning(text)
        case .framePresented, .settingChanged, .closed: return nil
        }
    }
}
