import SharedFrames
import Testing

@testable import CompositorProtocol

@Suite struct OverlayShapeTests {
    private let size = PixelSize(width: 480, height: 270)
    /// Returns an overlay with the given boxes; nil if a box is invalid.
    private func shape(_ rects: PixelRect...) -> OverlayShape? { OverlayShape(size: size, rects: rects) }

    @Test func overlayBoxesInsideTheWindowAreAccepted() {
        #expect(shape(PixelRect(x: 0, y: 0, width: 480, height: 270))?.byteCount == 480 * 270 * 4)
        #expect(
            shape(PixelRect(x: 479, y: 269, width: 1, height: 1), PixelRect(x: 0, y: 0, width: 2, height: 3))?.byteCount
                == 28)
    }

    @Test func overlayBoxesOutsideTheWindowAreRejected() {
        #expect(shape() == nil)
        for rect in [
            PixelRect(x: -1, y: 0, width: 10, height: 10), PixelRect(x: 0, y: -1, width: 10, height: 10),
            PixelRect(x: 0, y: 0, width: 0, height: 10),
            PixelRect(x: 0, y: 0, width: 10, height: 0), PixelRect(x: 471, y: 0, width: 10, height: 10),
            PixelRect(x: 0, y: 261, width: 10, height: 10),
            PixelRect(x: 4_294_967_295, y: 0, width: 4_294_967_295, height: 1),
            PixelRect(x: 0, y: 0, width: .max, height: .max),
        ] { #expect(shape(rect) == nil, "\(rect)") }
        let smallRect = PixelRect(x: 0, y: 0, width: 1, height: 1)
        #expect(OverlayShape(size: size, rects: [PixelRect](repeating: smallRect, count: 65)) == nil)
        #expect(OverlayShape(size: PixelSize(width: 16385, height: 1), rects: [smallRect]) == nil)
        let largeRect = PixelRect(x: 0, y: 0, width: 16384, height: 1024)
        #expect(
            OverlayShape(size: PixelSize(width: 16384, height: 16384), rects: [largeRect, smallRect]) == nil,
            "more than 64 MB")
    }
}
