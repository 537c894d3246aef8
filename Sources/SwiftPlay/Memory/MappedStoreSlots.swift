/// Which slot of a store holds which picture, and which slot is reused next. A value: it reads no file.
struct MappedStoreSlots {
    /// The state of a slot.
    struct Slot {
        /// The key of the picture; nil while the slot holds none.
        var key: MappedStoreKey?
        /// The number of the last use; larger means later. Zero for a slot that was never used.
        var lastUse: UInt64 = 0
        /// How many pictures of the program refer to the slot. It is not reused meanwhile.
        var referenceCount: Int32 = 0
        /// Whether a thread writes to the slot or its record. No other thread uses the slot meanwhile.
        var isClaimed = false
        /// Whether this process has checked or written the picture.
        var isVerified = false
    }

    /// All slots.
    private(set) var slots: [Slot]
    /// The slots that hold pictures, by key.
    private var slotsByKey: [MappedStoreKey: Int] = [:]
    /// The number of the latest use.
    private var clock: UInt64 = 0
    /// A lower limit for the number of the first slot that is empty and free.
    private var firstEmptyHint = 0
    /// Whether the file may get further slots; false after the disk was full.
    private var mayGrow = true
    /// The number of slots that the file had for certain after the last write: those up to the last picture.
    private(set) var publishedCount = 0

    /// Creates `count` empty slots. The table does not grow later.
    init(count: Int) {
        slots = [Slot](repeating: Slot(), count: count)
        slotsByKey.reserveCapacity(count)
    }

    /// The number of pictures.
    var pictureCount: Int { slotsByKey.count }

    /// Adds a picture that the file holds, before the table is used. If two slots have the same key, which happens
    /// after a crash, neither is valid: it is unknown which one is newer.
    mutating func load(_ slot: Int, key: MappedStoreKey, lastUse: UInt64) {
        // An impossible number must not exhaust the numbers of later uses.
        let lastUse = min(max(lastUse, 1), 1 << 62)
        clock = max(clock, lastUse)
        slots[slot].lastUse = lastUse
        publishedCount = max(publishedCount, slot + 1)
        if let other = slotsByKey[key] {
            slots[other].key = nil
        } else {
            slots[slot].key = key
            slotsByKey[key] = slot
        }
    }

    /// Removes the keys that ``load(_:key:lastUse:)`` found twice.
    mutating func finishLoading() {
        for (key, slot) in slotsByKey where slots[slot].key == nil { slotsByKey[key] = nil }
    }

    /// Finds a picture, marks it as used and refers to its slot until ``release(_:)``.
    ///
    /// - Returns: The slot, and whether its picture was checked before; nil if there is no picture.
    mutating func retain(_ key: MappedStoreKey) -> (slot: Int, isVerified: Bool)? {
        guard let slot = slotsByKey[key] else { return nil }
        slots[slot].referenceCount += 1
        slots[slot].lastUse = nextUse()
        return (slot, slots[slot].isVerified)
    }

    /// Ends a reference to a slot.
    mutating func release(_ slot: Int) {
        slots[slot].referenceCount -= 1
        if slots[slot].key == nil { noteEmpty(slot) }
    }

    /// Marks a picture as checked.
    mutating func markVerified(_ slot: Int) { slots[slot].isVerified = true }

    /// Claims a slot for a new picture: an empty one, or the one whose last use is longest ago among those without
    /// references. Its old picture is removed.
    ///
    /// - Returns: The slot; nil if all slots are in use.
    mutating func claimForWriting() -> Int? {
        if mayGrow {
            while firstEmptyHint < slots.count {
                let slot = firstEmptyHint
                firstEmptyHint += 1
                if isFree(slot), slots[slot].key == nil {
                    slots[slot].isClaimed = true
                    return slot
                }
            }
        }
        var victim: (slot: Int, lastUse: UInt64)?
        for slot in slots.indices where isFree(slot) && slots[slot].lastUse > 0 {
            // An empty slot costs no picture.
            let lastUse = slots[slot].key == nil ? 0 : slots[slot].lastUse
            if let victim, victim.lastUse <= lastUse { continue }
            victim = (slot, lastUse)
        }
        guard let victim else { return nil }
        claim(victim.slot)
        return victim.slot
    }

    /// Claims the slot of a picture and removes the picture. The slot may still have references.
    ///
    /// - Returns: The slot; nil if there is no picture.
    mutating func claim(pictureFor key: MappedStoreKey) -> Int? {
        guard let slot = slotsByKey[key] else { return nil }
        claim(slot)
        return slot
    }

    /// Claims a slot whose picture turned out to be damaged, unless another thread has claimed or replaced it.
    ///
    /// - Returns: Whether the slot is claimed.
    mutating func claim(damaged slot: Int, key: MappedStoreKey) -> Bool {
        guard slots[slot].key == key, !slots[slot].isClaimed else { return false }
        claim(slot)
        return true
    }

    /// Makes a claimed slot hold a picture, and ends the claim. The caller has removed an older picture for the key.
    mutating func publish(_ slot: Int, key: MappedStoreKey) {
        slots[slot].key = key
        slots[slot].isVerified = true
        slots[slot].lastUse = nextUse()
        slots[slot].isClaimed = false
        slotsByKey[key] = slot
        publishedCount = max(publishedCount, slot + 1)
    }

    /// Ends the claim of a slot that holds no picture.
    mutating func unclaim(_ slot: Int) {
        slots[slot].isClaimed = false
        noteEmpty(slot)
    }

    /// Makes later claims reuse only slots that the file has already: the disk is full.
    mutating func stopGrowing() { mayGrow = false }

    /// Removes the pictures of all slots from `count` on, which the file no longer has.
    mutating func removePictures(from count: Int) {
        for slot in count..<slots.count where slots[slot].key != nil && !slots[slot].isClaimed {
            forget(slot)
            noteEmpty(slot)
        }
        publishedCount = min(publishedCount, count)
    }

    /// The numbers of the slots to which pictures of the program refer, in ascending order.
    var referencedSlots: [Int] { slots.indices.filter { slots[$0].referenceCount > 0 } }

    /// Returns the slot of a picture without using it; nil if there is none.
    func slot(of key: MappedStoreKey) -> Int? { slotsByKey[key] }

    private func isFree(_ slot: Int) -> Bool { !slots[slot].isClaimed && slots[slot].referenceCount == 0 }

    private mutating func claim(_ slot: Int) {
        forget(slot)
        slots[slot].isClaimed = true
    }

    /// Removes the picture of a slot.
    private mutating func forget(_ slot: Int) {
        if let key = slots[slot].key { slotsByKey[key] = nil }
        slots[slot].key = nil
        slots[slot].isVerified = false
    }

    private mutating func noteEmpty(_ slot: Int) { firstEmptyHint = min(firstEmptyHint, slot) }

    private mutating func nextUse() -> UInt64 {
        clock += 1
        return clock
    }
}
