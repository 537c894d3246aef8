import SharedFrames
import SystemCalls
import VideoOutput

/// The part of a program's interface that shows a player's picture (AVPlayerLayer). Safe to use from any thread.
///
/// While Picture-in-Picture is active, the layer receives no frames and shows a placeholder.
public final class PlayerLayer: PlayerPictureTarget {
    /// The mutable part of the layer.
    private struct State {
        /// The player whose picture is shown.
        var player: Player?
        /// Whether the layer shows a frame of the current item.
        var isReadyForDisplay = false
        /// Whether the layer's window is visible.
        var isOnScreen = true
        /// Whether the layer's window is in full screen.
        var isFullScreen = false
        /// The observers by their registration numbers.
        var observers: [UInt64: @Sendable () -> Void] = [:]
        /// The registration number of the next observer.
        var nextObserverNumber: UInt64 = 0
    }

    private let state = Monitor(State())
    /// The router that receives the player's frames and sends them to the layer's output or to the compositor.
    package let router = FrameRouter()

    /// Creates a layer.
    ///
    /// - Parameter player: See ``player``.
    public init(player: Player? = nil) {
        if let player { self.player = player }
    }

    /// The player whose picture is shown (AVPlayerLayer.player; a strong reference). A player shows its picture in one
    /// layer: the layer to which it was assigned last.
    ///
    /// Without a player the layer is empty, and its Picture-in-Picture ends.
    public var player: Player? {
        get { state.withLock { $0.player } }
        set {
            let oldPlayer = state.withLock { state in
                let oldPlayer = state.player
                state.player = newValue
                return oldPlayer
            }
            if oldPlayer !== newValue {
                oldPlayer?.core.detach(self)
                router.setOverlays(nil)
                if newValue == nil { router.removeImage() } else { router.clear() }
                didLoseFrame()
            }
            newValue?.core.attach(self)
            if newValue != nil { Application.shared.snapshots.setLastLayer(self) }
        }
    }

    /// Records that the layer shows no frame of the current item, until a player presents a frame.
    package func didLoseFrame() {
        setReadyForDisplay(false)
        handleItemChange()
    }

    /// The scaling of a picture whose shape differs from the shape of the layer (AVLayerVideoGravity).
    public enum Gravity: Sendable {
        /// The picture keeps its shape and fits into the layer.
        case resizeAspect
        /// The picture keeps its shape and fills the layer; its edges are cut.
        case resizeAspectFill
        /// The picture is stretched to the shape of the layer.
        case resize
    }

    /// The scaling of the picture to the size of the layer (AVPlayerLayer.videoGravity): `.resizeAspect` by default.
    public var videoGravity: Gravity {
        get { Gravity(router.gravity) }
        set { router.gravity = newValue.gravity }
    }

    /// The visible part of the picture, in pixels of the layer (AVPlayerLayer.videoRect). Empty while there is no
    /// picture.
    public var videoRect: VideoRect {
        guard let rect = router.pictureRectInLayer else { return .zero }
        return VideoRect(x: rect.x, y: rect.y, width: rect.width, height: rect.height)
    }

    /// Returns the picture on screen without copying it (AVPlayerLayer.displayedPixelBuffer()); nil unless the player
    /// is paused and a picture is shown. During Picture-in-Picture, the picture of a file has about the size of the
    /// floating window.
    public func displayedPixelBuffer() -> PixelBuffer? {
        guard isReadyForDisplay, player?.timeControlStatus == .paused else { return nil }
        return router.currentFrame.map { PixelBuffer($0.withoutReduction) }
    }

    /// Whether the layer shows a frame of the current item (AVPlayerLayer.isReadyForDisplay). False for items without
    /// video.
    public var isReadyForDisplay: Bool { state.withLock { $0.isReadyForDisplay } }

    /// Sets ``isReadyForDisplay`` and notifies the observers of a change.
    package func setReadyForDisplay(_ isReady: Bool) {
        let observers = state.withLock { state -> [@Sendable () -> Void] in
            guard state.isReadyForDisplay != isReady else { return [] }
            state.isReadyForDisplay = isReady
            return Array(state.observers.values)
        }
        for observer in observers { observer() }
    }

