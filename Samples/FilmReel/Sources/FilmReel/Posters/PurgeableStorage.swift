import SwiftPlay

/// Step 3: a larger cache. The kernel may reclaim all posters outside the working set when memory is short.
final class PurgeableStorage: PosterStorage {
    private let buffers = Cache<Film, PurgeableBuffer>()

    /// Creates an empty storage.
    ///
    /// - Parameter byteLimit: The largest total size of the posters.
    init(byteLimit: Int) { buffers.totalCostLimit = byteLimit }

    func poster(of film: Film) -> (any Poster)? {
        guard let buffer = buffers.object(forKey: film), buffer.beginContentAccess() else { return nil }
        return PurgeablePoster(accessed: buffer)
    }

    func keep(_ pixels: [UInt8], for film: Film) throws -> any Poster {
        // The new buffer starts with an access, which the poster takes over.
        let buffer = try PurgeableBuffer(byteCount: pixels.count) { $0.copyBytes(from: pixels) }
        buffers.setObject(buffer, forKey: film, cost: buffer.allocatedByteCount)
        return PurgeablePoster(accessed: buffer)
    }
}
