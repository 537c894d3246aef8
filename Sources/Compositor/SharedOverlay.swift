import CompositorProtocol
import SharedFrames
import SystemCalls
import VideoOutput
import WireFormat

/// A program's overlay for its picture, such as subtitles: read-only shared memory, validated. Used by the drawing
/// thread of its surface.
final class SharedOverlay {
    /// The boxes that the overlay's pixels fill.
    private let shape: OverlayShape
    /// The pixels of the boxes, one box after another.
    private let mapping: Mapping
    /// Scales boxes for windows whose size differs from the size for which the overlay was made.
    private let scaler = OverlayScaler()

    /// Maps the overlay's pixels.
    init(_ shape: OverlayShape, descriptor: SharedDescriptor) throws(MalformedMessage) {
        self.shape = shape
        do {
            // The file holds the pixels, rounded up to whole pages.
            let file = try MemoryFile(
                received: FileDescriptor(duplicating: descriptor.raw), minimumSize: shape.byteCount,
                maximumSize: OverlayShape.byteLimit + 4096)
            mapping = try file.map(writable: false)
        } catch { throw MalformedMessage("\(error)") }
    }

    /// Draws the overlay over BGRX pixels.
    ///
    /// If the overlay was made for another window size, it is scaled: the window is being animated, or the program will
    /// soon send a new overlay.
    ///
    /// - Parameters:
    ///   - pixels: The first pixel.
    ///   - size: The size of the picture.
    ///   - stride: The distance between rows, in bytes.
    ///   - lowestRow: The row above which boxes in the lower half must end, so that the controls do not cover them;
    ///     `nil` for no limit.
    func draw(_ pixels: UnsafeMutableRawPointer, _ size: PixelSize, _ stride: Int, above lowestRow: Int? = nil) {
        let lowerHalfShift = lowestRow.map { rowsToMoveUp(above: $0, in: size) } ?? 0
        var offset = 0
        // Scaled boxes may cover the window many times. Limit the work to twice the window's area and skip the rest.
        var remainingPixelCount = 2 * size.width * size.height
        for rect in shape.rects {
            let box = UnsafeRawPointer(mapping.base + offset),
                area = OverlayScaler.area(of: rect, in: shape.size, shownIn: size)
            offset += rect.width * rect.height * 4
            let upwardShift = area.y >= size.height / 2 ? lowerHalfShift : 0
            guard size != shape.size else {
                let shiftedRect = PixelRect(x: rect.x, y: rect.y - upwardShift, width: rect.width, height: rect.height)
                OverlayBlender.blend(box, shiftedRect, into: pixels, size: size, stride: stride)
                continue
            }
            remainingPixelCount -= area.width * area.height
            guard remainingPixelCount >= 0 else { return }
            scaler.blend(box, rect, of: shape.size, lift: upwardShift, into: pixels, size: size, stride: stride)
        }
    }

    /// Returns the number of rows by which all boxes in the lower half move up. All move equally, so that lines of text
    /// keep their distance.
    private func rowsToMoveUp(above lowestRow: Int, in size: PixelSize) -> Int {
        shape.rects.reduce(0) { maximumShift, rect in
            let area = OverlayScaler.area(of: rect, in: shape.size, shownIn: size)
            return area.y >= size.height / 2 ? max(maximumShift, area.y + area.height - lowestRow) : maximumShift
        }
    }
}
