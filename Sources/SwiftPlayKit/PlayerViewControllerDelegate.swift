import SwiftPlay

/// Hears of a player's window (AVPlayerViewControllerDelegate). Every call comes on the main queue; all are optional.
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
    /// Does the window go while the picture floats? True without an answer. Else it stays and shows a placeholder.
    func playerViewControllerShouldAutomaticallyDismissAtPictureInPictureStart(_ controller: PlayerViewController)
        -> Bool
    /// The window is before the user again. Bring back what else belongs to it, then call `completionHandler`: see
    /// ``PictureInPictureControllerDelegate``.
    func playerViewController(
        _ controller: PlayerViewController,
        restoreUserInterfaceForPictureInPictureStopWithCompletionHandler completionHandler:
            @escaping @Sendable (Bool) -> Void)
    /// The `async` form of the call above, for a program that implements only one of them.
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

/// A window's way into full screen or out of it (UIViewControllerTransitionCoordinator). Main queue only.
@MainActor
public final class FullScreenTransition {
    private var completions: [(_ isCancelled: Bool) -> Void] = []

    /// Calls `completion` when the window has got there, or has not.
    public func animate(completion: @escaping (_ isCancelled: Bool) -> Void) { completions.append(completion) }

    func finish(isCancelled: Bool) {
        let waiting = completions
        completions = []
        for completion in waiting { completion(isCancelled) }
    }
}
