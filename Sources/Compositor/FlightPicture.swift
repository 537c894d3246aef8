import SharedFrames
import VideoOutput

/// The pixels of a frame in one size, from which those of every size on the way are taken.
///
/// A scaler is made for one pair of sizes, and making it takes longer than scaling: on the way the size is another each
/// time. So the frame is converted once, and the nearest of its pixels stand in the window, for a quarter of a second
/// of movement.
final class FlightPicture {
    /// Of the pixels kept.
    private let size: PixelSize
    private let scaler = PictureScaler()
    /// Owned: room for a picture of ``size`` without gaps between the rows.
    private let pixels: UnsafeMutableBufferPointer<UInt32>
    private var hasPicture = false
    /// Which column stands in each of the window's; for the last width.
    private var columns: [Int] = []

    /// A scaler may store a few pixels beyond the last.
    private static let slack = 1024

    init(size: PixelSize) {
        self.size = size
        pixels = .allocate(capacity: size.width * size.height + Self.slack)
    }

    deinit { pixels.deallocate() }

    /// - Returns: false when the format cannot be shown.
    func take(_ picture: PictureMemory, format: FrameFormat) -> Bool {
        let whole = format.samples(
            of: PixelRect(x: 0, y: 0, width: format.orientedSize.width, height: format.orientedSize.height))
        guard let base = UnsafeMutableRawPointer(pixels.baseAddress) else { return false }
        hasPicture = scaler.draw(picture, format: format, source: whole, into: base, size: size, stride: size.width * 4)
        return hasPicture
    }

    /// Fills an area of BGRX pixels: `place.height` rows, `stride` bytes apart.
    func draw(into target: UnsafeMutableRawPointer, _ place: PixelSize, _ stride: Int) {
        guard hasPicture, !place.isEmpty else { return }
        if columns.count != place.width { columns = (0..<place.width).map { $0 * size.width / place.width } }
        columns.withUnsafeBufferPointer { columns in
            for y in 0..<place.height {
                let from = y * size.height / place.height * size.width,
                    row = (target + y * stride).assumingMemoryBound(to: UInt32.self)
                for x in 0..<place.width { row[x] = pixels[from &+ columns[x]] }
            }
        }
    }
}
