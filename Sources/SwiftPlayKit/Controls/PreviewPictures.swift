import Dispatch
import SharedFrames
import SwiftPlay

/// Preview pictures of an item for the position of the pointer on the slider. Main queue only.
///
/// A decoder of their own creates them one at a time; the newest request wins.
@MainActor
final class PreviewPictures {
    private struct Request: Equatable, Sendable {
        var key: Int
        var seconds: Double
    }

    /// The number of preview positions of an item.
    private static let moments = 400
    /// The number of pictures in the cache: about 5 MB.
    private static let limit = 64
    /// The number of failures in a row after which no more pictures are requested.
    private static let patience = 3

    private var cache = PreviewCache<PreviewPicture>(limit: limit)
    private var work = NewestWins<Request>()
    private var generator: ImageGenerator?
    private weak var item: PlayerItem?
    private var size = PixelSize(width: 0, height: 0)
    private var failures = 0
    /// The picture that is shown until the next one is ready.
    private var shown: PreviewPicture?
    /// The number of the current generator, so that results of an older one are ignored.
    private var generation = 0
    /// Called when a new picture is ready.
    var onPicture: (() -> Void)?

    /// Returns the picture at a part of an item, 0 to 1, or the previous picture until it is ready; nil if there is
    /// none.
    func picture(at part: Double, of item: PlayerItem, limit: PixelSize) -> PreviewPicture? {
        if self.item !== item || size != limit { forget(item, limit) }
        let duration = item.duration.seconds
        guard duration.isFinite, duration > 0, failures < Self.patience, Self.canShow(item) else { return nil }
        let key = min(Self.moments - 1, Int(part * Double(Self.moments)))
        if let known = cache.picture(at: key) {
            work.forget()
            shown = known
        } else if let request = work.want(Request(key: key, seconds: duration * Double(key) / Double(Self.moments))) {
            begin(request)
        }
        return shown
    }

    /// Only files that can be read twice, and videos with more than one picture, have previews.
    private static func canShow(_ item: PlayerItem) -> Bool {
        item.isSeekable && item.location != "-" && item.mediaSelectionGroup(forMediaCharacteristic: .visual) != nil
    }

    /// Releases the decoder. The pictures stay.
    func rest() {
        shown = nil
        work = NewestWins()
        generation += 1
        guard let old = generator.take() else { return }
        // Releases it on another queue, because that joins its thread.
        DispatchQueue.global(qos: .utility).async { withExtendedLifetime(old) {} }
    }

    private func forget(_ new: PlayerItem, _ limit: PixelSize) {
        rest()
        cache.clear()
        failures = 0
        (item, size) = (new, limit)
    }

    private func begin(_ request: Request) {
        guard let item else { return }
        let generator: ImageGenerator
        if let known = self.generator {
            generator = known
        } else {
            generator = ImageGenerator(item: item)
            generator.maximumSize = VideoSize(width: size.width, height: size.height)
            generator.appliesPreferredTrackTransform = true
            self.generator = generator
        }
        let number = generation
        Task { [weak self] in
            let image = try? await generator.image(at: MediaTime(seconds: request.seconds)).image
            self?.finish(request, image.flatMap { PreviewPicture($0, key: request.key) }, number)
        }
    }

    private func finish(_ request: Request, _ picture: PreviewPicture?, _ number: Int) {
        guard number == generation else { return }
        if let picture {
            failures = 0
            cache.keep(picture, at: request.key)
            shown = picture
        } else {
            failures += 1
        }
        if failures < Self.patience, let next = work.finish() { begin(next) }
        onPicture?()
    }
}

extension PreviewPicture {
    /// Returns the pixels of a picture; nil if they are not BGRX.
    init?(_ image: PixelBuffer, key: Int) {
        guard image.pixelFormat == .bgrx else { return nil }
        let row = image.width * 4, stride = image.bytesPerRow(ofPlane: 0)
        let pixels = image.withUnsafeBytes(ofPlane: 0) { bytes in
            (0..<image.height).flatMap { bytes[$0 * stride..<$0 * stride + row] }
        }
        self.init(key: key, size: PixelSize(width: image.width, height: image.height), pixels: pixels)
    }
}
