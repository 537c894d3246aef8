import SharedFrames
import SystemCalls
import VideoOutput

/// The place in a program's interface where a player's picture is seen (AVPlayerLayer). Any thread.
///
/// While Picture-in-Picture is active the layer stays as it is and shows a placeholder; it just gets no frames.
public final class PlayerLayer: Sendable {
    private struct State {
        weak var player: Player?
        var isReadyForDisplay = false
        var observers: [@Sendable () -> Void] = []
    }

    private let state = Monitor(State())
    package let router = FrameRouter()

    public init(player: Player? = nil) {
        if let player { self.player = player }
    }

    /// Whose picture is shown. A player shows its picture in one layer.
    public var player: Player? {
        get { state.withLock { $0.player } }
        set {
            let old = state.withLock { state in
                let old = state.player
                state.player = newValue
                return old
            }
            if old !== newValue { old?.core.detach(self) }
            newValue?.core.attach(self)
        }
    }

    /// What becomes of a picture of another shape than the layer.
    public enum Gravity: Sendable { case resizeAspect, resizeAspectFill, resize }

    public var videoGravity: Gravity {
        get {
            switch router.output?.gravity {
            case .resizeAspectFill: .resizeAspectFill
            case .resize: .resize
            default: .resizeAspect
            }
        }
        set {
            router.output?.gravity = switch newValue {
            case .resizeAspect: .resizeAspect
            case .resizeAspectFill: .resizeAspectFill
            case .resize: .resize
            }
            router.redraw()
        }
    }

    /// True from the first frame of the current item on; false for items without a picture.
    public var isReadyForDisplay: Bool { state.withLock { $0.isReadyForDisplay } }

    package func setReadyForDisplay(_ ready: Bool) {
        let observers = state.withLock { state -> [@Sendable () -> Void] in
            guard state.isReadyForDisplay != ready else { return [] }
            state.isReadyForDisplay = ready
            return state.observers
        }
        for observer in observers { observer() }
    }

    /// Calls `observer` whenever ``isReadyForDisplay`` or the player's item may have changed, on a thread of ours.
    package func observe(_ observer: @escaping @Sendable () -> Void) { state.withLock { $0.observers.append(observer) } }
    package func itemChanged() { for observer in state.withLock({ $0.observers }) { observer() } }
}
