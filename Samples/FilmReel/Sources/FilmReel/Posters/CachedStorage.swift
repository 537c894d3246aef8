import SwiftPlay

/// Step 2: a cache keeps the posters that were used last, and makes the others again.
final class CachedStorage: PosterStorage {
    private let posters = Cache<Film, HeapPoster>()

    /// Creates an empty cache.
    ///
    /// - Parameter byteLimit: The largest number of bytes of the posters.
    init(byteLimit: Int) { posters.totalCostLimit = byteLimit }

    func poster(of film: Film) -> (any Poster)? { posters.object(forKey: film) }

    func keep(_ pixels: [UInt8], for film: Film) -> any Poster {
        let poster = HeapPoster(pixels)
        posters.setObject(poster, forKey: film, cost: pixels.count)
        return poster
    }
}
