import SharedFrames
import SystemCalls
import VideoOutput

/// The place in a program's interface where a player's picture is seen (AVPlayerLayer). Any thread.
///
/// While Picture-in-Picture is active the layer stays as it is and shows a placeholder; it just gets no frames.
public final class PlayerLayer: PlayerPictureTarget {
    private struct State {
        var player: Player?
        var isReadyForDisplay = false
        var isOnScreen = true
        var isFullScreen = false
        var observers: [UInt64: @Sendable () -> Void] = [:]
        var nextObserver: UInt64 = 0
    }

    private let state = Monitor(State())
    package let router = FrameRouter()

    /// Creates a layer.
    ///
    /// - Parameter player: See ``player``.
    public init(player: Player? = nil) {
        if let player { self.player = player }
    }

    /// The player whose picture is shown. The layer keeps it. A player shows its picture in one layer: the last one
    /// that it was given to.
    ///
    /// Without a player the layer is empty, and its Picture-in-Picture ends.
    public var player: Player? {
        get { state.withLock { $0.player } }
        set {
            let old = state.withLock { state in
                let old = state.player
                state.player = newValue
                return old
            }
            if old !== newValue {
                old?.core.detach(self)
                router.setOverlays(nil)
                if newValue == nil { router.removeImage() } else { router.clear() }
                lostPicture()
            }
            newValue?.core.attach(self)
        }
    }

    /// Shows nothing until a player presents a frame.
    package func lostPicture() {
        setReadyForDisplay(false)
        itemChanged()
    }

    /// How a picture of another shape fits into the layer (AVLayerVideoGravity).
    public enum Gravity: Sendable {
        /// The picture keeps its shape and fits into the layer.
        case resizeAspect
        /// The picture keeps its shape and fills the layer; its edges are cut.
        case resizeAspectFill
        /// The picture is stretched to the shape of the layer.
        case resize
    }

    /// How the picture fits into the layer: `.resizeAspect` by default.
    public var videoGravity: Gravity {
        get { Gravity(router.gravity) }
        set { router.gravity = newValue.gravity }
    }

    /// The part of the layer that the picture covers, in the layer's pixels; of one that fills the layer no more than
    /// is seen of it. Empty while there is no picture.
    public var videoRect: VideoRect {
        guard let rect = router.pictureInLayer else { return .zero }
        return VideoRect(x: rect.x, y: rect.y, width: rect.width, height: rect.height)
    }

    /// The picture that is seen now, not a copy of it; nil unless the player is paused and there is one.
    public func displayedPixelBuffer() -> PixelBuffer? {
        guard isReadyForDisplay, player?.timeControlStatus == .paused else { return nil }
        return router.current.map { PixelBuffer($0) }
    }

    /// True from the first frame of the current item on; false for items without a picture.
    public var isReadyForDisplay: Bool { state.withLock { $0.isReadyForDisplay } }

    package func setReadyForDisplay(_ ready: Bool) {
        let observers = state.withLock { state -> [@Sendable () -> Void] in
            guard state.isReadyForDisplay != ready else { return [] }
            state.isReadyForDisplay = ready
            return Array(state.observers.values)
        }
        for observer in observers { observer() }
    }

    /// False while nobody can see the layer's place: its window is minimised, covered by others, or on another
    /// workspace. True too where that is not known.
    public var isOnScreen: Bool { state.withLock { $0.isOnScreen } }

    package func setOnScreen(_ isOnScreen: Bool) {
        let observers = state.withLock { state -> [@Sendable () -> Void] in
            guard state.isOnScreen != isOnScreen else { return [] }
            state.isOnScreen = isOnScreen
            return Array(state.observers.values)
        }
        for observer in observers { observer() }
    }

    /// True while the layer's window fills the screen.
    package var isFullScreen: Bool { state.withLock { $0.isFullScreen } }

    package func setFullScreen(_ isFullScreen: Bool) {
        let changed = state.withLock { state in
            defer { state.isFullScreen = isFullScreen }
            return state.isFullScreen != isFullScreen
        }
        if changed { itemChanged() }
    }

    /// A property's value now and whenever it changes: `layer.values(of: \.isReadyForDisplay)`, or `\.isOnScreen`.
    /// Keeps the newest value for a slow reader. Ends with the task that reads it; keeps the layer until then.
    public func values<Value: Equatable & Sendable>(
        of property: any KeyPath<PlayerLayer, Value> & Sendable
    ) -> AsyncStream<Value> {
        let last = Monitor<Value?>(nil)
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let publish: @Sendable (PlayerLayer) -> Void = { layer in
                last.withLock { last in
                    let value = layer[keyPath: property]
                    guard value != last else { return }
                    last = value
                    continuation.yield(value)
                }
            }
            let observation = observe { [weak self] in self.map(publish) }
            continuation.onTermination = { _ in withExtendedLifetime(observation) {} }
            publish(self)
        }
    }

    /// Calls `observer` whenever ``isReadyForDisplay``, ``isOnScreen``, ``isFullScreen`` or the player's item may have
    /// changed, on a thread of ours, for as long as the
    /// result is kept.
    package func observe(_ observer: @escaping @Sendable () -> Void) -> Observation {
        let number = state.withLock { state in
            defer { state.nextObserver += 1 }
            state.observers[state.nextObserver] = observer
            return state.nextObserver
        }
        return Observation(layer: self, number: number)
    }

    package func itemChanged() { for observer in state.withLock({ Array($0.observers.values) }) { observer() } }

    /// Keeps an observer of the layer registered as long as it lives.
    package final class Observation: Sendable {
        private let layer: PlayerLayer
        private let number: UInt64
        fileprivate init(layer: PlayerLayer, number: UInt64) {
            self.layer = layer
            self.number = number
        }
        deinit { layer.state.withLock { _ = $0.observers.removeValue(forKey: number) } }
    }
}

extension PlayerLayer.Gravity {
    init(_ gravity: VideoGravity) {
        self =
            switch gravity {
            case .resizeAspect: .resizeAspect
            case .resizeAspectFill: .resizeAspectFill
            case .resize: .resize
            }
    }

    var gravity: VideoGravity {
        switch self {
        case .resizeAspect: .resizeAspect
        case .resizeAspectFill: .resizeAspectFill
        case .resize: .resize
        }
    }
}
