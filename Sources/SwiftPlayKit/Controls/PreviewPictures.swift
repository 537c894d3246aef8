import Dispatch
import SharedFrames
import SwiftPlay

/// Supplies preview pictures of an item for the position of the pointer on the position slider. Main queue only.
///
/// A separate decoder creates the pictures one at a time. Only the newest waiting request is kept.
@MainActor
final class PreviewPictures {
    /// A request to decode the picture at one of the preview positions.
    private struct Request: Equatable, Sendable {
        /// The number of the preview position, from 0.
        var positionIndex: Int
        /// The time of the preview position in seconds from the start of the item.
        var seconds: Double
    }

    /// The number of preview positions of an item.
    private static let positionCount = 400
    /// The maximum number of pictures in the cache; together about 5 MB for pictures of 192x108 pixels.
    private static let cacheCapacity = 64
    /// The number of consecutive failed requests after which no more pictures are requested for the item.
    private static let retryLimit = 3

    /// The pictures of the item that were used last.
    private var cache = PreviewCache<PreviewPicture>(maximumCount: cacheCapacity)
    /// The request whose picture is being decoded, and the newest request that waits.
    private var requests = LatestRequest<Request>()
    /// Decodes the pictures; nil until the first request and after ``releaseDecoder()``.
    private var generator: ImageGenerator?
    /// The item whose pictures are in the cache.
    private weak var item: PlayerItem?
    /// The maximum size of the preview pictures, in pixels.
    private var maximumSize = PixelSize(width: 0, height: 0)
    /// The number of consecutive failed requests for preview pictures.
    private var failureCount = 0
    /// The preview picture that is shown now; it stays until the next picture is ready.
    private var shownPicture: PreviewPicture?
    /// The number of the current decoder. A picture of an older decoder is ignored.
    private var decoderNumber = 0
    /// Called when a request for a preview picture has ended, with or without a picture.
    var onRequestEnd: (() -> Void)?

    /// Returns the picture at a position within an item, 0 to 1, or the previous picture until the new one is ready;
    /// nil if there is neither.
    func picture(at fraction: Double, of item: PlayerItem, maximumSize: PixelSize) -> PreviewPicture? {
        if self.item !== item || self.maximumSize != maximumSize { discardPictures(for: item, maximumSize) }
        let duration = item.duration.seconds
        guard duration.isFinite, duration > 0, failureCount < Self.retryLimit, Self.canHavePreviews(item) else {
            return nil
        }
        let positionIndex = min(Self.positionCount - 1, Int(fraction * Double(Self.positionCount)))
        let seconds = duration * Double(positionIndex) / Double(Self.positionCount)
        if let cachedPicture = cache.picture(at: positionIndex) {
            requests.discardWaitingValue()
            shownPicture = cachedPicture
        } else if let request = requests.request(Request(positionIndex: positionIndex, seconds: seconds)) {
            generate(request)
        }
        return shownPicture
    }

    /// Returns whether an item can have previews: it is seekable, can be opened twice, and has a video track other than
    /// a cover picture.
    private static func canHavePreviews(_ item: PlayerItem) -> Bool {
        item.isSeekable && item.location != "-" && item.mediaSelectionGroup(forMediaCharacteristic: .visual) != nil
    }

    /// Stops creating pictures and releases the decoder. The pictures in the cache stay.
    func releaseDecoder() {
        shownPicture = nil
        requests = LatestRequest()
        decoderNumber += 1
        guard let releasedGenerator = generator.take() else { return }
        // Release the generator on another queue, because the release waits for the generator's thread.
        DispatchQueue.global(qos: .utility).async { withExtendedLifetime(releasedGenerator) {} }
    }

    /// Discards all preview pictures, and prepares for an item and a maximum size of the pictures.
    private func discardPictures(for newItem: PlayerItem, _ maximumSize: PixelSize) {
        releaseDecoder()
        cache.clear()
        failureCount = 0
        (item, self.maximumSize) = (newItem, maximumSize)
    }

    /// Starts to decode the picture of a request.
    private func generate(_ request: Request) {
        guard let item else { return }
        let generator: ImageGenerator
        if let existingGenerator = self.generator {
            generator = existingGenerator
        } else {
            generator = ImageGenerator(item: item)
            generator.maximumSize = VideoSize(width: maximumSize.width, height: maximumSize.height)
            generator.appliesPreferredTrackTransform = true
            self.generator = generator
        }
        let number = decoderNumber
        Task { [weak self] in
            let image = try? await generator.image(at: MediaTime(seconds: request.seconds)).image
            let picture = image.flatMap {
                PreviewPicture($0, positionIndex: request.positionIndex, decoderNumber: number)
            }
            self?.finishRequest(request, picture, number)
        }
    }

    /// Stores the decoded picture of a request and starts the waiting request. Does nothing if the decoder was released
    /// in the meantime.
    private func finishRequest(_ request: Request, _ picture: PreviewPicture?, _ requestDecoderNumber: Int) {
        guard requestDecoderNumber == decoderNumber else { return }
        if let picture {
            failureCount = 0
            cache.store(picture, at: request.positionIndex)
            shownPicture = picture
        } else {
            failureCount += 1
        }
        if failureCount < Self.retryLimit, let nextRequest = requests.finish() { generate(nextRequest) }
        onRequestEnd?()
    }
}

extension PreviewPicture {
    /// Creates a preview picture by copying a decoded picture; nil if its pixels are not BGRX.
    init?(_ image: PixelBuffer, positionIndex: Int, decoderNumber: Int) {
        guard image.pixelFormat == .bgrx else { return nil }
        let rowBytes = image.width * 4, stride = image.bytesPerRow(ofPlane: 0)
        let pixels = image.withUnsafeBytes(ofPlane: 0) { bytes in
            (0..<image.height).flatMap { bytes[$0 * stride..<$0 * stride + rowBytes] }
        }
        let size = PixelSize(width: image.width, height: image.height)
        self.init(positionIndex: positionIndex, decoderNumber: decoderNumber, size: size, pixels: pixels)
    }
}
