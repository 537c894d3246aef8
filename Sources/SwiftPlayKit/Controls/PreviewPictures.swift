import Dispatch
import SharedFrames
import SwiftPlay

/// Small pictures of moments of an item, for the place on the scrubber that the pointer is at. Main queue only.
///
/// They are taken out of the file by a decoder of their own, one at a time; the newest that is wanted wins.
@MainActor
final class PreviewPictures {
    private struct Request: Equatable, Sendable {
        var key: Int
        var seconds: Double
    }

    /// An item is cut into so many moments.
    private static let moments = 400
    /// So many are kept: some 5 MB.
    private static let limit = 64
    /// After so many in a row that cannot be had, none are asked for.
    private static let patience = 3

    private var cache = PreviewCache<PreviewPicture>(limit: limit)
    private var work = NewestWins<Request>()
    private var generator: ImageGenerator?
    private weak var item: PlayerItem?
    private var size = PixelSize(width: 0, height: 0)
    private var failures = 0
    /// Stays until the next one is there.
    private var shown: PreviewPicture?
    /// Counts the generators, so that what an old one brings is not taken.
    private var generation = 0
    /// There is a picture that was not there before.
    var onPicture: (() -> Void)?

    /// The picture at a part of an item, 0 to 1, or the one before until it is there; nil where there is none.
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

    /// What is read twice must be there twice, and a picture that does not change needs no preview.
    private static func canShow(_ item: PlayerItem) -> Bool {
        item.isSeekable && item.location != "-" && item.mediaSelectionGroup(forMediaCharacteristic: .visual) != nil
    }

    /// Gives the decoder back; the pictures stay.
    func rest() {
        shown = nil
        work = NewestWins()
        generation += 1
        guard let old = generator.take() else { return }
        // Its thread is joined where nobody waits for it.
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
    /// nil: not BGRX.
    init?(_ image: PixelBuffer, key: Int) {
        guard image.pixelFormat == .bgrx else { return nil }
        let row = image.width * 4, stride = image.bytesPerRow(ofPlane: 0)
        let pixels = image.withUnsafeBytes(ofPlane: 0) { bytes in
            (0..<image.height).flatMap { bytes[$0 * stride..<$0 * stride + row] }
        }
        self.init(key: key, size: PixelSize(width: image.width, height: image.height), pixels: pixels)
    }
}
