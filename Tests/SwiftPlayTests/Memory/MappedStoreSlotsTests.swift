import TestSupport
import Testing

@testable import SwiftPlay

/// Compares the table of slots with a list of keys in the order of their last use.
@Suite struct MappedStoreSlotsTests {
    private static let slotCount = 12

    private func key(_ number: Int) -> MappedStoreKey { MappedStoreKey(high: UInt64(number), low: 0) }

    /// Stores a picture, as `MappedStore` does. Returns false if all slots are in use.
    private func storePicture(_ key: MappedStoreKey, in slots: inout MappedStoreSlots) -> Bool {
        if let slot = slots.claim(pictureFor: key) { slots.endClaim(slot) }
        guard let slot = slots.claimForWriting() else { return false }
        #expect(slots.claim(pictureFor: key) == nil)
        slots.publish(slot, key: key)
        return true
    }

    /// Returns a new table with the content of `table`, as after closing and opening the file.
    private func reopened(_ table: MappedStoreSlots) -> MappedStoreSlots {
        var newTable = MappedStoreSlots(count: Self.slotCount)
        for (number, slot) in table.slots.enumerated() {
            if let key = slot.key { newTable.load(number, key: key, lastUse: slot.lastUse) }
        }
        newTable.finishLoading()
        return newTable
    }

    @Test func tableAndModelReplaceTheSamePicturesInRandomOperations() {
        var random = SeededGenerator.printingSeed()
        var slots = MappedStoreSlots(count: Self.slotCount)
        // `orderedNumbers` lists the numbers of the keys, least recently used first; `picturesInUse` lists the pictures
        // that are retained.
        var orderedNumbers: [Int] = [], picturesInUse: [(number: Int, slot: Int)] = []
        for _ in 0..<50_000 {
            let number = Int(random.next() % 30)
            switch random.next() % 16 {
            case 0..<7:
                guard !picturesInUse.contains(where: { $0.number == number }) else { continue }
                let isStored = storePicture(key(number), in: &slots)
                orderedNumbers.removeAll { $0 == number }
                if isStored {
                    if orderedNumbers.count == Self.slotCount {
                        let victim = orderedNumbers.first { key in !picturesInUse.contains { $0.number == key } }
                        orderedNumbers.removeAll { $0 == victim }
                    }
                    orderedNumbers.append(number)
                }
            case 7..<13:
                let retainedSlot = slots.retain(key(number))
                #expect((retainedSlot != nil) == orderedNumbers.contains(number))
                guard let retainedSlot else { continue }
                orderedNumbers.removeAll { $0 == number }
                orderedNumbers.append(number)
                if random.next() % 3 == 0, picturesInUse.count < 5 {
                    picturesInUse.append((number, retainedSlot.slot))
                } else {
                    slots.release(retainedSlot.slot)
                }
            case 13: if !picturesInUse.isEmpty { slots.release(picturesInUse.removeFirst().slot) }
            case 14:
                guard !picturesInUse.contains(where: { $0.number == number }) else { continue }
                if let slot = slots.claim(pictureFor: key(number)) { slots.endClaim(slot) }
                orderedNumbers.removeAll { $0 == number }
            default:
                guard picturesInUse.isEmpty else { continue }
                slots = reopened(slots)
            }
            let isEqual =
                slots.pictureCount == orderedNumbers.count
                && orderedNumbers.allSatisfy { slots.slot(of: key($0)) != nil }
            guard isEqual else {
                Issue.record("\(orderedNumbers), in use \(picturesInUse), table \(slots)")
                return
            }
        }
    }

    @Test func onlyUsedSlotsAreReusedAfterTheDiskWasFull() {
        var slots = MappedStoreSlots(count: Self.slotCount)
        for number in 0..<3 { #expect(storePicture(key(number), in: &slots)) }
        slots.stopGrowing()
        for number in 3..<9 { #expect(storePicture(key(number), in: &slots)) }
        #expect(slots.pictureCount == 3 && (6..<9).allSatisfy { slots.slot(of: key($0)) != nil })
        #expect(slots.slots.dropFirst(3).allSatisfy { $0.key == nil })
    }

    @Test func useNumbersOfADamagedFileDoNotOverflow() {
        var slots = MappedStoreSlots(count: 3)
        for (slot, useNumber) in [UInt64.max, 0, 1 << 62].enumerated() {
            slots.load(slot, key: key(slot), lastUse: useNumber)
        }
        slots.finishLoading()
        #expect(storePicture(key(3), in: &slots) && slots.slot(of: key(1)) == nil && slots.pictureCount == 3)
    }
}
