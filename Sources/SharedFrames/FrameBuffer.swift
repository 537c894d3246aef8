/// Holds a slot for one picture and gives it back to its pool when the last holder lets go.
///
/// The decoder writes before it hands the buffer on, and only reads afterwards (a reference picture); everyone else reads.
package final class FrameBuffer: Sendable {
    package let slot: FrameSlot
    private let pool: FramePool

    init(slot: FrameSlot, pool: FramePool) {
        self.slot = slot
        self.pool = pool
    }

    deinit { pool.takeBack(slot) }

    /// Where the decoder may write, ``FrameSlot/size`` bytes.
    package var base: UnsafeMutableRawPointer { slot.base }
}
