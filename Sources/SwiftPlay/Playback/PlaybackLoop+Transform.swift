import SharedFrames
import SystemCalls

/// The rotation and the aspect ratio that the user sets for pictures.
extension PlaybackLoop {
    /// The rotation and the aspect ratio that the user has set.
    var pictureTransform: PictureTransform { core.snapshot.withLock { $0.settings.pictureTransform } }

    /// Shows the visible frame and the prepared frame with a changed rotation or aspect ratio.
    func applyPictureTransform() {
        recordPresentedFrames()
        let transform = pictureTransform
        if let frame = displayProgress.preparedFrame?.displayed(with: transform, isNew: true) {
            displayProgress.preparedFrame = frame
        }
        guard let oldFrame = currentItem?.video.lastFrame else { return }
        let frame = oldFrame.displayed(with: transform, isNew: true)
        guard frame !== oldFrame else { return }
        // If a newer frame has replaced the old one on screen in the meantime, do not go back: the prepared frame
        // follows.
        if let router = layer?.router, !router.replace(oldFrame.id, with: frame, due: MonotonicTime.now) { return }
        recordVisibleFrame(frame)
    }
}
