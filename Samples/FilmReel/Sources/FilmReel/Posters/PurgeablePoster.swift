import SwiftPlay

/// A poster in memory that the kernel may take while no object of this type exists for it.
final class PurgeablePoster: Poster {
    private let buffer: PurgeableBuffer

    /// Takes over an access to a buffer.
    init(accessed buffer: PurgeableBuffer) { self.buffer = buffer }

    deinit { buffer.endContentAccess() }

    func withBytes(ofRows rows: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
        // The content cannot be gone: this object has an access.
        buffer.withBytes(body) != nil
    }
}
