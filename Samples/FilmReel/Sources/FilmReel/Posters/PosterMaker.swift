import SwiftPlay

/// Makes posters: a picture, or a still of a film, scaled and cropped to a size. Any thread.
struct PosterMaker: Sendable {
    /// The size of the posters.
    let tile: PixelArea

    /// The number of bytes of a BGRX pixel.
    static let bytesPerPixel = 4
    /// The longest time that a still may take, in seconds. Files on a sleeping disk need the most.
    private static let deadline = 20.0
    /// The widest shape that is scaled exactly: 4 times as wide as the poster.
    private static let widestShape = 4

    /// Makes the poster of a film. Blocks until the film is decoded.
    ///
    /// - Returns: Rows of BGRX pixels without padding.
    /// - Throws: The error of `ImageGenerator`; ``FilmReelError`` if the film takes too long.
    func makePoster(of film: Film) throws -> [UInt8] {
        let generator = ImageGenerator(location: film.path)
        generator.maximumSize = VideoSize(width: tile.width * Self.widestShape, height: tile.height)
        generator.appliesPreferredTrackTransform = true
        let time = film.isPicture ? 0 : stillTime(of: film)
        do { return crop(try still(of: generator, at: time)) } catch let error as PlaybackError {
            // The film is shorter than the time.
            guard error.code == .notFound, time > 0 else { throw error }
            return crop(try still(of: generator, at: 0))
        }
    }

    /// Returns the time of the still in seconds: different for each path, because films of a series begin alike.
    private func stillTime(of film: Film) -> Double {
        let sum = film.path.utf8.reduce(UInt32(5381)) { $0 &* 33 &+ UInt32($1) }
        return 1 + Double(sum % 80) / 10
    }

    /// Waits for a still.
    private func still(of generator: ImageGenerator, at seconds: Double) throws -> PixelBuffer {
        let answer = StillAnswer()
        // The generator's thread is created here, and inherits the priority of the calling thread.
        let images = generator.images(for: [MediaTime(seconds: seconds)])
        let task = Task {
            for await image in images { answer.set(image.result) }
        }
        defer { task.cancel() }
        guard let result = answer.wait(seconds: Self.deadline) else {
            throw FilmReelError("\(generator.asset.location): no still within \(Int(Self.deadline)) s")
        }
        return try result.get()
    }

    /// Returns the middle of a picture in the size of a poster.
    private func crop(_ picture: PixelBuffer) -> [UInt8] {
        let crop = PosterCrop(source: PixelArea(width: picture.width, height: picture.height), tile: tile)
        let stride = picture.bytesPerRow(ofPlane: 0)
        return picture.withUnsafeBytes(ofPlane: 0) { crop.pixels(of: $0, bytesPerRow: stride) }
    }
}
