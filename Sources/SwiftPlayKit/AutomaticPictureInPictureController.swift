import Dispatch
import SwiftPlay
import SystemCalls

/// Starts and stops a controller's Picture-in-Picture automatically. Main queue only.
///
/// If several controllers of a program could start, only the controller whose player began to play last starts.
@MainActor
final class AutomaticPictureInPictureController {
    /// The controller whose Picture-in-Picture this object starts and stops.
    private weak var controller: PictureInPictureController?
    /// The layer of the controller's player; nil if the program supplies its own frames, because their visibility is
    /// unknown.
    private var layer: PlayerLayer? { controller?.playerLayer }
    /// The rules that decide when Picture-in-Picture starts and stops automatically.
    private var rules = AutomaticPictureInPicture()
    /// The registration that observes ``observedPlayer``; releasing it ends the observation.
    private var observation: Player.Observation?
    /// The player that ``observation`` observes, to detect when this object must observe another player.
    private weak var observedPlayer: Player?
    /// The host time at which the player began to play, in nanoseconds.
    private var playingSince: Int64 = 0
    /// Whether the player played or buffered at the last call of ``update()``.
    private var isPlaying = false
    /// All objects of this class in this program, by the identities of the objects.
    private static var allControllers: [ObjectIdentifier: WeakController] = [:]

    /// A weak reference to an ``AutomaticPictureInPictureController``.
    private struct WeakController { weak var controller: AutomaticPictureInPictureController? }

    init(_ controller: PictureInPictureController) {
        self.controller = controller
        Self.allControllers[ObjectIdentifier(self)] = WeakController(controller: self)
    }

    isolated deinit { Self.allControllers[ObjectIdentifier(self)] = nil }

    /// Starts or stops Picture-in-Picture if the rules for automatic Picture-in-Picture require it now. Call this
    /// method whenever a condition may have changed, such as the visibility of the layer.
    func update() {
        guard let controller else { return }
        let player = layer?.player
        if player !== observedPlayer {
            observedPlayer = player
            observation = player?.observe { [weak self] notification in
                if case .timeControlStatusChanged = notification { self?.update() }
            }
        }
        let isPlayingNow = player.map { $0.timeControlStatus != .paused } ?? false
        if isPlayingNow, !isPlaying { playingSince = MonotonicTime.now }
        isPlaying = isPlayingNow
        let conditions = AutomaticPictureInPicture.Conditions(
            isLayerVisible: layer?.isOnScreen ?? true, isPlaying: isPlayingNow && beganPlayingLast,
            isStartPossible: controller.isPictureInPicturePossible,
            isStartAllowed: controller.mayStartAutomatically,
            // While the animation moves the floating window back to the layer, the window may cover the layer.
            isPictureInPictureActive: controller.isPictureInPictureActive || controller.session.isSendingFramesToWindow)
        perform(rules.update(conditions, now: MonotonicTime.now))
        guard let deadline = rules.deadline else { return }
        DispatchQueue.main.asyncAfter(deadline: .now() + .nanoseconds(Int(max(0, deadline - MonotonicTime.now)))) {
            [weak self] in
            MainActor.assumeIsolated { self.map { $0.perform($0.rules.tick(now: MonotonicTime.now)) } }
        }
    }

    /// Whether this player began to play later than all other players of this program whose Picture-in-Picture could
    /// start automatically.
    private var beganPlayingLast: Bool {
        !Self.allControllers.values.compactMap(\.controller).contains {
            $0 !== self && $0.isPlaying && $0.playingSince > playingSince && $0.layer?.isOnScreen == false
                && $0.controller?.mayStartAutomatically == true
        }
    }

    /// Starts or stops the controller's Picture-in-Picture; nil does nothing.
    private func perform(_ action: AutomaticPictureInPicture.Action?) {
        switch action {
        case .start: controller?.startPictureInPicture()
        case .stop: controller?.stopPictureInPicture()
        case nil: break
        }
    }
}
