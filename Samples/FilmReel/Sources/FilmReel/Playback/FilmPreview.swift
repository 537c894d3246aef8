import SwiftPlay

/// Plays a film without sound, as pictures in the size of a poster. Used on the main thread.
@MainActor
final class FilmPreview {
    /// The index of the poster that the moving pictures replace.
    let index: Int
    private let title: String
    private let tile: PixelSize
    private let player: Player
    private let output = PlayerItemVideoOutput()
    private var observation: Player.Observation?
    /// Called once if the preview ends before it is closed, with the reason of a failure; nil at the end of the film.
    private var onEnd: ((String?) -> Void)?

    /// Starts playback without sound.
    ///
    /// - Parameters:
    ///   - film: The film.
    ///   - index: The index of the poster that the moving pictures replace.
    ///   - tile: The size of the poster.
    ///   - onEnd: Called once if the preview ends before it is closed, with the reason of a failure; nil at the end of
    ///     the film. The receiver closes the preview.
    /// - Throws: `PlaybackError` if no player can be created.
    init(film: Film, index: Int, tile: PixelSize, onEnd: @escaping (String?) -> Void) throws {
        (self.index, self.tile, title) = (index, tile, film.title)
        var configuration = PlayerConfiguration()
        // Disable audio, so that the preview does not interrupt other programs.
        configuration.audioOutput = .none
        configuration.decoderThreads = 1
        player = try Player(configuration: configuration)
        let item = PlayerItem(location: film.path)
        output.suppressesPlayerRendering = true
        item.add(output)
        self.onEnd = onEnd
        observation = player.observe { [weak self] notification in
            switch notification {
            case .didPlayToEnd: self?.end()
            case .itemFailed(_, let error), .failedToPlayToEnd(_, let error): self?.end(because: error.message)
            default: break
            }
        }
        player.replaceCurrentItem(with: item)
        player.play()
    }

    /// Ends the preview without a call of `onEnd`.
    func close() {
        onEnd = nil
        observation = nil
        player.close()
    }

    /// Calls `onEnd`, unless it was called before.
    private func end(because reason: String? = nil) {
        guard let onEnd else { return }
        self.onEnd = nil
        onEnd(reason)
    }

    /// Returns the picture that is due; nil if no new picture is due. A picture with an unsupported pixel
    /// format ends the preview.
    func nextPicture() -> HeapPoster? {
        let time = output.itemTime(forHostTime: Timebase.hostTime)
        guard output.hasNewPixelBuffer(forItemTime: time),
            let picture = output.copyPixelBuffer(forItemTime: time)?.buffer
        else { return nil }
        return poster(of: picture)
    }

    /// Converts a picture to the size of the poster. Ends the preview and returns nil if the pixel format is not
    /// supported.
    private func poster(of picture: PixelBuffer) -> HeapPoster? {
        let chromaScale: PixelSize
        switch picture.pixelFormat {
        case .yuv420p, .yuvj420p: chromaScale = PixelSize(width: 2, height: 2)
        case .yuv422p, .yuvj422p: chromaScale = PixelSize(width: 2, height: 1)
        case .yuv444p, .yuvj444p: chromaScale = PixelSize(width: 1, height: 1)
        default:
            end(because: "\(title): there is no preview for the pixel format \(picture.pixelFormat.rawValue)")
            return nil
        }
        let size = PixelSize(width: picture.width, height: picture.height), aspect = picture.sampleAspectRatio
        let crop = PosterCrop(
            source: size, tile: tile,
            sampleAspect: PixelSize(width: aspect.horizontalSpacing, height: aspect.verticalSpacing))
        let scaler = PreviewScaler(
            crop: crop, chromaScale: chromaScale, isFullRange: picture.isFullRange,
            coefficients: .init(matrix: picture.colorMatrix, size: size))
        return HeapPoster(
            picture.withUnsafeBytes(ofPlane: 0) { luma in
                picture.withUnsafeBytes(ofPlane: 1) { cb in
                    picture.withUnsafeBytes(ofPlane: 2) { cr in
                        scaler.pixels(
                            luma: .init(bytes: luma, bytesPerRow: picture.bytesPerRow(ofPlane: 0)),
                            cb: .init(bytes: cb, bytesPerRow: picture.bytesPerRow(ofPlane: 1)),
                            cr: .init(bytes: cr, bytesPerRow: picture.bytesPerRow(ofPlane: 2)))
                    }
                }
            })
    }
}
