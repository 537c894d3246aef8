import Synchronization
import SystemCalls

/// A pool that recycles frame memory. Mapping fresh memory for each frame would cost more than twice as much as
/// decoding, because of page faults.
///
/// Callable from any thread. ``Limit`` bounds the pool: beyond the limit, acquisition fails at once or after a timeout
/// chosen by the caller.
package final class FramePool: Sendable {
    /// The limits of a pool, which count free memory and memory in use together.
    package struct Limit: Sendable {
        /// The maximum number of frames that exist at once.
        package var frameCount: Int
        /// The maximum number of bytes of frame memory that exist at once.
        package var byteCount: Int
        package init(frameCount: Int = 64, byteCount: Int = 2 << 30) {
            self.frameCount = frameCount
            self.byteCount = byteCount
        }
    }

    /// The reason why ``acquire(size:waitingUntil:)`` returned no memory.
    package enum Refusal: Error, Sendable {
        /// The pool is at its limit, and all its memory is in use.
        case limitReached
        /// The system could not provide memory or a descriptor.
        case system(SystemCallError)
    }

    /// The free frame memory of one size.
    fileprivate struct FreeList {
        /// The slots that are not in use.
        var slots: [FrameSlot] = []
        /// The number of the most recent acquisition that requested this size.
        var lastAcquisition: UInt64
    }

    /// The content of the pool, protected by a lock.
    fileprivate struct State {
        var limit: Limit
        /// The largest number of free slots that are kept; nil applies only ``limit``.
        var spareLimit: Int?
        /// The free memory by size in bytes. Each size in use has a list, which may be empty.
        var freeLists: [Int: FreeList] = [:]
        /// The number of slots, free and in use.
        var slotCount = 0
        /// The size of all slots, free and in use, in bytes.
        var byteCount = 0
        /// The number of calls of ``acquire(size:waitingUntil:)``, to which ``FreeList/lastAcquisition`` refers.
        var acquisitionCount: UInt64 = 0
    }

    /// The memory for an acquisition: a free slot, or permission to create one.
    fileprivate enum Acquisition {
        /// A free slot of the pool.
        case recycled(FrameSlot)
        /// The caller may create a slot with this identifier; the slot is already counted.
        case fresh(UInt32)
    }

    /// The number of most recent acquisitions that determine which memory sizes are in use; free memory of other sizes
    /// is released. A decoder and the filter after it alternate between two sizes, and a stream does not return to an
    /// old size.
    fileprivate static let sizeAgeLimit: UInt64 = 64
    /// The maximum number of different memory sizes that the pool keeps at once. If every picture of a stream has a
    /// different size, old memory is useless.
    fileprivate static let sizeCountLimit = 4

    /// The next slot identifier. Identifiers are unique within the process, because a layer may show frames of one
    /// player and then of another.
    private static let nextID = Atomic<UInt32>(1)
    /// Returns a new slot identifier.
    static func makeID() -> UInt32 { nextID.wrappingAdd(1, ordering: .relaxed).oldValue }

    private let state: Monitor<State>

    package init(limit: Limit = Limit()) {
        state = Monitor(State(limit: limit))
    }

    /// Acquires memory for one picture of `size` bytes.
    ///
    /// Free memory is kept by size. When the pool has reached its limit, free memory of other sizes is released first.
    ///
    /// - Parameter deadline: The host time in nanoseconds until which the call waits if the pool is full; nil does not
    ///   wait. Another thread must hold memory that it will return, or the wait is in vain.
    /// - Throws: ``Refusal`` if the pool stays full, or if the system has no memory or descriptors left.
    package func acquire(size: Int, waitingUntil deadline: Int64? = nil) throws(Refusal) -> FrameBuffer {
        // Collect the slots to release while holding the lock, and release them afterwards, because unmapping large
        // pictures is slow.
        var dropped: [FrameSlot] = []
        var acquisition = state.withLock { state in
            state.countAcquisition(size)
            return state.provideSlot(size, &dropped)
        }
        if acquisition == nil, let deadline {
            acquisition = state.wait(until: deadline) { $0.provideSlot(size, &dropped) }
        }
        switch acquisition {
        case .recycled(let slot): return FrameBuffer(slot: slot, pool: self)
        case nil: throw .limitReached
        case .fresh(let id):
            do {
                return FrameBuffer(slot: try FrameSlot(id: id, size: size), pool: self)
            } catch {
                state.update {
                    $0.slotCount -= 1
                    $0.byteCount -= size
                }
                throw .system(error)
            }
        }
    }

    /// Takes back a slot that is no longer in use. Keeps the slot for reuse if its size was requested recently and the
    /// pool is within its limit; otherwise releases it.
    func recycle(_ slot: FrameSlot) {
        state.update { state in
            if state.freeLists[slot.size] != nil, state.slotCount <= state.limit.frameCount,
                state.byteCount <= state.limit.byteCount, state.freeCount < state.spareLimit ?? .max
            {
                state.freeLists[slot.size]?.slots.append(slot)
            } else {
                state.slotCount -= 1
                state.byteCount -= slot.size
            }
        }
    }

    /// Applies a new limit. Releases free memory beyond the limit at once; memory in use is released when it is
    /// returned.
    package func setLimit(_ limit: Limit) {
        var dropped: [FrameSlot] = []
        state.update { state in
            state.limit = limit
            while state.slotCount > limit.frameCount || state.byteCount > limit.byteCount,
                let slot = state.removeLeastRecentlyUsedSlot()
            {
                dropped.append(slot)
            }
        }
        withExtendedLifetime(dropped) {}
    }

    /// Sets the largest number of free frames kept for reuse, and releases the others; nil applies only ``Limit``.
    package func setSpareLimit(_ count: Int?) {
        var dropped: [FrameSlot] = []
        state.update { state in
            state.spareLimit = count
            while state.freeCount > count ?? .max, let slot = state.removeLeastRecentlyUsedSlot() {
                dropped.append(slot)
            }
        }
        withExtendedLifetime(dropped) {}
    }

    /// The number of all frames, the number of free frames among them, and the size of all frames in bytes.
    package var usage: (frames: Int, free: Int, bytes: Int) {
        state.withLock { state in
            (state.slotCount, state.freeCount, state.byteCount)
        }
    }
}

