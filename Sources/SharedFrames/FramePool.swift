import Synchronization
import SystemCalls

/// A pool that recycles frame memory. Mapping fresh memory for each frame would cost more than twice as much as
/// decoding, because of page faults.
///
/// Callable from any thread. ``Limit`` bounds the pool: beyond the limit, acquisition fails at once or after a timeout
/// chosen by the caller.
package final class FramePool: Sendable {
    package struct Limit: Sendable {
        /// The maximum number of frames that exist at once.
        package var frames: Int
        /// The maximum number of bytes of frame memory that exist at once.
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

    /// The free memory of one size.
    fileprivate struct FreeList {
        /// The slots that are not in use.
        var slots: [FrameSlot] = []
        /// The number of the last acquisition of this size.
        var lastUse: UInt64
    }

    fileprivate struct State {
        var limit: Limit
        /// Free memory by size in bytes. A size has a list, possibly empty, while it is in use.
        var free: [Int: FreeList] = [:]
        /// The number of slots, free and in use.
        var slots = 0
        var bytes = 0
        var acquisitions: UInt64 = 0
    }

    /// The result of an acquisition.
    fileprivate enum Grant {
        case recycled(FrameSlot)
        /// The caller may create a slot with this identifier; the slot is already counted.
        case fresh(UInt32)
    }

    /// A size counts as in use if one of the last `acquisitionsInUse` acquisitions requested it. A decoder and the
    /// filter behind it alternate between two sizes; a stream that changes its size never returns to the old size.
    fileprivate static let acquisitionsInUse: UInt64 = 64
    /// The maximum number of sizes kept at once. If every picture of a stream has a different size, old memory is
    /// useless.
    fileprivate static let mostSizes = 4

    /// Identifiers are unique within the process, because a layer may show frames of one player and then of another.
    private static let nextID = Atomic<UInt32>(1)
    static func makeID() -> UInt32 { nextID.wrappingAdd(1, ordering: .relaxed).oldValue }

    private let state: Monitor<State>

    package init(limit: Limit = Limit()) {
        state = Monitor(State(limit: limit))
    }

    /// Acquires memory for one picture of `size` bytes.
    ///
    /// Free memory is kept by size. At the limit, free memory of other sizes is released first.
    ///
    /// - Parameter deadline: The host time in nanoseconds until which the call waits for a full pool; nil does not
    ///   wait. A caller that waits must not be the only owner of memory that can be returned.
    package func acquire(size: Int, waitingUntil deadline: Int64? = nil) throws(Refusal) -> FrameBuffer {
        // Declared outside the lock, because unmapping large pictures is slow.
        var dropped: [FrameSlot] = []
        let grant =
            if let deadline {
                state.wait(until: deadline) { $0.grant(size, &dropped) }
            } else {
                state.withLock { $0.grant(size, &dropped) }
            }
        switch grant {
        case .recycled(let slot): return FrameBuffer(slot: slot, pool: self)
        case nil: throw .limitReached
        case .fresh(let id):
            do {
                return FrameBuffer(slot: try FrameSlot(id: id, size: size), pool: self)
            } catch {
                state.update {
                    $0.slots -= 1
                    $0.bytes -= size
                }
                throw .system(error)
            }
        }
    }

    func takeBack(_ slot: FrameSlot) {
        state.update { state in
            if state.free[slot.size] != nil, state.slots <= state.limit.frames, state.bytes <= state.limit.bytes {
                state.free[slot.size]?.slots.append(slot)
            } else {
                state.slots -= 1
                state.bytes -= slot.size
            }
        }
    }

    /// Applies a new limit. Releases free memory beyond the limit at once; memory in use is released when it is
    /// returned.
    package func setLimit(_ limit: Limit) {
        var dropped: [FrameSlot] = []
        state.update { state in
            state.limit = limit
            while state.slots > limit.frames || state.bytes > limit.bytes, let slot = state.dropOldest() {
                dropped.append(slot)
            }
        }
        withExtendedLifetime(dropped) {}
    }

    /// The current number of frames and bytes, both free and in use.
    package var usage: (frames: Int, free: Int, bytes: Int) {
        state.withLock { state in (state.slots, state.free.values.reduce(0) { $0 + $1.slots.count }, state.bytes) }
    }
}

extension FramePool.State {
    /// Finds memory of `size` bytes; nil if the pool is at its limit and has no free memory to release.
    fileprivate mutating func grant(_ size: Int, _ dropped: inout [FrameSlot]) -> FramePool.Grant? {
        acquisitions += 1
        free[size, default: FramePool.FreeList(lastUse: acquisitions)].lastUse = acquisitions
        giveUpUnused(&dropped)
        if let slot = free[size]?.slots.popLast() { return .recycled(slot) }
        while slots >= limit.frames || bytes + size > limit.bytes {
            guard let slot = dropOldest() else { return nil }
            dropped.append(slot)
        }
        slots += 1
        bytes += size
        return .fresh(FramePool.makeID())
    }

    /// Removes one free slot of the least recently requested size from the pool.
    fileprivate mutating func dropOldest() -> FrameSlot? {
        guard
            let oldest = free.filter({ !$0.value.slots.isEmpty }).min(by: { $0.value.lastUse < $1.value.lastUse })?.key,
            let slot = free[oldest]?.slots.popLast()
        else { return nil }
        slots -= 1
        bytes -= slot.size
        return slot
    }

    /// Releases the lists of sizes that are no longer in use.
    private mutating func giveUpUnused(_ dropped: inout [FrameSlot]) {
        guard free.count > 1 else { return }
        let sizes = free.sorted { $0.value.lastUse > $1.value.lastUse }
        for (place, (size, list)) in sizes.enumerated()
        where place >= FramePool.mostSizes || acquisitions - list.lastUse > FramePool.acquisitionsInUse {
            free[size] = nil
            slots -= list.slots.count
            bytes -= list.slots.count * size
            dropped += list.slots
        }
    }
}
