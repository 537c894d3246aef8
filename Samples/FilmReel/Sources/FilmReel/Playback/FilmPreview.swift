import SwiftPlay

/// Plays a film without sound, as pictures in the size of a poster. Used on the main thread.
@MainActor
final class FilmPreview {
    /// The index of the poster that the moving pictures replace.
    let index: Int
    private let tile: PixelSize
    private let player: Player
    private let output = PlayerItemVideoOutput()

    /// Starts playback without sound.
    ///
    /// - Throws: `PlaybackError` if no player can be created.
    init(film: Film, index: Int, tile: PixelSize) throws {
        (self.index, self.tile) = (index, tile)
        var configuration = PlayerConfiguration()
        // Disable audio, so that the preview does not interrupt other programs.
        configuration.audioOutput = .none
        configuration.decoderThreads = 1
        player = try Player(configuration: configuration)
        let item = PlayerItem(location: film.path)
        output.suppressesPlayerRendering = true
        item.add(output)
        player.replaceCurrentItem(with: item)
        player.play()
    }

    /// Ends the preview.
    func close() { player.close() }

    /// Returns the picture that is due; nil if this method has already returned it.
    func nextPicture() -> HeapPoster? {
        let time = output.itemTime(forHostTime: Timebase.hostTime)
        guard output.hasNewPixelBuffer(forItemTime: time),
            let picture = output.copyPixelBuffer(forItemTime: time)?.buffer
        else { return nil }
        return poster(of: picture)
    }

    /// Converts a picture to the size of the poster; returns nil for pixel formats that the preview does not support.
    private func poster(of picture: PixelBuffer) -> HeapPoster? {
        let chromaScale: PixelSize
        switch picture.pixelFormat {
        case .yuv420p, .yuvj420p: chromaScale = PixelSize(width: 2, height: 2)
        case .yuv422p, .yuvj422p: chromaScale = PixelSize(width: 2, height: 1)
        case .yuv444p, .yuvj444p: chromaScale = PixelSize(width: 1, height: 1)
        default: return nil
        }
        let crop = PosterCrop(source: PixelSize(width: picture.width, height: picture.height), tile: tile)
        let scaler = PreviewScaler(crop: crop, chromaScale: chromaScale, isFullRange: picture.isFullRange)
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
