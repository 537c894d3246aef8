import SwiftPlay

/// Step 4: a file that is mapped into memory contains the decoded posters. The posters remain after the program has
/// exited, and do not count as memory of the process.
final class MappedStorage: PosterStorage {
    private let store: MappedStore

    /// Opens or creates the store for posters of the size `tile`.
    ///
    /// - Parameters:
    ///   - path: The path of the store's file.
    ///   - tile: The size of the posters.
    ///   - byteLimit: The largest size of the file.
    /// - Throws: `PlaybackError`, see `MappedStore`.
    init(path: String, tile: PixelSize, byteLimit: Int) throws {
        let layout = MappedStore.Layout(
            width: tile.width, height: tile.height, bytesPerRow: tile.width * PosterMaker.bytesPerPixel,
            pixelFormat: .bgrx)
        store = try MappedStore(path: path, layout: layout, byteLimit: byteLimit)
    }

    func prefetch(_ film: Film) { store.prefetchPicture(forKey: film.key) }

    func poster(of film: Film) -> (any Poster)? {
        guard let picture = store.picture(forKey: film.key) else { return nil }
        let poster = MappedPoster(picture)
        // The store reads all bytes only on the first use of a picture.
        poster.readPages()
        return poster
    }

    func keep(_ pixels: [UInt8], for film: Film) throws -> any Poster {
        try pixels.withUnsafeBytes { try store.setPicture($0, forKey: film.key) }
        guard let picture = store.picture(forKey: film.key) else {
            throw FilmReelError("\(store.path): a new poster is missing")
        }
        return MappedPoster(picture)
    }

    /// Writes the order in which the posters were used. Without this call the order is lost, because the program exits
    /// without releasing the store.
    func synchronize() { store.synchronize() }
}
