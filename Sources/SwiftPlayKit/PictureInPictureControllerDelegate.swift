import SwiftPlay

/// The delegate of a Picture-in-Picture controller (AVPictureInPictureControllerDelegate). Called on the main queue.
/// All methods are optional.
@MainActor
public protocol PictureInPictureControllerDelegate: AnyObject {
    /// The floating window is about to open.
    func pictureInPictureControllerWillStartPictureInPicture(_ controller: PictureInPictureController)
    /// The floating window shows the picture. The program may hide its own interface.
    func pictureInPictureControllerDidStartPictureInPicture(_ controller: PictureInPictureController)
    /// Picture-in-Picture could not start. Called instead of `didStart`. The layer still shows the picture.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - error: A `PlaybackError` with the code `pictureInPictureStartFailed`.
    func pictureInPictureController(
        _ controller: PictureInPictureController, failedToStartPictureInPictureWithError error: any Error)
    /// Requests that the program restores its interface with the layer and then calls the completion handler.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - completionHandler: Call it with `true`, or with `false` if the interface cannot be restored. It may be
    ///     called from any thread; only the first call counts. After five seconds without a call, the result is
    ///     `false`.
    func pictureInPictureController(
        _ controller: PictureInPictureController,
        restoreUserInterfaceForPictureInPictureStopWithCompletionHandler completionHandler:
            @escaping @Sendable (Bool) -> Void)
    /// The `async` form of
    /// ``pictureInPictureController(_:restoreUserInterfaceForPictureInPictureStopWithCompletionHandler:)``; implement
    /// one of the two methods. The task is not cancelled; a result after five seconds counts as `false`.
    func pictureInPictureControllerRestoreUserInterfaceForPictureInPictureStop(
        _ controller: PictureInPictureController
    ) async -> Bool
    /// The floating window is about to close.
    func pictureInPictureControllerWillStopPictureInPicture(_ controller: PictureInPictureController)
    /// The floating window is closed: see ``PictureInPictureController/stopReason``.
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
