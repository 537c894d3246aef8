import SwiftPlay

/// The delegate of a player's window (AVPlayerViewControllerDelegate). Called on the main queue. All methods are
/// optional.
@MainActor
public protocol PlayerViewControllerDelegate: AnyObject {
    /// Picture-in-Picture is about to start.
    func playerViewControllerWillStartPictureInPicture(_ controller: PlayerViewController)
    /// Picture-in-Picture has started: the floating window shows the picture.
    func playerViewControllerDidStartPictureInPicture(_ controller: PlayerViewController)
    /// Picture-in-Picture could not start.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - error: A `PlaybackError` with the code `pictureInPictureStartFailed`.
    func playerViewController(
        _ controller: PlayerViewController, failedToStartPictureInPictureWithError error: any Error)
    /// Picture-in-Picture is about to stop.
    func playerViewControllerWillStopPictureInPicture(_ controller: PlayerViewController)
    /// Picture-in-Picture has stopped: see ``PlayerViewController/pictureInPictureStopReason``.
    func playerViewControllerDidStopPictureInPicture(_ controller: PlayerViewController)
    /// Returns whether the player's window is hidden during Picture-in-Picture; true by default. If false, the window
    /// shows a placeholder.
    func playerViewControllerShouldAutomaticallyDismissAtPictureInPictureStart(_ controller: PlayerViewController)
        -> Bool
    /// Requests that the program restores its interface at the end of Picture-in-Picture and then calls the completion
    /// handler. The player's window is visible again.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - completionHandler: Call it with `true`, or with `false` if the interface cannot be restored: see
    ///     ``PictureInPictureControllerDelegate``.
    func playerViewController(
        _ controller: PlayerViewController,
        restoreUserInterfaceForPictureInPictureStopWithCompletionHandler completionHandler:
            @escaping @Sendable (Bool) -> Void)
    /// The `async` form of
    /// ``playerViewController(_:restoreUserInterfaceForPictureInPictureStopWithCompletionHandler:)``; implement one of
    /// the two methods.
    func playerViewControllerRestoreUserInterfaceForPictureInPictureStop(
        _ controller: PlayerViewController
    ) async -> Bool
    /// The window is about to enter full screen.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - coordinator: Reports when the transition is complete.
    func playerViewController(
        _ controller: PlayerViewController,
        willBeginFullScreenPresentationWithAnimationCoordinator coordinator: FullScreenTransition)
    /// The window is about to leave full screen.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - coordinator: Reports when the transition is complete.
    func playerViewController(
        _ controller: PlayerViewController,
        willEndFullScreenPresentationWithAnimationCoordinator coordinator: FullScreenTransition)
}

extension PlayerViewControllerDelegate {
    /// By default, does nothing when Picture-in-Picture is about to start.
    public func playerViewControllerWillStartPictureInPicture(_ controller: PlayerViewController) {}
    /// By default, does nothing when Picture-in-Picture has started.
    public func playerViewControllerDidStartPictureInPicture(_ controller: PlayerViewController) {}
    /// By default, does nothing when Picture-in-Picture could not start.
    public func playerViewController(
        _ controller: PlayerViewController, failedToStartPictureInPictureWithError error: any Error
    ) {}
    /// By default, does nothing when Picture-in-Picture is about to stop.
    public func playerViewControllerWillStopPictureInPicture(_ controller: PlayerViewController) {}
    /// By default, does nothing when Picture-in-Picture has stopped.
    public func playerViewControllerDidStopPictureInPicture(_ controller: PlayerViewController) {}
    /// By default, returns true: the player's window is hidden during Picture-in-Picture.
    public func playerViewControllerShouldAutomaticallyDismissAtPictureInPictureStart(
        _ controller: PlayerViewController
    ) -> Bool { true }
    /// By default, calls the `async` restore method and passes its result to the completion handler.
    public func playerViewController(
        _ controller: PlayerViewController,
        restoreUserInterfaceForPictureInPictureStopWithCompletionHandler completionHandler:
            @escaping @Sendable (Bool) -> Void
    ) { Task { completionHandler(await playerViewControllerRestoreUserInterfaceForPictureInPictureStop(controller)) } }
    /// By default, returns false: the interface is not restored.
    public func playerViewControllerRestoreUserInterfaceForPictureInPictureStop(
        _ controller: PlayerViewController
    ) async -> Bool { false }
    /// By default, does nothing when the window is about to enter full screen.
    public func playerViewController(
        _ controller: PlayerViewController,
        willBeginFullScreenPresentationWithAnimationCoordinator coordinator: FullScreenTransition
    ) {}
    /// By default, does nothing when the window is about to leave full screen.
    public func playerViewController(
        _ controller: PlayerViewController,
        willEndFullScreenPresentationWithAnimationCoordinator coordinator: FullScreenTransition
    ) {}
}

/// The transition of a window into or out of full screen (UIViewControllerTransitionCoordinator). Main queue only.
@MainActor
public final class FullScreenTransition {
    /// The handlers to call when the full-screen transition ends.
    private var completions: [(_ isCancelled: Bool) -> Void] = []

    /// Adds a completion handler to the full-screen transition.
    ///
    /// - Parameter completion: Called when the transition is complete or cancelled.
    public func animate(completion: @escaping (_ isCancelled: Bool) -> Void) { completions.append(completion) }

    /// Ends the full-screen transition and calls its completion handlers.
    func finish(isCancelled: Bool) {
        let waitingCompletions = completions
        completions = []
        for completion in waitingCompletions { completion(isCancelled) }
    }
}