    /// Whether the layer's window is visible: false while it is minimized, covered or on another workspace. True if the
    /// window manager does not report visibility.
    public var isOnScreen: Bool { state.withLock { $0.isOnScreen } }

    /// Sets ``isOnScreen`` and notifies the observers of a change.
    package func setOnScreen(_ isOnScreen: Bool) {
        let observers = state.withLock { state -> [@Sendable () -> Void] in
            guard state.isOnScreen != isOnScreen else { return [] }
            state.isOnScreen = isOnScreen
            return Array(state.observers.values)
        }
        for observer in observers { observer() }
    }

    /// Whether the layer's window is in full screen.
    package var isFullScreen: Bool { state.withLock { $0.isFullScreen } }

    /// Sets ``isFullScreen`` and notifies the observers of a change.
    package func setFullScreen(_ isFullScreen: Bool) {
        let isChanged = state.withLock { state in
            defer { state.isFullScreen = isFullScreen }
            return state.isFullScreen != isFullScreen
        }
        if isChanged { handleItemChange() }
    }

    /// Returns the values of a property: the current value, and the new value after each change. Use it for
    /// ``isReadyForDisplay`` and ``isOnScreen``.
    ///
    /// The sequence keeps only the newest value for a slow reader. It ends with the task that reads it, and keeps the
    /// layer until then.
    ///
    /// - Parameter property: The key path of the property.
    /// - Returns: The sequence of values.
    public func values<Value: Equatable & Sendable>(
        of property: any KeyPath<PlayerLayer, Value> & Sendable
    ) -> AsyncStream<Value> {
        let lastValue = Monitor<Value?>(nil)
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let publish: @Sendable (PlayerLayer) -> Void = { layer in
                lastValue.withLock { lastValue in
                    let value = layer[keyPath: property]
                    guard value != lastValue else { return }
                    lastValue = value
                    continuation.yield(value)
                }
            }
            let observation = observe { [weak self] in self.map(publish) }
            continuation.onTermination = { _ in withExtendedLifetime(observation) {} }
            publish(self)
        }
    }

    /// Observes ``isReadyForDisplay``, ``isOnScreen``, ``isFullScreen`` and the player's current item.
    ///
    /// - Parameter observer: Called when one of these properties may have changed, on any thread.
    /// - Returns: The registration. Keep it as long as the observer must be called.
    package func observe(_ observer: @escaping @Sendable () -> Void) -> Observation {
        let observerNumber = state.withLock { state in
            defer { state.nextObserverNumber += 1 }
            state.observers[state.nextObserverNumber] = observer
            return state.nextObserverNumber
        }
        return Observation(layer: self, observerNumber: observerNumber)
    }

    /// Notifies the observers that the player's item or a property of the layer may have changed.
    package func handleItemChange() { for observer in state.withLock({ Array($0.observers.values) }) { observer() } }

    /// The registration of an observer. It ends when this object is released.
    package final class Observation: Sendable {
        private let layer: PlayerLayer
        /// The registration number of the observer in `layer`.
        private let observerNumber: UInt64
        fileprivate init(layer: PlayerLayer, observerNumber: UInt64) {
            self.layer = layer
            self.observerNumber = observerNumber
        }
        deinit { layer.state.withLock { _ = $0.observers.removeValue(forKey: observerNumber) } }
    }
}

/// The conversion between the layer's gravity and the video output's gravity.
extension PlayerLayer.Gravity {
    /// Converts a gravity of the video output into the public type.
    init(_ gravity: VideoGravity) {
        self =
            switch gravity {
            case .resizeAspect: .resizeAspect
            case .resizeAspectFill: .resizeAspectFill
            case .resize: .resize
            }
    }

    /// The gravity for the video output.
    var gravity: VideoGravity {
        switch self {
        case .resizeAspect: .resizeAspect
        case .resizeAspectFill: .resizeAspectFill
        case .resize: .resize
        }
    }
}
