import Dispatch
import SwiftPlay

extension PlayerViewController {
    /// Whether there is a button for it. One that is there may still fail: the delegate hears why.
    var offersPictureInPicture: Bool {
        guard let pictureInPictureController, allowsPictureInPicturePlayback, PictureInPictureController.sessionPermits
        else { return false }
        return pictureInPictureController.unavailableReason == nil && player?.currentItem?.hasVideo == true
    }

    /// Moves the picture into the floating window, as the button does. The delegate is told the outcome after this has
    /// returned: a start that is not permitted, too, with the reason.
    public func startPictureInPicture() {
        if let pictureInPictureController { return pictureInPictureController.startPictureInPicture() }
        let error = PlaybackError(
            .pictureInPictureStartFailed,
            "Picture-in-Picture is not possible: there is neither an X display nor a terminal")
        DispatchQueue.main.async { [weak self] in MainActor.assumeIsolated { self?.pictureInPictureFailed(error) } }
    }

    /// Brings it back, as the restore button does.
    public func stopPictureInPicture() { pictureInPictureController?.stopPictureInPicture() }

    /// Whether the picture floats.
    public var isPictureInPictureActive: Bool { pictureInPictureController?.isPictureInPictureActive ?? false }

    /// How the last Picture-in-Picture ended; nil before the first has. After `.closed` and `.ended` a window that was
    /// put away stays so: `window.activate()` brings it back.
    public var pictureInPictureStopReason: PictureInPictureStopReason? { pictureInPictureController?.stopReason }

    func permitPictureInPicture() {
        guard let floating = pictureInPictureController else { return }
        floating.prohibition = allowsPictureInPicturePlayback ? nil : "allowsPictureInPicturePlayback is false"
        floating.canStartPictureInPictureAutomaticallyFromInline = canStartPictureInPictureAutomaticallyFromInline
    }

    // MARK: what becomes of it

    func pictureInPictureWillStart() {
        keptAlive = self
        // The floating window begins in the picture's place, and covers it.
        wasOnScreen = playerLayer.isOnScreen
        delegate?.playerViewControllerWillStartPictureInPicture(self)
    }

    func pictureInPictureDidStart() {
        delegate?.playerViewControllerDidStartPictureInPicture(self)
        // One that is out of sight stays where it is: that is where the user looks for it.
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
        // A film that plays on must be seen somewhere. What the user closed, or what is over, is the program's to bring
        // back.
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

    /// Brings the window before the user.
    private func showAgain() {
        isDismissed = false
        window.activate()
    }
}

/// Hands on what a window's Picture-in-Picture tells: that it does so is nobody else's business.
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
