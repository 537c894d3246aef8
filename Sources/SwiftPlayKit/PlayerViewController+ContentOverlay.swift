import SharedFrames
import VideoOutput

extension PlayerViewController {
    /// A closure that returns the pictures to draw over the video, in drawing order.
    ///
    /// - Parameters:
    ///   - width: The width of the window in pixels.
    ///   - height: The height of the window in pixels.
    public typealias ContentOverlay = @MainActor (_ width: Int, _ height: Int) -> [OverlayImage]

    /// A picture to draw over the video, with its position in the window.
    public struct OverlayImage: Sendable, Equatable {
        /// The pixels of the picture and their position in the window.
        let box: OverlayPicture.Box

        /// Creates a picture; nil if `premultipliedBGRA` does not have `width * height * 4` bytes.
        ///
        /// - Parameters:
        ///   - x: The distance from the window's left edge in pixels. A picture that exceeds the window is not drawn.
        ///   - y: The distance from the window's top edge in pixels.
        ///   - width: The width in pixels.
        ///   - height: The height in pixels.
        ///   - premultipliedBGRA: `height` rows of `width` pixels, without padding between the rows. Each pixel has
        ///     four bytes: blue, green and red, multiplied by alpha, and alpha.
        ///     ``TemplateImage/premultipliedBGRA(red:green:blue:)`` returns such bytes.
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

    /// Calls ``contentOverlay`` and draws the pictures that it returns.
    public func updateContentOverlay() {
        guard let windowOutput = window.windowOutput else { return }
        let size = windowOutput.size
        var boxes = contentOverlay?(size.width, size.height).map(\.box) ?? []
        if let textPage, let box = Self.box(of: textPage, in: size) { boxes.append(box) }
        windowOutput.setContentOverlay(boxes.isEmpty ? nil : OverlayPicture(size: size, boxes: boxes))
        playerLayer.router.redraw()
    }
}
