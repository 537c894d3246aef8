import Dispatch
import SwiftPlay
import Synchronization

/// Makes posters: a picture, or a still of a film, scaled and cropped to the size `tile`. Thread-safe.
final class PosterMaker: Sendable {
    private struct State {
        /// The requests for stills that are not answered yet.
        var requests: Set<Task<Void, Never>> = []
        /// Whether further requests fail.
        var isCancelled = false
    }

    /// The size of the posters.
    let tile: PixelSize
    private let state = Mutex(State())

    /// The number of bytes of a BGRX pixel.
    static let bytesPerPixel = 4
    /// The longest time that a poster may take, in seconds. A file on a sleeping disk takes the longest.
    private static let timeLimit = 20.0
    /// The largest width of a still, as a multiple of the poster's width.
    private static let maximumWidthFactor = 4

    init(tile: PixelSize) { self.tile = tile }

    /// Cancels the posters that are being made, and all later ones: ``makePoster(of:)`` throws `CancellationError`.
    func cancel() {
        let requests = state.withLock { state in
            state.isCancelled = true
            return state.requests
        }
        for request in requests { request.cancel() }
    }

    /// Makes the poster of a film. Blocks until the film is decoded.
    ///
    /// - Returns: Rows of BGRX pixels without padding.
    /// - Throws: The error of `ImageGenerator`; ``FilmReelError`` if the film takes too long; `CancellationError` after
    ///   ``cancel()``.
    func makePoster(of film: Film) throws -> [UInt8] {
        let generator = ImageGenerator(location: film.path)
        generator.maximumSize = VideoSize(width: tile.width * Self.maximumWidthFactor, height: tile.height)
        generator.appliesPreferredTrackTransform = true
        let deadline = DispatchTime.now() + Self.timeLimit
        let time = film.isPicture ? 0 : stillTime(of: film)
        do { return crop(try still(of: generator, at: time, until: deadline)) } catch let error as PlaybackError {
            // The film is shorter than `time`, so take its first picture.
            guard error.code == .notFound, time > 0 else { throw error }
            return crop(try still(of: generator, at: 0, until: deadline))
        }
    }

    /// Returns the time of the still in seconds. The time depends on the path, because films of a series begin alike.
    private func stillTime(of film: Film) -> Double {
        let hash = film.path.utf8.reduce(UInt32(5381)) { $0 &* 33 &+ UInt32($1) }
        return 1 + Double(hash % 80) / 10
    }

    /// Returns the still of a film at a time in seconds, and blocks until it is available.
    private func still(of generator: ImageGenerator, at seconds: Double, until deadline: DispatchTime) throws
        -> PixelBuffer
    {
        let stillResult = StillFuture(), time = MediaTime(seconds: seconds)
        let request = Task {
            do { stillResult.set(.success(try await generator.image(at: time).image)) } catch {
                stillResult.set(.failure(error))
            }
        }
        let isCancelled = state.withLock { state in
            state.requests.insert(request)
            return state.isCancelled
        }
        if isCancelled { request.cancel() }
        defer {
            request.cancel()
            state.withLock { _ = $0.requests.remove(request) }
        }
        guard let result = stillResult.wait(until: deadline) else {
            throw FilmReelError("\(generator.asset.location): no still within \(Int(Self.timeLimit)) s")
        }
        return try result.get()
    }

    /// Returns the centre of a picture, scaled to the size of a poster.
    private func crop(_ picture: PixelBuffer) -> [UInt8] {
        let crop = PosterCrop(source: PixelSize(width: picture.width, height: picture.height), tile: tile)
        let stride = picture.bytesPerRow(ofPlane: 0)
        return picture.withUnsafeBytes(ofPlane: 0) { crop.pixels(of: $0, bytesPerRow: stride) }
    }
}
