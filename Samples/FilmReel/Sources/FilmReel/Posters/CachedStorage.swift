import SwiftPlay

/// Step 2: a cache keeps the most recently used posters. The program makes other posters again when they are needed.
final class CachedStorage: PosterStorage {
    private let posters = Cache<Film, HeapPoster>()

    /// Creates an empty cache.
    ///
    /// - Parameter byteLimit: The largest total size of the posters.
    init(byteLimit: Int) { posters.totalCostLimit = byteLimit }

    func poster(of film: Film) -> (any Poster)? { posters.object(forKey: film) }

    func keep(_ pixels: [UInt8], for film: Film) -> any Poster {
        let poster = HeapPoster(pixels)
        posters.setObject(poster, forKey: film, cost: pixels.count)
        return poster
    }
}
