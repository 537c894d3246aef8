import Dispatch
import SwiftPlay

extension PlayerViewController {
    /// Whether the controls show the Picture-in-Picture button. A start may still fail; then the delegate receives the
    /// reason.
    var offersPictureInPicture: Bool {
        guard let pictureInPictureController, allowsPictureInPicturePlayback,
            PictureInPictureController.audioSessionPermitsPictureInPicture
        else { return false }
        return pictureInPictureController.unavailableReason == nil && player?.currentItem?.hasVideo == true
    }

    /// Starts Picture-in-Picture, as the button does. The delegate is called after this method has returned, also if
    /// the start is not permitted.
    public func startPictureInPicture() {
        if let pictureInPictureController { return pictureInPictureController.startPictureInPicture() }
        let error = PlaybackError(
            .pictureInPictureStartFailed,
            "Picture-in-Picture is not possible without an X display or a terminal")
        DispatchQueue.main.async { [weak self] in MainActor.assumeIsolated { self?.pictureInPictureFailed(error) } }
    }

    /// Stops Picture-in-Picture, as the restore button does.
    public func stopPictureInPicture() { pictureInPictureController?.stopPictureInPicture() }

    /// Whether the floating window shows the picture.
    public var isPictureInPictureActive: Bool { pictureInPictureController?.isPictureInPictureActive ?? false }

    /// The reason why the last Picture-in-Picture ended; nil before the first end. After `.closed` and `.ended` a
    /// hidden window stays hidden: ``PlayerWindow/activate()`` shows it.
    public var pictureInPictureStopReason: PictureInPictureStopReason? { pictureInPictureController?.stopReason }

    /// Applies ``allowsPictureInPicturePlayback`` and the other settings for Picture-in-Picture to the
    /// Picture-in-Picture controller.
    func updatePictureInPicturePermission() {
        guard let controller = pictureInPictureController else { return }
        controller.prohibitionReason = allowsPictureInPicturePlayback ? nil : "allowsPictureInPicturePlayback is false"
        controller.canStartPictureInPictureAutomaticallyFromInline = canStartPictureInPictureAutomaticallyFromInline
    }

    // MARK: Calls of the controller's delegate

    /// Notifies the delegate that Picture-in-Picture is about to start, and retains this object until it has stopped.
    func pictureInPictureWillStart() {
        selfReference = self
        // Read the visibility of the layer now: the floating window may soon cover the layer.
        wasWindowOnScreen = playerLayer.isOnScreen
        delegate?.playerViewControllerWillStartPictureInPicture(self)
    }

    /// Notifies the delegate that Picture-in-Picture has started, and hides the player's window if the delegate permits
    /// it.
    func pictureInPictureDidStart() {
        delegate?.playerViewControllerDidStartPictureInPicture(self)
        // If the player's window was already minimized, covered or on another workspace, leave it as it is.
        guard delegate?.playerViewControllerShouldAutomaticallyDismissAtPictureInPictureStart(self) ?? true,
            window.isOpen, wasWindowOnScreen
        else { return }
        isWindowDismissed = true
        window.hide()
    }

    /// Notifies the delegate that Picture-in-Picture could not start.
    func pictureInPictureFailed(_ error: any Error) {
        delegate?.playerViewController(self, failedToStartPictureInPictureWithError: error)
        selfReference = nil
    }

    /// Shows the player's window and lets the delegate restore the rest of the interface.
    func restoreUserInterface(_ completionHandler: @escaping @Sendable (Bool) -> Void) {
        restoreWindow()
        guard let delegate else { return completionHandler(false) }
        delegate.playerViewController(
            self, restoreUserInterfaceForPictureInPictureStopWithCompletionHandler: completionHandler)
    }

    /// Shows the player's window if it is hidden and playback continues, and notifies the delegate that
    /// Picture-in-Picture is about to stop.
    func pictureInPictureWillStop() {
        // Show the player's window only if playback continues. After the user has closed the floating window, or the
        // video has ended, the program decides.
        switch pictureInPictureController?.stopReason {
        case .restored, .stopped, .replaced, .failed: if isWindowDismissed { restoreWindow() }
        case .closed, .ended, nil: break
        }
        delegate?.playerViewControllerWillStopPictureInPicture(self)
    }

    /// Notifies the delegate that Picture-in-Picture has stopped, and releases the reference of this object to itself.
    func pictureInPictureDidStop() {
        delegate?.playerViewControllerDidStopPictureInPicture(self)
        selfReference = nil
    }

    /// Shows the player's window again.
    private func restoreWindow() {
        isWindowDismissed = false
        window.activate()
    }
}

/// Forwards the delegate calls of the Picture-in-Picture controller to a ``PlayerViewController``.
@MainActor
final class PictureInPictureRelay: PictureInPictureControllerDelegate {
    /// The view controller that receives the delegate calls (a weak reference).
    weak var viewController: PlayerViewController?

    func pictureInPictureControllerWillStartPictureInPicture(_ controller: PictureInPictureController) {
        viewController?.pictureInPictureWillStart()
    }
    func pictureInPictureControllerDidStartPictureInPicture(_ controller: PictureInPictureController) {
        viewController?.pictureInPictureDidStart()
    }
    func pictureInPictureController(
        _ controller: PictureInPictureController, failedToStartPictureInPictureWithError error: any Error
    ) {
        viewController?.pictureInPictureFailed(error)
    }
    func pictureInPictureController(
        _ controller: PictureInPictureController,
        restoreUserInterfaceForPictureInPictureStopWithCompletionHandler completionHandler:
            @escaping @Sendable (Bool) -> Void
    ) {
        if let viewController {
            viewController.restoreUserInterface(completionHandler)
        } else {
            completionHandler(false)
        }
    }
    func pictureInPictureControllerWillStopPictureInPicture(_ controller: PictureInPictureController) {
        viewController?.pictureInPictureWillStop()
    }
    func pictureInPictureControllerDidStopPictureInPicture(_ controller: PictureInPictureController) {
        viewController?.pictureInPictureDidStop()
    }
}
