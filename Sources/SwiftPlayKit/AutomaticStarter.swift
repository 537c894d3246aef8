import Dispatch
import SwiftPlay
import SystemCalls

/// Starts and ends a controller's Picture-in-Picture automatically. Main queue only.
///
/// If several controllers of a program could start, the one that started playing last does.
@MainActor
final class AutomaticStarter {
    private weak var controller: PictureInPictureController?
    /// The layer of a player; nil for pictures of the program's own, whose visibility is unknown.
    private var layer: PlayerLayer? { controller?.playerLayer }
    private var rule = AutomaticPictureInPicture()
    private var observation: Player.Observation?
    private weak var observed: Player?
    private var playingSince: Int64 = 0
    private var isPlaying = false
    /// All starters of this program.
    private static var all: [ObjectIdentifier: Weak] = [:]

    private struct Weak { weak var starter: AutomaticStarter? }

    init(_ controller: PictureInPictureController) {
        self.controller = controller
        Self.all[ObjectIdentifier(self)] = Weak(starter: self)
    }

    isolated deinit { Self.all[ObjectIdentifier(self)] = nil }

    /// Updates the state and applies the rules. Called whenever the state may have changed.
    func look() {
        guard let controller else { return }
        let player = layer?.player
        if player !== observed {
            observed = player
            observation = player?.observe { [weak self] notification in
                if case .timeControlStatusChanged = notification { self?.look() }
            }
        }
        let plays = player.map { $0.timeControlStatus != .paused } ?? false
        if plays, !isPlaying { playingSince = MonotonicTime.now }
        isPlaying = plays
        let facts = AutomaticPictureInPicture.Facts(
            isVisible: layer?.isOnScreen ?? true, isPlaying: plays && isLatest,
            isPossible: controller.isPictureInPicturePossible,
            isAllowed: controller.mayStartAutomatically,
            // While the window flies back, it may cover the layer.
            isActive: controller.isPictureInPictureActive || controller.session.isFed)
        perform(rule.update(facts, now: MonotonicTime.now))
        guard let deadline = rule.deadline else { return }
        DispatchQueue.main.asyncAfter(deadline: .now() + .nanoseconds(Int(max(0, deadline - MonotonicTime.now)))) {
            [weak self] in
            MainActor.assumeIsolated { self.map { $0.perform($0.rule.tick(now: MonotonicTime.now)) } }
        }
    }

    /// Whether no other controller of this program that could start began to play later.
    private var isLatest: Bool {
        !Self.all.values.compactMap(\.starter).contains {
            $0 !== self && $0.isPlaying && $0.playingSince > playingSince && $0.layer?.isOnScreen == false
                && $0.controller?.mayStartAutomatically == true
        }
    }

    private func perform(_ action: AutomaticPictureInPicture.Action?) {
        switch action {
        case .start: controller?.startPictureInPicture()
        case .stop: controller?.stopPictureInPicture()
        case nil: break
        }
    }
}
