import Synchronization
import SystemCalls

/// A pool that recycles frame memory. Mapping fresh memory for each frame would cost more than twice as much as
/// decoding, because of page faults.
///
/// Any thread may call the methods. ``Limit`` bounds the size of the pool. If the pool is full, an acquisition fails at
/// once or after a deadline that the caller chooses.
package final class FramePool: Sendable {
    /// The limits of a pool. Both free memory and memory in use count.
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
        /// The smallest number of free slots since the last call of ``takeUnneededSlots()``.
        var smallestFreeCount = 0

        /// Removes and returns a free slot; nil if there is none.
        mutating func takeSlot() -> FrameSlot? {
            let slot = slots.popLast()
            smallestFreeCount = min(smallestFreeCount, slots.count)
            return slot
        }

        /// Removes and returns the slots that were free all the time since the last call.
        mutating func takeUnneededSlots() -> [FrameSlot] {
            let unneededSlots = Array(slots.prefix(smallestFreeCount))
            slots.removeFirst(unneededSlots.count)
            smallestFreeCount = slots.count
            return unneededSlots
        }
    }

    /// The content of the pool, protected by a lock.
    fileprivate struct State {
        /// The current limits of the pool.
        var limit: Limit
        /// The maximum number of free slots that are kept; nil if only ``limit`` applies.
        var freeSlotLimit: Int?
        /// The lists of free slots, by the size of a slot in bytes. Each recently requested size has a list, which may
        /// be empty.
        var freeLists: [Int: FreeList] = [:]
        /// The number of slots, free and in use.
        var slotCount = 0
        /// The size of all slots, free and in use, in bytes.
        var byteCount = 0
        /// The slots that have left the pool and still take memory, until ``FramePool/releaseMemory()``.
        var leavingSlots: [FrameSlot] = []
        /// The number of calls of ``acquire(size:waitingUntil:)``, to which ``FreeList/lastAcquisition`` refers.
        var acquisitionCount: UInt64 = 0
    }

    /// The source of the memory for an acquisition: a free slot, or a new slot.
    fileprivate enum Acquisition {
        /// A free slot of the pool.
        case freeSlot(FrameSlot)
        /// A slot that the caller must create with this identifier. The pool has already counted this slot.
        case newSlot(UInt32)
    }

    /// The number of acquisitions after which the pool releases the free slots of a size that was not requested again.
    /// A decoder and the filter after it alternate between two sizes, and a stream does not return to an old size.
    fileprivate static let sizeAgeLimit: UInt64 = 64
    /// The number of acquisitions after which the pool releases the slots that were free all the time. A seek or a
    /// change of the decoder uses many slots for a moment only.
    fileprivate static let unneededSlotInterval: UInt64 = 128
    /// The maximum number of different memory sizes that the pool keeps at once. If every picture of a stream has a
    /// different size, old memory is useless.
    fileprivate static let sizeCountLimit = 4
    /// The most slots that wait for the handler of leaving memory.
    static let leavingSlotLimit = 64

    /// The next slot identifier. Identifiers are unique within the process, because a layer may show frames of one
    /// player and then of another.
    private static let nextID = Atomic<UInt32>(1)
    /// Returns a new slot identifier.
    static func makeID() -> UInt32 { nextID.wrappingAdd(1, ordering: .relaxed).oldValue }

    /// The content of the pool, protected by a lock.
    private let state: Monitor<State>
    /// Called on any thread after memory has left the pool.
    private let leavingHandler: @Sendable (FramePool) -> Void

    /// Creates an empty pool.
    ///
    /// - Parameter leavingHandler: Called on any thread after memory has left the pool. It must call
    ///   ``releaseMemory()``, now or later on another thread. By default the thread that acquires, returns or limits
    ///   memory releases it.
    package init(
        limit: Limit = Limit(), leavingHandler: @escaping @Sendable (FramePool) -> Void = { $0.releaseMemory() }
    ) {
        state = Monitor(State(limit: limit))
        self.leavingHandler = leavingHandler
    }

    /// Releases the memory that has left the pool. Unmapping a picture of 4K takes milliseconds, which a thread that
    /// plays media does not have.
    package func releaseMemory() {
        // The array holds the last reference to a slot that no frame uses, so that the slot is unmapped here, without
        // the lock.
        let slots = state.withLock { state in
            defer { state.leavingSlots = [] }
            return state.leavingSlots
        }
        withExtendedLifetime(slots) {}
    }

    /// Changes the state, wakes waiting threads, and has the memory released that has left the pool.
    private func change(_ body: (inout State) -> Void) {
        let leavingSlotCount = state.update { state in
            body(&state)
            return state.leavingSlots.count
        }
        handleLeavingSlots(leavingSlotCount)
    }

    /// Calls ``leavingHandler`` if slots have left the pool. Releases them on this thread if the handler is too slow,
    /// so that a blocked handler does not keep memory without limit.
    private func handleLeavingSlots(_ count: Int) {
        if count > Self.leavingSlotLimit { releaseMemory() } else if count > 0 { leavingHandler(self) }
    }

    /// Acquires memory for one picture of `size` bytes.
    ///
    /// Free memory is kept by size. When the pool has reached its limit, free memory of other sizes is released first.
    ///
    /// - Parameter deadline: The host time in nanoseconds until which this method waits if the pool is full; nil to
    ///   fail at once. Waiting is useful only if another thread releases a buffer meanwhile.
    /// - Throws: ``Refusal`` if the pool stays full, or if the system has no memory or descriptors left.
    package func acquire(size: Int, waitingUntil deadline: Int64? = nil) throws(Refusal) -> FrameBuffer {
        var (acquisition, leavingSlotCount) = state.withLock { state in
            state.countAcquisition(size)
            return (state.takeOrReserveSlot(size), state.leavingSlots.count)
        }
        handleLeavingSlots(leavingSlotCount)
        if acquisition == nil, let deadline {
            acquisition = state.wait(until: deadline) { $0.takeOrReserveSlot(size) }
            change { _ in }
        }
        switch acquisition {
        case .freeSlot(let slot): return FrameBuffer(slot: slot, pool: self)
        case nil: throw .limitReached
        case .newSlot(let id):
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
        change { state in
            if state.freeLists[slot.size] != nil, state.slotCount <= state.limit.frameCount,
                state.byteCount <= state.limit.byteCount, state.freeSlotCount < state.freeSlotLimit ?? .max
            {
                state.freeLists[slot.size]?.slots.append(slot)
            } else {
                state.release(slot)
            }
        }
    }

    /// Applies a new limit. Releases free memory beyond the limit at once; memory in use is released when it is
    /// returned.
    package func setLimit(_ limit: Limit) {
        change { state in
            state.limit = limit
            while state.slotCount > limit.frameCount || state.byteCount > limit.byteCount,
                state.releaseLeastRecentlyUsedSlot()
            {}
        }
    }

    /// Sets the maximum number of free slots that are kept for reuse, and releases the slots beyond it; nil if only
    /// ``Limit`` applies.
    package func setFreeSlotLimit(_ count: Int?) {
        change { state in
            state.freeSlotLimit = count
            while state.freeSlotCount > count ?? .max, state.releaseLeastRecentlyUsedSlot() {}
        }
    }

    /// The number of all slots, the number of free slots among them, and the size of all slots in bytes.
    package var usage: (frames: Int, free: Int, bytes: Int) {
        state.withLock { state in
            (state.slotCount, state.freeSlotCount, state.byteCount)
        }
    }
}

