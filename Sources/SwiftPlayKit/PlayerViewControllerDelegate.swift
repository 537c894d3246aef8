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
    /// Returns whether the window is hidden during Picture-in-Picture; true by default. Otherwise it shows a
    /// placeholder.
    func playerViewControllerShouldAutomaticallyDismissAtPictureInPictureStart(_ controller: PlayerViewController)
        -> Bool
    /// The window is visible again. Restore the rest of the interface, then call the completion handler.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - completionHandler: See ``PictureInPictureControllerDelegate``.
    func playerViewController(
        _ controller: PlayerViewController,
        restoreUserInterfaceForPictureInPictureStopWithCompletionHandler completionHandler:
            @escaping @Sendable (Bool) -> Void)
    /// The `async` form of the method above; implement one of them.
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
    /// The default implementation.
    public func playerViewControllerWillStartPictureInPicture(_ controller: PlayerViewController) {}
    /// The default implementation.
    public func playerViewControllerDidStartPictureInPicture(_ controller: PlayerViewController) {}
    /// The default implementation.
    public func playerViewController(
        _ controller: PlayerViewController, failedToStartPictureInPictureWithError error: any Error
    ) {}
    /// The default implementation.
    public func playerViewControllerWillStopPictureInPicture(_ controller: PlayerViewController) {}
    /// The default implementation.
    public func playerViewControllerDidStopPictureInPicture(_ controller: PlayerViewController) {}
    /// The default implementation.
    public func playerViewControllerShouldAutomaticallyDismissAtPictureInPictureStart(
        _ controller: PlayerViewController
    ) -> Bool { true }
    /// The default implementation.
    public func playerViewController(
        _ controller: PlayerViewController,
        restoreUserInterfaceForPictureInPictureStopWithCompletionHandler completionHandler:
            @escaping @Sendable (Bool) -> Void
    ) { Task { completionHandler(await playerViewControllerRestoreUserInterfaceForPictureInPictureStop(controller)) } }
    /// The default implementation.
    public func playerViewControllerRestoreUserInterfaceForPictureInPictureStop(
        _ controller: PlayerViewController
    ) async -> Bool { false }
    /// The default implementation.
    public func playerViewController(
        _ controller: PlayerViewController,
        willBeginFullScreenPresentationWithAnimationCoordinator coordinator: FullScreenTransition
    ) {}
    /// The default implementation.
    public func playerViewController(
        _ controller: PlayerViewController,
        willEndFullScreenPresentationWithAnimationCoordinator coordinator: FullScreenTransition
    ) {}
}

/// The transition of a window into or out of full screen (UIViewControllerTransitionCoordinator). Main queue only.
@MainActor
public final class FullScreenTransition {
    private var completions: [(_ isCancelled: Bool) -> Void] = []

    /// Adds a completion handler.
    ///
    /// - Parameter completion: Called when the transition is complete or cancelled.
    public func animate(completion: @escaping (_ isCancelled: Bool) -> Void) { completions.append(completion) }

    func finish(isCancelled: Bool) {
        let waiting = completions
        completions = []
        for completion in waiting { completion(isCancelled) }
    }
}
