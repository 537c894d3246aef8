import CompositorProtocol
import SharedFrames
import SystemCalls
import VideoOutput

/// The picture of a layer for the overview.
extension PlayerLayer: SnapshotSource {
    /// The number of bytes beyond the last pixel that a scaler may overwrite.
    private static let slackByteCount = 4096

    /// Draws the current picture with its subtitles.
    func drawSnapshot() throws(SystemCallError) -> LayerSnapshot? {
        guard let frame = router.currentFrame else { return nil }
        let format = frame.format, size = SnapshotShape.size(reducing: format.displaySize)
        guard !size.isEmpty else { return nil }
        let stride = size.width * 4
        let file = try MemoryFile(name: "snapshot", size: stride * size.height + Self.slackByteCount)
        let mapping = try file.map(writable: true)
        let geometry = OverlayGeometry(
            windowSize: size, pictureRect: PixelRect(x: 0, y: 0, width: size.width, height: size.height),
            videoSize: format.visibleRect.size)
        let isDrawn = frame.withPicture {
            PictureScaler().draw(
                $0, format: format, source: format.visibleSamples, into: mapping.base, size: size, stride: stride)
        }
        guard isDrawn else { return nil }
        if let overlay = router.overlaySource?.overlay(at: frame.presentationTime, in: geometry) {
            OverlayBlender.blend(overlay, into: mapping.base, size: size, stride: stride)
        }
        let item = player?.currentItem
        return LayerSnapshot(
            shape: SnapshotShape(width: UInt32(size.width), height: UInt32(size.height), stride: UInt32(stride)),
            title: item.map { $0.title ?? $0.displayedName } ?? "", file: file)
    }
}
