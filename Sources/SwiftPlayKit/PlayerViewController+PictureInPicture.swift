import Dispatch
import SwiftPlay

extension PlayerViewController {
    /// Whether the Picture-in-Picture button is shown. A start may still fail; the delegate receives the reason.
    var offersPictureInPicture: Bool {
        guard let pictureInPictureController, allowsPictureInPicturePlayback, PictureInPictureController.sessionPermits
        else { return false }
        return pictureInPictureController.unavailableReason == nil && player?.currentItem?.hasVideo == true
    }

    /// Starts Picture-in-Picture, as the button does. The delegate is called after this method has returned, also if
    /// the start is not permitted.
    public func startPictureInPicture() {
        if let pictureInPictureController { return pictureInPictureController.startPictureInPicture() }
        let error = PlaybackError(
            .pictureInPictureStartFailed,
            "Picture-in-Picture is not possible: there is neither an X display nor a terminal")
        DispatchQueue.main.async { [weak self] in MainActor.assumeIsolated { self?.pictureInPictureFailed(error) } }
    }

    /// Stops Picture-in-Picture, as the restore button does.
    public func stopPictureInPicture() { pictureInPictureController?.stopPictureInPicture() }

    /// Whether the picture floats.
    public var isPictureInPictureActive: Bool { pictureInPictureController?.isPictureInPictureActive ?? false }

    /// The reason why the last Picture-in-Picture ended; nil before the first end. After `.closed` and `.ended` a
    /// hidden window stays hidden: ``PlayerWindow/activate()`` shows it.
    public var pictureInPictureStopReason: PictureInPictureStopReason? { pictureInPictureController?.stopReason }

    func permitPictureInPicture() {
        guard let floating = pictureInPictureController else { return }
        floating.prohibition = allowsPictureInPicturePlayback ? nil : "allowsPictureInPicturePlayback is false"
        floating.canStartPictureInPictureAutomaticallyFromInline = canStartPictureInPictureAutomaticallyFromInline
    }

    // MARK: What becomes of it

    func pictureInPictureWillStart() {
        keptAlive = self
        // The floating window starts over the picture and covers it.
        wasOnScreen = playerLayer.isOnScreen
        delegate?.playerViewControllerWillStartPictureInPicture(self)
    }

    func pictureInPictureDidStart() {
        delegate?.playerViewControllerDidStartPictureInPicture(self)
        // A window that is out of sight stays where the user left it.
        guard delegate?.playerViewControllerShouldAutomaticallyDismissAtPictureInPictureStart(self) ?? true,
            window.isOpen, wasOnScreen
        else { return }
        isDismissed = true
        window.hide()
    }

    func pictureInPictureFailed(_ error: any Error) {
        delegate?.playerViewController(self, failedToStartPictureInPictureWithError: error)
        keptAlive = nil
    }

    func restoreUserInterface(_ completionHandler: @escaping @Sendable (Bool) -> Void) {
        showAgain()
        guard let delegate else { return completionHandler(false) }
        delegate.playerViewController(
            self, restoreUserInterfaceForPictureInPictureStopWithCompletionHandler: completionHandler)
    }

    func pictureInPictureWillStop() {
        // If playback continues, the window is shown. After a close or the end, the program decides.
        switch pictureInPictureController?.stopReason {
        case .restored, .stopped, .replaced, .failed: if isDismissed { showAgain() }
        case .closed, .ended, nil: break
        }
        delegate?.playerViewControllerWillStopPictureInPicture(self)
    }

    func pictureInPictureDidStop() {
        delegate?.playerViewControllerDidStopPictureInPicture(self)
        keptAlive = nil
    }

    /// Shows the window.
    private func showAgain() {
        isDismissed = false
        window.activate()
    }
}

/// Forwards the delegate calls of the Picture-in-Picture controller.
@MainActor
final class PictureInPictureRelay: PictureInPictureControllerDelegate {
    weak var owner: PlayerViewController?

    func pictureInPictureControllerWillStartPictureInPicture(_ controller: PictureInPictureController) {
        owner?.pictureInPictureWillStart()
    }
    func pictureInPictureControllerDidStartPictureInPicture(_ controller: PictureInPictureController) {
        owner?.pictureInPictureDidStart()
    }
    func pictureInPictureController(
        _ controller: PictureInPictureController, failedToStartPictureInPictureWithError error: any Error
    ) {
        owner?.pictureInPictureFailed(error)
    }
    func pictureInPictureController(
        _ controller: PictureInPictureController,
        restoreUserInterfaceForPictureInPictureStopWithCompletionHandler completionHandler:
            @escaping @Sendable (Bool) -> Void
    ) {
        if let owner { owner.restoreUserInterface(completionHandler) } else { completionHandler(false) }
    }
    func pictureInPictureControllerWillStopPictureInPicture(_ controller: PictureInPictureController) {
        owner?.pictureInPictureWillStop()
    }
    func pictureInPictureControllerDidStopPictureInPicture(_ controller: PictureInPictureController) {
        owner?.pictureInPictureDidStop()
    }
}
