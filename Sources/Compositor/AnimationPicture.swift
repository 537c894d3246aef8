import SharedFrames
import VideoOutput

/// The converted pixels of a video frame, which a window animation draws in each of the animation's sizes.
///
/// A scaler works for one pair of sizes, and its set-up takes longer than the scaling; an animation changes the size
/// with every step. So this class converts the frame once, and each step draws it with nearest-neighbour sampling.
final class AnimationPicture {
    /// The size of the converted picture.
    let size: PixelSize
    /// Converts frames to the picture's size and to BGRX.
    private let scaler = PictureScaler()
    /// Memory for a picture of ``size`` with contiguous rows and ``slackPixelCount`` more pixels; this object owns it.
    private let pixels: UnsafeMutableBufferPointer<UInt32>
    /// Whether ``pixels`` hold a converted frame.
    private var hasPicture = false
    /// The column of the converted picture for each column of the window, for the width that was drawn last.
    private var sourceColumns: [Int] = []

    /// The number of pixels that a scaler may write beyond the end of the picture.
    private static let slackPixelCount = 1024

    init(size: PixelSize) {
        self.size = size
        pixels = .allocate(capacity: size.width * size.height + Self.slackPixelCount)
    }

    deinit { pixels.deallocate() }

    /// Converts a frame to the picture's size.
    ///
    /// - Returns: False if the format is not supported.
    func convert(_ picture: PictureMemory, format: FrameFormat) -> Bool {
        guard let baseAddress = UnsafeMutableRawPointer(pixels.baseAddress) else { return false }
        hasPicture = scaler.draw(
            picture, format: format, source: format.visibleSamples, into: baseAddress, size: size,
            stride: size.width * 4)
        return hasPicture
    }

    /// Draws the converted frame into BGRX pixels of the size `targetSize`: `targetSize.height` rows, `stride` bytes
    /// apart.
    func draw(into target: UnsafeMutableRawPointer, _ targetSize: PixelSize, _ stride: Int) {
        guard hasPicture, !targetSize.isEmpty else { return }
        if sourceColumns.count != targetSize.width {
            sourceColumns = (0..<targetSize.width).map { $0 * size.width / targetSize.width }
        }
        sourceColumns.withUnsafeBufferPointer { sourceColumns in
            for y in 0..<targetSize.height {
                let rowStart = y * size.height / targetSize.height * size.width,
                    targetRow = (target + y * stride).assumingMemoryBound(to: UInt32.self)
                for x in 0..<targetSize.width { targetRow[x] = pixels[rowStart &+ sourceColumns[x]] }
            }
        }
    }
}
