import SwiftPlay

/// Hears of a controller's Picture-in-Picture (AVPictureInPictureControllerDelegate). Every call comes on the main
/// queue; all are optional.
@MainActor
public protocol PictureInPictureControllerDelegate: AnyObject {
    /// The window is about to open.
    func pictureInPictureControllerWillStartPictureInPicture(_ controller: PictureInPictureController)
    /// The window shows the picture; the program may put its own interface away.
    func pictureInPictureControllerDidStartPictureInPicture(_ controller: PictureInPictureController)
    /// Comes instead of `didStart`. Frames go to the layer as before.
    func pictureInPictureController(
        _ controller: PictureInPictureController, failedToStartPictureInPictureWithError error: any Error)
    /// Bring the interface with the layer back, then call `completionHandler` with `true`, or with `false` where that
    /// cannot be done. It may be called from any thread, counts once, and within five seconds: then it counts as
    /// `false`.
    func pictureInPictureController(
        _ controller: PictureInPictureController,
        restoreUserInterfaceForPictureInPictureStopWithCompletionHandler completionHandler:
            @escaping @Sendable (Bool) -> Void)
    /// The `async` form of the call above, for a program that implements only one of them. Cancelled by nothing; what
    /// comes after five seconds counts as `false`.
    func pictureInPictureControllerRestoreUserInterfaceForPictureInPictureStop(
        _ controller: PictureInPictureController
    ) async -> Bool
    /// The window is about to close.
    func pictureInPictureControllerWillStopPictureInPicture(_ controller: PictureInPictureController)
    /// The window is closed; see ``PictureInPictureController/stopReason``.
    func pictureInPictureControllerDidStopPictureInPicture(_ controller: PictureInPictureController)
}

extension PictureInPictureControllerDelegate {
    public func pictureInPictureControllerWillStartPictureInPicture(_ controller: PictureInPictureController) {}
    public func pictureInPictureControllerDidStartPictureInPicture(_ controller: PictureInPictureController) {}
    public func pictureInPictureController(
        _ controller: PictureInPictureController, failedToStartPictureInPictureWithError error: any Error
    ) {}
    public func pictureInPictureController(
        _ controller: PictureInPictureController,
        restoreUserInterfaceForPictureInPictureStopWithCompletionHandler completionHandler:
            @escaping @Sendable (Bool) -> Void
    ) {
        Task {
            completionHandler(await pictureInPictureControllerRestoreUserInterfaceForPictureInPictureStop(controller))
        }
    }
    public func pictureInPictureControllerRestoreUserInterfaceForPictureInPictureStop(
        _ controller: PictureInPictureController
    ) async -> Bool { false }
    public func pictureInPictureControllerWillStopPictureInPicture(_ controller: PictureInPictureController) {}
    public func pictureInPictureControllerDidStopPictureInPicture(_ controller: PictureInPictureController) {}
}
