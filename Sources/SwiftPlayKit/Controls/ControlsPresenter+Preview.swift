import SwiftPlay

/// The preview over the position slider.
extension ControlsPresenter {
    /// Returns the preview of the time under the pointer; nil if the pointer is not over the position slider.
    func sliderPreview(_ state: ControlsState, _ layout: PlayerControlsLayout, _ hoveredControl: PlayerControl?)
        -> ControlsScene.SliderPreview?
    {
        guard hoveredControl == .scrubber, state.canSeek, let duration = state.duration, let position = pointer.position
        else { return nil }
        let line = layout.positionLine, x = min(max(position.x, line.x), line.x + line.width - 1),
            fraction = layout.positionFraction(x: x)
        var preview = ControlsScene.SliderPreview(x: x, text: ControlsState.clockText(fraction * duration))
        preview.chapterName = state.chapterName(at: fraction * duration)
        // No preview picture during a drag: the video itself shows the position.
        if !pointer.isScrubbing, let item = layer.player?.currentItem {
            preview.picture = previews.picture(at: fraction, of: item, maximumSize: layout.maximumPreviewSize)
        }
        return preview
    }
}
