import Dispatch
import SystemCalls

extension Player {
    /// An event of a player.
    public enum Notification: Sendable {
        /// ``Player/currentItem`` changed; nil if there is no item.
        case currentItemChanged(PlayerItem?)
        /// The item can be played and its properties are known. Also posted for the next item of a queue.
        case itemReady(PlayerItem)
        /// The item cannot be played.
        case itemFailed(PlayerItem, PlaybackError)
        /// The item was refused, because it belongs to another player or is in the queue already. The player is
        /// unchanged.
        case itemRejected(PlayerItem, PlaybackError)
        /// ``Player/timeControlStatus`` or ``Player/reasonForWaitingToPlay`` changed.
        case timeControlStatusChanged
        /// ``Player/rate`` changed (AVPlayer.rateDidChangeNotification).
        case rateChanged(Float)
        /// The time jumped because of a seek or a step (AVPlayerItem.timeJumpedNotification).
        case timeJumped
        /// A seek has finished and its frame is on screen.
        case seekCompleted
        /// The first frame of an item is on screen.
        case firstFrameShown(PlayerItem)
        /// The item was played to its end (AVPlayerItem.didPlayToEndTimeNotification).
        case didPlayToEnd(PlayerItem)
        /// Reading stopped before the item's end (AVPlayerItem.failedToPlayToEndTimeNotification).
        case failedToPlayToEnd(PlayerItem, PlaybackError)
        /// Playback stopped because no media was left (AVPlayerItem.playbackStalledNotification). It resumes when
        /// enough media is loaded.
        case playbackStalled(PlayerItem)
        /// ``PlayerItem/accessLog()`` has a new event (AVPlayerItem.newAccessLogEntryNotification).
        case newAccessLogEntry(PlayerItem)
        /// ``PlayerItem/errorLog()`` has a new event (AVPlayerItem.newErrorLogEntryNotification).
        case newErrorLogEntry(PlayerItem)
        /// The selected tracks of the item changed (AVPlayerItem.mediaSelectionDidChangeNotification).
        case mediaSelectionDidChange(PlayerItem)
        /// ``PlayerItem/presentationSize`` became known or changed. Posted before ``itemReady(_:)`` where the container
        /// states the size, else with the first frame on screen.
        case presentationSizeDidChange(PlayerItem)
        /// A problem that does not stop playback, as a message.
        case warning(String)
    }

    /// The registration of an observer. It ends when this object is released.
    public final class Observation: Sendable {
        /// The core of the observed player.
        private let core: PlayerCore
        /// The registration number of the observer in `core`.
        private let observerNumber: UInt64
        init(core: PlayerCore, observerNumber: UInt64) {
            self.core = core
            self.observerNumber = observerNumber
        }
        deinit { core.removeObserver(observerNumber) }
    }

    /// Observes the player on the main actor.
    ///
    /// - Parameter observer: Called on the main actor with each event, in order.
    /// - Returns: The registration. Keep it as long as the observer must be called.
    public func observe(_ observer: @escaping @MainActor @Sendable (Notification) -> Void) -> Observation {
        // The main actor runs on the main queue, so `assumeIsolated` is valid there.
        observe(on: .main) { notification in MainActor.assumeIsolated { observer(notification) } }
    }

    /// Observes the player on a queue.
    ///
    /// - Parameters:
    ///   - queue: A serial queue.
    ///   - observer: Called on `queue` with each event, in order.
    /// - Returns: The registration. Keep it as long as the observer must be called.
    public func observe(
        on queue: DispatchQueue, _ observer: @escaping @Sendable (Notification) -> Void
    ) -> Observation {
        let observerNumber = core.addObserver { event in
            guard let notification = Notification(event) else { return }
            queue.async { observer(notification) }
        }
        return Observation(core: core, observerNumber: observerNumber)
    }

    /// Observes the frames that are shown.
    ///
    /// - Parameter observer: Called after each frame, on the player's thread. It must return at once.
    /// - Returns: The registration. Keep it as long as the observer must be called.
    public func observeFrames(_ observer: @escaping @Sendable () -> Void) -> Observation {
        let observerNumber = core.addObserver { event in if case .framePresented = event { observer() } }
        return Observation(core: core, observerNumber: observerNumber)
    }

    /// Returns the values of a property: the current value, and the new value after each change.
    ///
    /// Examples: `player.values(of: \.timeControlStatus)`, `player.values(of: \.currentItem?.status)`. The property is
    /// read at each event of the player; for the time use ``times(every:)``. The sequence keeps only the newest value
    /// for a slow reader. It ends when the player is closed or released.
    ///
    /// - Parameter property: The key path of the property.
    /// - Returns: The sequence of values.
    public func values<Value: Equatable & Sendable>(of property: any KeyPath<Player, Value> & Sendable) -> AsyncStream<
        Value
    > {
        let core = core
        let lastValue = Monitor<Value?>(nil)
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let publish: @Sendable (Player) -> Void = { player in
                lastValue.withLock { lastValue in
                    let value = player[keyPath: property]
                    guard value != lastValue else { return }
                    lastValue = value
                    continuation.yield(value)
                }
            }
            let observerNumber = core.addObserver { [weak self] event in
                if case .framePresented = event { return }
                if let self { publish(self) } else { continuation.finish() }
                if case .closed = event { continuation.finish() }
            }
            continuation.onTermination = { _ in core.removeObserver(observerNumber) }
            publish(self)
        }
    }

    /// The player's events from now on. The sequence keeps the newest 64 events for a slow reader and ends when the
    /// player is closed.
    public var notifications: AsyncStream<Notification> {
        let core = core
        return AsyncStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
            let observerNumber = core.addObserver { event in
                if let notification = Notification(event) { continuation.yield(notification) }
                if case .closed = event { continuation.finish() }
            }
            continuation.onTermination = { _ in core.removeObserver(observerNumber) }
        }
    }
}

extension Player.Notification {
    /// Creates the public notification for an event of the player core; nil for events that only the library uses.
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
