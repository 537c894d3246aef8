import Synchronization

/// Step 1: all posters stay in the heap.
final class EagerStorage: PosterStorage {
    private let posters = Mutex<[Film: HeapPoster]>([:])

    func poster(of film: Film) -> (any Poster)? { posters.withLock { $0[film] } }

    func keep(_ pixels: [UInt8], for film: Film) -> any Poster {
        let poster = HeapPoster(pixels)
        posters.withLock { $0[film] = poster }
        return poster
    }
}
