import SwiftPlay

/// Hears of a player's window (AVPlayerViewControllerDelegate). Every call comes on the main queue; all are optional.
@MainActor
public protocol PlayerViewControllerDelegate: AnyObject {
    func playerViewControllerWillStartPictureInPicture(_ controller: PlayerViewController)
    func playerViewControllerDidStartPictureInPicture(_ controller: PlayerViewController)
    func playerViewController(
        _ controller: PlayerViewController, failedToStartPictureInPictureWithError error: any Error)
    func playerViewControllerWillStopPictureInPicture(_ controller: PlayerViewController)
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
    func playerViewController(
        _ controller: PlayerViewController,
        willBeginFullScreenPresentationWithAnimationCoordinator coordinator: FullScreenTransition)
    func playerViewController(
        _ controller: PlayerViewController,
        willEndFullScreenPresentationWithAnimationCoordinator coordinator: FullScreenTransition)
}

extension PlayerViewControllerDelegate {
    public func playerViewControllerWillStartPictureInPicture(_ controller: PlayerViewController) {}
    public func playerViewControllerDidStartPictureInPicture(_ controller: PlayerViewController) {}
    public func playerViewController(
        _ controller: PlayerViewController, failedToStartPictureInPictureWithError error: any Error
    ) {}
    public func playerViewControllerWillStopPictureInPicture(_ controller: PlayerViewController) {}
    public func playerViewControllerDidStopPictureInPicture(_ controller: PlayerViewController) {}
    public func playerViewControllerShouldAutomaticallyDismissAtPictureInPictureStart(
        _ controller: PlayerViewController
    ) -> Bool { true }
    public func playerViewController(
        _ controller: PlayerViewController,
        restoreUserInterfaceForPictureInPictureStopWithCompletionHandler completionHandler:
            @escaping @Sendable (Bool) -> Void
    ) { Task { completionHandler(await playerViewControllerRestoreUserInterfaceForPictureInPictureStop(controller)) } }
    public func playerViewControllerRestoreUserInterfaceForPictureInPictureStop(
        _ controller: PlayerViewController
    ) async -> Bool { false }
    public func playerViewController(
        _ controller: PlayerViewController,
        willBeginFullScreenPresentationWithAnimationCoordinator coordinator: FullScreenTransition
    ) {}
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