extension FramePool.State {
    /// The number of free slots of all sizes.
    fileprivate var freeCount: Int { freeLists.values.reduce(0) { $0 + $1.slots.count } }

    /// Counts an acquisition of `size` bytes, which marks that size as in use.
    fileprivate mutating func countAcquisition(_ size: Int) {
        acquisitionCount += 1
        freeLists[size, default: FramePool.FreeList(lastAcquisition: acquisitionCount)].lastAcquisition =
            acquisitionCount
    }

    /// Finds memory of `size` bytes; nil if the pool is at its limit and has no free memory to release.
    fileprivate mutating func provideSlot(_ size: Int, _ dropped: inout [FrameSlot]) -> FramePool.Acquisition? {
        releaseUnusedSizes(&dropped)
        if let slot = freeLists[size]?.slots.popLast() { return .recycled(slot) }
        while slotCount >= limit.frameCount || byteCount + size > limit.byteCount {
            guard let slot = removeLeastRecentlyUsedSlot() else { return nil }
            dropped.append(slot)
        }
        slotCount += 1
        byteCount += size
        return .fresh(FramePool.makeID())
    }

    /// Removes one free slot of the least recently requested size from the pool.
    fileprivate mutating func removeLeastRecentlyUsedSlot() -> FrameSlot? {
        guard
            let oldest = freeLists.filter({ !$0.value.slots.isEmpty })
                .min(by: { $0.value.lastAcquisition < $1.value.lastAcquisition })?.key,
            let slot = freeLists[oldest]?.slots.popLast()
        else { return nil }
        slotCount -= 1
        byteCount -= slot.size
        return slot
    }

    /// Releases the free memory of sizes that are no longer in use.
    private mutating func releaseUnusedSizes(_ dropped: inout [FrameSlot]) {
        guard freeLists.count > 1 else { return }
        let sizes = freeLists.sorted { $0.value.lastAcquisition > $1.value.lastAcquisition }
        for (place, (size, list)) in sizes.enumerated()
        where place >= FramePool.sizeCountLimit || acquisitionCount - list.lastAcquisition > FramePool.sizeAgeLimit {
            freeLists[size] = nil
            slotCount -= list.slots.count
            byteCount -= list.slots.count * size
            dropped += list.slots
        }
    }
}
