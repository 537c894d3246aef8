import SystemCalls

/// Holds the memory of one picture; gives a pool's slot back to the pool when the last holder lets go.
///
/// The decoder writes before it hands the buffer on, and only reads afterwards (a reference picture); everyone else
/// reads.
package final class FrameBuffer: Sendable {
    package let slot: FrameSlot
    private let pool: FramePool?

    init(slot: FrameSlot, pool: FramePool) {
        self.slot = slot
        self.pool = pool
    }

    /// Makes memory of its own for a picture that a program may keep for as long as it likes: no pool's limit counts
    /// it, and it holds no descriptor.
    package init(ofItsOwn size: Int) throws(SystemCallError) {
        slot = try FrameSlot(withoutDescriptor: FramePool.makeID(), size: size)
        pool = nil
    }

    deinit { pool?.takeBack(slot) }

    /// Where the decoder may write, ``FrameSlot/size`` bytes.
    package var base: UnsafeMutableRawPointer { slot.base }
}
