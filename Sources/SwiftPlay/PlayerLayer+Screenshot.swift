import Logging
import MediaPipeline
import SharedFrames
import SystemCalls
import VideoOutput

/// A copy of the picture on screen.
package struct Screenshot: Sendable {
    package let width: Int
    package let height: Int
    /// `height` rows of `width` pixels without padding, four bytes each: blue, green, red, and an unused byte.
    package let pixels: [UInt8]
}

extension PlayerLayer {
    /// Returns a closure that copies the picture that is visible now, in square pixels and upright; nil without a
    /// picture. The closure takes long, and may be called once on any thread.
    ///
    /// - Parameter withSubtitles: Whether the copy contains the subtitles.
    /// - Returns: The closure, which returns nil if the format of the picture cannot be converted.
    package func prepareScreenshot(withSubtitles: Bool) -> (@Sendable () -> Screenshot?)? {
        guard let shownFrame = router.currentFrame else { return nil }
        let overlays = withSubtitles ? router.overlaySource : nil, item = player?.currentItem
        let deinterlacing = (player?.deinterlacing ?? .automatic).decoderSetting
        return {
            let frame = item.flatMap { Self.wholeFrame(of: shownFrame, $0, deinterlacing) } ?? shownFrame
            let format = frame.format, size = format.displaySize
            guard !size.isEmpty, size.width <= 16_384, size.height <= 16_384 else { return nil }
            let stride = size.width * 4
            var pixels = [UInt8](repeating: 0, count: stride * size.height + FrameLayout.overreadPadding)
            let geometry = OverlayGeometry(
                windowSize: size, pictureRect: PixelRect(x: 0, y: 0, width: size.width, height: size.height),
                videoSize: format.visibleRect.size)
            let overlay = overlays?.overlay(at: frame.presentationTime, in: geometry)
            let isDrawn = pixels.withUnsafeMutableBytes { buffer in
                guard let baseAddress = buffer.baseAddress else { return false }
                let isDrawn = frame.withPicture {
                    PictureScaler().draw(
                        $0, format: format, source: format.visibleSamples, into: baseAddress, size: size, stride: stride
                    )
                }
                if isDrawn, let overlay { OverlayBlender.blend(overlay, into: baseAddress, size: size, stride: stride) }
                return isDrawn
            }
            guard isDrawn else { return nil }
            pixels.removeLast(FrameLayout.overreadPadding)
            return Screenshot(width: size.width, height: size.height, pixels: pixels)
        }
    }
}

extension PlayerLayer {
    /// Decodes again, at its full size, a frame that was reduced to the size of the floating window. Returns nil if the
    /// frame was not reduced, or if the file has changed since then. Takes as long as a seek.
    private static func wholeFrame(
        of frame: VideoFrame, _ item: PlayerItem, _ deinterlacing: Deinterlacing
    ) -> VideoFrame? {
        guard frame.format.attributes.reduction != nil else { return nil }
        let owner = item.state.withLock { $0.owner }
        let source = ThumbnailSource(
            asset: item.asset, policy: item.asset.policy(default: owner?.openPolicy ?? OpenPolicy()),
            track: item.trackState.playingTracks[.video].map { .id($0) } ?? .automatic, deinterlacing: deinterlacing)
        defer { source.close() }
        let deadline = MonotonicTime.now + wholeFrameTimeout
        do {
            let decodedFrame = try source.frame(at: MediaTime(nanoseconds: frame.presentationTime)) {
                MonotonicTime.now < deadline
            }
            if decodedFrame.presentationTime == frame.presentationTime { return decodedFrame }
            logger.warning("a screenshot has the size of the floating window: the file has another picture now")
        } catch { logger.warning("a screenshot has the size of the floating window: \(error)") }
        return nil
    }

    private static let logger = Logger(label: "screenshot")
    /// The time limit for decoding a frame again, in nanoseconds.
    private static let wholeFrameTimeout: Int64 = 10_000_000_000
}

extension FrameRouter {
    /// The source of overlays (subtitles) on the frames; nil for none.
    var overlaySource: (any OverlaySource)? { state.withLock { $0.overlays } }
}
