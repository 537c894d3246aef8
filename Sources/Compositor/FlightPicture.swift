import SharedFrames
import VideoOutput

/// The converted pixels of a frame, from which a window animation draws the frame in every size that it passes through.
///
/// A scaler works for one pair of sizes, and setting it up takes longer than scaling; an animation changes the size
/// with every step. So the frame is converted once, and each step draws it with nearest-neighbour sampling.
final class FlightPicture {
    /// The size of the converted picture.
    private let size: PixelSize
    private let scaler = PictureScaler()
    /// Owned memory for a picture of ``size`` with contiguous rows, and ``slack``.
    private let pixels: UnsafeMutableBufferPointer<UInt32>
    private var hasPicture = false
    /// For each column of the window at its last width: the column of the converted picture.
    private var columns: [Int] = []

    /// Pixels that a scaler may write beyond the end of the picture.
    private static let slack = 1024

    init(size: PixelSize) {
        self.size = size
        pixels = .allocate(capacity: size.width * size.height + Self.slack)
    }

    deinit { pixels.deallocate() }

    /// Converts a frame to the picture's size.
    ///
    /// - Returns: False if the format is not supported.
    func take(_ picture: PictureMemory, format: FrameFormat) -> Bool {
        let whole = format.samples(
            of: PixelRect(x: 0, y: 0, width: format.orientedSize.width, height: format.orientedSize.height))
        guard let base = UnsafeMutableRawPointer(pixels.baseAddress) else { return false }
        hasPicture = scaler.draw(picture, format: format, source: whole, into: base, size: size, stride: size.width * 4)
        return hasPicture
    }

    /// Draws the frame into BGRX pixels of the size `place`: `place.height` rows, `stride` bytes apart.
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