extension FramePool.State {
    /// The number of free slots of all sizes.
    fileprivate var freeSlotCount: Int { freeLists.values.reduce(0) { $0 + $1.slots.count } }

    /// Counts an acquisition of `size` bytes, which marks that size as in use.
    fileprivate mutating func countAcquisition(_ size: Int) {
        acquisitionCount += 1
        freeLists[size, default: FramePool.FreeList(lastAcquisition: acquisitionCount)].lastAcquisition =
            acquisitionCount
    }

    /// Takes a free slot of `size` bytes, or counts a new one. Returns nil if the pool is full and all its slots are in
    /// use.
    fileprivate mutating func takeOrReserveSlot(_ size: Int) -> FramePool.Acquisition? {
        releaseUnusedSizes()
        if acquisitionCount.isMultiple(of: FramePool.unneededSlotInterval) { releaseUnneededSlots() }
        if let slot = freeLists[size]?.takeSlot() { return .freeSlot(slot) }
        while slotCount >= limit.frameCount || byteCount + size > limit.byteCount {
            guard releaseLeastRecentlyUsedSlot() else { return nil }
        }
        slotCount += 1
        byteCount += size
        return .newSlot(FramePool.makeID())
    }

    /// Releases a slot that is in no list. Its memory is unmapped later without the lock, because that is slow.
    fileprivate mutating func release(_ slot: FrameSlot) {
        slotCount -= 1
        byteCount -= slot.size
        leavingSlots.append(slot)
    }

    /// Releases one free slot of the least recently requested size; returns false if there is none.
    fileprivate mutating func releaseLeastRecentlyUsedSlot() -> Bool {
        guard
            let oldestSize = freeLists.filter({ !$0.value.slots.isEmpty })
                .min(by: { $0.value.lastAcquisition < $1.value.lastAcquisition })?.key,
            let slot = freeLists[oldestSize]?.takeSlot()
        else { return false }
        release(slot)
        return true
    }

    /// Releases the slots that were free all the time since the last call.
    private mutating func releaseUnneededSlots() {
        for size in freeLists.keys {
            for slot in freeLists[size]?.takeUnneededSlots() ?? [] { release(slot) }
        }
    }

    /// Releases the free memory of sizes that are no longer in use.
    private mutating func releaseUnusedSizes() {
        guard freeLists.count > 1 else { return }
        let sizes = freeLists.sorted { $0.value.lastAcquisition > $1.value.lastAcquisition }
        for (rank, (size, list)) in sizes.enumerated()
        where rank >= FramePool.sizeCountLimit || acquisitionCount - list.lastAcquisition > FramePool.sizeAgeLimit {
            freeLists[size] = nil
            for slot in list.slots { release(slot) }
        }
    }
}
