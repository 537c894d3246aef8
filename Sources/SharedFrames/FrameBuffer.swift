import SystemCalls

/// The memory of one picture. Returns a pool's slot to the pool when the last reference is released.
///
/// The decoder writes the memory before it passes the buffer on. Afterwards all users, the decoder included, only read
/// it (the decoder as a reference picture).
package final class FrameBuffer: Sendable {
    package let slot: FrameSlot
    private let pool: FramePool?

    init(slot: FrameSlot, pool: FramePool) {
        self.slot = slot
        self.pool = pool
    }

    /// Creates memory outside any pool, for a picture that a program may keep indefinitely. It counts towards no pool's
    /// limit and holds no file descriptor.
    package init(ofItsOwn size: Int) throws(SystemCallError) {
        slot = try FrameSlot(withoutDescriptor: FramePool.makeID(), size: size)
        pool = nil
    }

    deinit { pool?.takeBack(slot) }

    /// The start of the writable memory, ``FrameSlot/size`` bytes.
    package var base: UnsafeMutableRawPointer { slot.base }
}
