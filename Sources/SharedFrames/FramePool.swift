import Synchronization
import SystemCalls

/// Recycles frame memory: a fresh mapping a frame costs more than twice the decoding (page faults).
///
/// Any thread. Bounded by ``Limit``: an acquisition beyond it is refused, at once or after a wait that the caller
/// bounds.
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

    /// Memory of one size.
    fileprivate struct FreeList {
        /// Slots that are not lent.
        var slots: [FrameSlot] = []
        /// Number of the last acquisition of this size.
        var lastUse: UInt64
    }

    fileprivate struct State {
        var limit: Limit
        /// By size in bytes; a size has a list, empty or not, as long as it is in use.
        var free: [Int: FreeList] = [:]
        /// Free and lent.
        var slots = 0
        var bytes = 0
        var acquisitions: UInt64 = 0
    }

    /// What an acquisition leads to.
    fileprivate enum Grant {
        case recycled(FrameSlot)
        /// A new slot of this name may be made; it is counted already.
        case fresh(UInt32)
    }

    /// A size is in use while one of so many acquisitions asks for it. A decoder and a filter behind it alternate
    /// between two sizes; a stream that changes its size never returns to the old one.
    fileprivate static let acquisitionsInUse: UInt64 = 64
    /// The number of sizes that are kept at once: a stream whose every picture has a size of its own gains nothing from
    /// old memory.
    fileprivate static let mostSizes = 4

    /// Unique in the process: a layer may show one player's frames and then another's.
    private static let nextID = Atomic<UInt32>(1)
    static func makeID() -> UInt32 { nextID.wrappingAdd(1, ordering: .relaxed).oldValue }

    private let state: Monitor<State>

    package init(limit: Limit = Limit()) {
        state = Monitor(State(limit: limit))
    }

    /// Lends memory for one picture of `size` bytes.
    ///
    /// Free memory is kept by size. At the limit, free memory of other sizes makes room.
    ///
    /// - Parameter deadline: host nanoseconds until which a full pool is waited for; nil: not at all. A caller that
    ///   waits must not be the only one who can give memory back.
    package func acquire(size: Int, waitingUntil deadline: Int64? = nil) throws(Refusal) -> FrameBuffer {
        // Outlives the lock: to unmap large pictures takes long.
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

    /// Gives up the free memory beyond a new limit, at once; what is lent goes when it comes back.
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

    /// Frames and bytes alive now, lent and free.
    package var usage: (frames: Int, free: Int, bytes: Int) {
        state.withLock { state in (state.slots, state.free.values.reduce(0) { $0 + $1.slots.count }, state.bytes) }
    }
}

extension FramePool.State {
    /// Finds memory of `size`; nil: the pool is at its limit, and nothing free is left to make room.
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

    /// Takes one free slot of the size that was asked for the longest ago out of the pool.
    fileprivate mutating func dropOldest() -> FrameSlot? {
        guard
            let oldest = free.filter({ !$0.value.slots.isEmpty }).min(by: { $0.value.lastUse < $1.value.lastUse })?.key,
            let slot = free[oldest]?.slots.popLast()
        else { return nil }
        slots -= 1
        bytes -= slot.size
        return slot
    }

    /// Gives up the lists of sizes that are no longer in use.
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
