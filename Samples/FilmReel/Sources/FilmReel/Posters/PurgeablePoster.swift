import SwiftPlay

/// A poster in memory that the kernel may reclaim after this object is released.
final class PurgeablePoster: Poster {
    private let buffer: PurgeableBuffer

    /// Takes over an access to a buffer, which deinitialisation ends.
    init(accessed buffer: PurgeableBuffer) { self.buffer = buffer }

    deinit { buffer.endContentAccess() }

    func withBytes(ofRows rows: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
        // The kernel cannot have reclaimed the content, because this object has an access.
        buffer.withBytes(body) != nil
    }
}
