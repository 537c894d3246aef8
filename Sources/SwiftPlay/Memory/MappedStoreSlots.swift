/// The table that states which slot of a store holds which picture, and which slot is reused next. A pure value: it
/// reads no file.
struct MappedStoreSlots {
    /// The state of a slot.
    struct Slot {
        /// The key of the picture; nil while the slot holds no picture.
        var key: MappedStoreKey?
        /// The number of the last use; larger means later. Zero for a slot that was never used.
        var lastUse: UInt64 = 0
        /// The number of ``MappedPicture`` objects that refer to the slot. The slot is not reused until it is zero.
        var referenceCount: Int32 = 0
        /// Whether a thread is writing to the slot or its record. Other threads do not use a claimed slot.
        var isClaimed = false
        /// Whether this process has written the picture or verified its checksum.
        var isVerified = false
    }

    /// All slots.
    private(set) var slots: [Slot]
    /// The slots that hold pictures, by key.
    private var slotsByKey: [MappedStoreKey: Int] = [:]
    /// The number of the latest use of any slot.
    private var latestUse: UInt64 = 0
    /// A lower bound of the number of the first slot that is empty and free.
    private var firstEmptyHint = 0
    /// Whether the file may get further slots; false after the disk was full.
    private var mayGrow = true
    /// The number of slots that the file must have: all slots up to the last slot that held a picture.
    private(set) var publishedCount = 0

    /// Creates `count` empty slots. The table does not grow later.
    init(count: Int) {
        slots = [Slot](repeating: Slot(), count: count)
        slotsByKey.reserveCapacity(count)
    }

    /// The number of pictures.
    var pictureCount: Int { slotsByKey.count }

    /// Adds a picture that the file holds, before the table is used. Two slots may have the same key after a crash.
    /// Then neither picture is valid, because it is unknown which picture is newer.
    mutating func load(_ slot: Int, key: MappedStoreKey, lastUse: UInt64) {
        // A damaged file may contain a huge number. Limit it, so that the numbers of later uses do not overflow.
        let lastUse = min(max(lastUse, 1), 1 << 62)
        latestUse = max(latestUse, lastUse)
        slots[slot].lastUse = lastUse
        publishedCount = max(publishedCount, slot + 1)
        if let slotWithSameKey = slotsByKey[key] {
            slots[slotWithSameKey].key = nil
        } else {
            slots[slot].key = key
            slotsByKey[key] = slot
        }
    }

    /// Removes the keys that ``load(_:key:lastUse:)`` found twice.
    mutating func finishLoading() {
        for (key, slot) in slotsByKey where slots[slot].key == nil { slotsByKey[key] = nil }
    }

    /// Finds a picture, marks it as used, and adds a reference to its slot, which ``release(_:)`` ends.
    ///
    /// - Returns: The slot, and whether the checksum of its picture was verified before; nil if there is no picture.
    mutating func retain(_ key: MappedStoreKey) -> (slot: Int, isVerified: Bool)? {
        guard let slot = slotsByKey[key] else { return nil }
        slots[slot].referenceCount += 1
        slots[slot].lastUse = nextUse()
        return (slot, slots[slot].isVerified)
    }

    /// Ends a reference to a slot.
    mutating func release(_ slot: Int) {
        slots[slot].referenceCount -= 1
        if slots[slot].key == nil { lowerFirstEmptyHint(slot) }
    }

    /// Marks the picture of a slot as verified.
    mutating func markVerified(_ slot: Int) { slots[slot].isVerified = true }

    /// Claims a slot for a new picture: an empty slot, or else the least recently used slot without references. Removes
    /// the old picture of the slot.
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
            // Prefer an empty slot, because its reuse removes no picture.
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
    mutating func claim(damagedSlot slot: Int, key: MappedStoreKey) -> Bool {
        guard slots[slot].key == key, !slots[slot].isClaimed else { return false }
        claim(slot)
        return true
    }

    /// Records that a claimed slot holds a picture, and ends the claim. The caller must have removed any other picture
    /// for the key.
    mutating func publish(_ slot: Int, key: MappedStoreKey) {
        slots[slot].key = key
        slots[slot].isVerified = true
        slots[slot].lastUse = nextUse()
        slots[slot].isClaimed = false
        slotsByKey[key] = slot
        publishedCount = max(publishedCount, slot + 1)
    }

    /// Ends the claim of a slot that holds no picture.
    mutating func endClaim(_ slot: Int) {
        slots[slot].isClaimed = false
        lowerFirstEmptyHint(slot)
    }

    /// Restricts later claims to slots that the file already has, because the disk is full.
    mutating func stopGrowing() { mayGrow = false }

    /// Removes the pictures of all slots from `count` on, which the file no longer has.
    mutating func removePictures(from count: Int) {
        for slot in count..<slots.count where slots[slot].key != nil && !slots[slot].isClaimed {
            removePicture(slot)
            lowerFirstEmptyHint(slot)
        }
        publishedCount = min(publishedCount, count)
    }

    /// The numbers of the slots that have references, in ascending order.
    var referencedSlots: [Int] { slots.indices.filter { slots[$0].referenceCount > 0 } }

    /// Returns the slot of a picture without marking it as used; nil if there is no picture.
    func slot(of key: MappedStoreKey) -> Int? { slotsByKey[key] }

    /// Returns whether a slot is neither claimed nor referenced.
    private func isFree(_ slot: Int) -> Bool { !slots[slot].isClaimed && slots[slot].referenceCount == 0 }

    /// Claims a slot and removes its picture.
    private mutating func claim(_ slot: Int) {
        removePicture(slot)
        slots[slot].isClaimed = true
    }

    /// Removes the picture of a slot.
    private mutating func removePicture(_ slot: Int) {
        if let key = slots[slot].key { slotsByKey[key] = nil }
        slots[slot].key = nil
        slots[slot].isVerified = false
    }

    /// Records that a slot is empty, so that the next claim finds it.
    private mutating func lowerFirstEmptyHint(_ slot: Int) { firstEmptyHint = min(firstEmptyHint, slot) }

    /// Returns the number of a new use.
    private mutating func nextUse() -> UInt64 {
        latestUse += 1
        return latestUse
    }
}
