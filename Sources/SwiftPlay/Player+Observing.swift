import Dispatch

extension Player {
    /// Something that a player reports.
    public enum Notification: Sendable {
        /// The item can be played: its facts are known.
        case itemReady(PlayerItem)
        case itemFailed(PlayerItem, PlaybackError)
        /// ``Player/timeControlStatus`` or the reason for waiting changed.
        case timeControlStatusChanged
        /// The time made a jump: a seek, a step.
        case timeJumped
        /// A seek is over and its picture on screen.
        case seekCompleted
        /// The first frame of an item is on screen.
        case firstFrameShown(PlayerItem)
        case didPlayToEnd(PlayerItem)
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

    /// Calls `observer` on `queue` (the main queue by default), in order, for as long as the result is kept.
    public func observe(
        on queue: DispatchQueue = .main, _ observer: @escaping @Sendable (Notification) -> Void
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

    /// What happens from now on; keeps the newest 64 for a slow reader.
    public var notifications: AsyncStream<Notification> {
        let core = core
        return AsyncStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
            let number = core.addObserver { event in
                if let notification = Notification(event) { continuation.yield(notification) }
            }
            continuation.onTermination = { _ in core.removeObserver(number) }
        }
    }
}

extension Player.Notification {
    init?(_ event: PlayerCore.Event) {
        switch event {
        case .itemReady(let item): self = .itemReady(item)
        case .itemFailed(let item, let error): self = .itemFailed(item, error)
        case .statusChanged: self = .timeControlStatusChanged
        case .timeJumped: self = .timeJumped
        case .seekCompleted: self = .seekCompleted
        case .firstFrame(let item): self = .firstFrameShown(item)
        case .playedToEnd(let item): self = .didPlayToEnd(item)
        case .warning(let text): self = .warning(text)
        case .framePresented: return nil
        }
    }
}
