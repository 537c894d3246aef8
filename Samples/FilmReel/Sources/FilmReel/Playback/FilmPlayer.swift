import SwiftPlayKit

/// Plays a film in a separate window. When the window is covered or hidden, the film continues in a floating window.
/// Used on the main thread.
@MainActor
final class FilmPlayer: PlayerViewControllerDelegate {
    private let player: Player
    private let controller: PlayerViewController
    private var observation: Player.Observation?
    /// Called once after the film has ended or was closed, with this player and the reason of a failure; nil without a
    /// failure.
    private var onEnd: ((FilmPlayer, String?) -> Void)?

    /// Starts to play a film.
    ///
    /// - Parameters:
    ///   - film: The film.
    ///   - onEnd: Called once after the film has ended or was closed, with this player and the reason of a failure; nil
    ///     without a failure.
    /// - Throws: `PlaybackError` if no player can be created.
    init(film: Film, onEnd: @escaping (FilmPlayer, String?) -> Void) throws {
        try AudioSession.sharedInstance().setCategory(.playback, mode: .moviePlayback)
        player = try Player()
        var options = PlayerWindow.Options()
        options.title = film.title
        options.geometry = "50%"
        controller = PlayerViewController(player: player, options: options)
        self.onEnd = onEnd
        controller.delegate = self
        controller.canStartPictureInPictureAutomaticallyFromInline = true
        controller.onKey = { [unowned self] in handleKey($0) }
        controller.onEvent = { [unowned self] event in
            if case .closeRequested = event { close() }
            if case .lost(let reason) = event { close(because: reason) }
        }
        controller.onFailure = { [unowned self] in close(because: $0.message) }
        observation = player.observe { [unowned self] notification in
            switch notification {
            case .didPlayToEnd: close()
            case .itemFailed(_, let error), .failedToPlayToEnd(_, let error): close(because: error.message)
            default: break
            }
        }
        player.replaceCurrentItem(with: PlayerItem(location: film.path))
        player.play()
    }

    /// Moves the film into the floating window, or back.
    func togglePictureInPicture() { controller.perform(.togglePictureInPicture) }

    /// Ends playback, closes the window and calls `onEnd`.
    ///
    /// - Parameter reason: The reason of a failure; nil without a failure.
    func close(because reason: String? = nil) {
        guard let onEnd else { return }
        self.onEnd = nil
        if controller.isPictureInPictureActive { controller.stopPictureInPicture() }
        observation = nil
        player.close()
        controller.close()
        onEnd(self, reason)
    }

    private func handleKey(_ name: String) -> Bool {
        guard name == "ESC" || name == "q" else { return false }
        close()
        return true
    }

    func playerViewControllerRestoreUserInterfaceForPictureInPictureStop(_ controller: PlayerViewController) async
        -> Bool
    { true }

    func playerViewControllerDidStopPictureInPicture(_ controller: PlayerViewController) {
        // The user has closed the floating window.
        if controller.pictureInPictureStopReason == .closed { close() }
    }

    func playerViewController(
        _ controller: PlayerViewController, failedToStartPictureInPictureWithError error: any Error
    ) { print("film-reel: \(error)") }
}
