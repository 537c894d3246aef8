import SharedFrames
import VideoOutput

extension PlayerViewController {
    /// Returns the pictures over a window's content, in the order in which they are drawn.
    ///
    /// - Parameters:
    ///   - width: The width of the window in pixels.
    ///   - height: The height of the window in pixels.
    public typealias ContentOverlay = @MainActor (_ width: Int, _ height: Int) -> [OverlayImage]

    /// A picture at a position in a window.
    public struct OverlayImage: Sendable, Equatable {
        let box: OverlayPicture.Box

        /// Creates a picture; nil if it does not have `width * height * 4` bytes.
        ///
        /// - Parameters:
        ///   - x: The distance from the window's left edge in pixels. A picture that exceeds the window is not drawn.
        ///   - y: The distance from the window's top edge in pixels.
        ///   - width: The width in pixels.
        ///   - height: The height in pixels.
        ///   - premultipliedBGRA: `height` rows of `width` pixels without gaps, four bytes each: blue, green and red,
        ///     multiplied by alpha, and alpha. ``TemplateImage/premultipliedBGRA(red:green:blue:)`` returns such bytes.
        public init?(x: Int, y: Int, width: Int, height: Int, premultipliedBGRA: [UInt8]) {
            let limit = 16_384
            guard (1...limit).contains(width), (1...limit).contains(height),
                (0...limit).contains(x), (0...limit).contains(y),
                let box = OverlayPicture.Box(
                    rect: PixelRect(x: x, y: y, width: width, height: height), pixels: premultipliedBGRA)
            else { return nil }
            self.box = box
        }
    }

    /// Draws ``contentOverlay`` again.
    public func updateContentOverlay() {
        guard let canvas = window.canvas else { return }
        let size = canvas.size
        let boxes = contentOverlay?(size.width, size.height).map(\.box) ?? []
        canvas.setContentOverlay(boxes.isEmpty ? nil : OverlayPicture(size: size, boxes: boxes))
        playerLayer.router.redraw()
    }
}
