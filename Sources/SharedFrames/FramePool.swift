import Synchronization
import SystemCalls

/// Recycles frame memory: a fresh mapping a frame costs more than twice the decoding (page faults).
///
/// Any thread. Bounded by ``Limit``; a buffer that is asked for beyond it is refused, not waited for, since the asker may be the
/// decoder that must deliver before anything comes back.
package final class FramePool: Sendable {
    package struct Limit: Sendable {
        /// Frames alive at once.
        package var frames: Int
        /// Bytes of frame memory alive at once.
        package var bytes: Int
        package init(frames: Int = 64, bytes: Int = 2 << 30) {
            self.frames = frames
            self.bytes = bytes
        }
    }

    package enum Refusal: Error, Sendable {
        case limitReached
        case system(SystemCallError)
    }

    private struct State {
        var limit: Limit
        var free: [FrameSlot] = []
        /// Free and lent.
        var slots = 0
        var bytes = 0
        var wantedSize = 0
    }

    /// Unique in the process: a layer may show one player's frames and then another's.
    private static let nextID = Atomic<UInt32>(1)

    private let state: Monitor<State>

    package init(limit: Limit = Limit()) {
        state = Monitor(State(limit: limit))
    }

    /// Lends memory for one picture of `size` bytes.
    ///
    /// Slots of another size are given up as they come back, so a stream that changes its size does not keep both.
    package func acquire(size: Int) throws(Refusal) -> FrameBuffer {
        let recycled: FrameSlot? = state.withLock { state in
            if size != state.wantedSize {
                state.wantedSize = size
                state.slots -= state.free.count
                state.bytes -= state.free.reduce(0) { $0 + $1.size }
                state.free.removeAll()
            }
            return state.free.popLast()
        }
        if let recycled { return FrameBuffer(slot: recycled, pool: self) }
        let id: UInt32? = state.withLock { state in
            guard state.slots < state.limit.frames, state.bytes + size <= state.limit.bytes else { return nil }
            state.slots += 1
            state.bytes += size
            return Self.nextID.wrappingAdd(1, ordering: .relaxed).oldValue
        }
        guard let id else { throw .limitReached }
        do {
            return FrameBuffer(slot: try FrameSlot(id: id, size: size), pool: self)
        } catch {
            state.withLock {
                $0.slots -= 1
                $0.bytes -= size
            }
            throw .system(error)
        }
    }

    func takeBack(_ slot: FrameSlot) {
        state.withLock { state in
            if slot.size == state.wantedSize, state.slots <= state.limit.frames, state.bytes <= state.limit.bytes {
                state.free.append(slot)
            } else {
                state.slots -= 1
                state.bytes -= slot.size
            }
        }
    }

    /// Gives up the free memory beyond a new limit, at once; what is lent goes when it comes back.
    package func setLimit(_ limit: Limit) {
        state.withLock { state in
            state.limit = limit
            while let slot = state.free.last, state.slots > limit.frames || state.bytes > limit.bytes {
                state.free.removeLast()
                state.slots -= 1
                state.bytes -= slot.size
            }
        }
    }

    /// Frames and bytes alive now, lent and free.
    package var usage: (frames: Int, free: Int, bytes: Int) {
        state.withLock { ($0.slots, $0.free.count, $0.bytes) }
    }
}
