import SystemCalls

/// The memory of one picture. When the last reference is released, the memory returns to its pool, if it has one.
///
/// The decoder writes the memory before it passes the buffer on. Afterwards all users only read the memory. The decoder
/// also reads it, as a reference picture for other frames.
package final class FrameBuffer: Sendable {
    /// The memory that contains the picture.
    package let slot: FrameSlot
    /// The pool to which the slot returns; nil for memory outside any pool.
    private let pool: FramePool?

    /// Creates a buffer that returns `slot` to `pool` when the buffer is released.
    init(slot: FrameSlot, pool: FramePool) {
        self.slot = slot
        self.pool = pool
    }

    /// Creates memory outside any pool, for a picture that a program may keep indefinitely. Such memory counts towards
    /// no pool's limit and holds no file descriptor.
    package init(unpooledSize size: Int) throws(SystemCallError) {
        slot = try FrameSlot(withoutDescriptor: FramePool.makeID(), size: size)
        pool = nil
    }

    deinit { pool?.recycle(slot) }

    /// The start of the writable memory, which has ``FrameSlot/size`` bytes.
    package var base: UnsafeMutableRawPointer { slot.base }
}
