import Synchronization
import SystemCalls

/// A ring of small fixed-size entries in shared memory, with one writer and one reader in different processes.
///
/// Layout of the memory file: a 64-byte header whose first 8 bytes count all entries ever written, then ``capacity``
/// entries of ``RingEntry/size`` bytes. Entry `n` is stored at index `n % capacity`. The writer stores the entry before
/// it increases the count.
package enum SharedRing {
    /// The number of entries that the ring holds.
    package static let capacity: UInt64 = 64
    /// The size of the header in bytes.
    package static let headerSize = 64
    /// The size of the memory file in bytes.
    package static let byteCount = headerSize + Int(capacity) * RingEntry.size
}

/// An entry of a shared ring: four 64-bit integers, whose meaning the writer and the reader of the ring define.
package struct RingEntry: Equatable, Sendable {
    /// The size of an entry in shared memory, in bytes.
    package static let size = 32
    package var word0: UInt64
    package var word1: UInt64
    package var word2: UInt64
    package var word3: UInt64
    package init(_ word0: UInt64, _ word1: UInt64 = 0, _ word2: UInt64 = 0, _ word3: UInt64 = 0) {
        self.word0 = word0
        self.word1 = word1
        self.word2 = word2
        self.word3 = word3
    }
}

/// The writing end of a ring. One thread at a time may call ``push(_:)``. The owner of the writer must ensure that at
/// most ``SharedRing/capacity`` entries are unread.
package final class SharedRingWriter: Sendable {
    /// The mapping of the ring's memory file.
    private let mapping: Mapping
    /// The address of the entry count in shared memory, which the reader also maps.
    private var entryCount: UnsafeMutablePointer<Atomic<UInt64>> {
        mapping.base.assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// Maps the memory file of a ring for writing.
    package init(_ file: borrowing MemoryFile) throws(SystemCallError) {
        mapping = try file.map(writable: true)
    }

    /// Writes an entry, then publishes it to the reader by increasing the count.
    package func push(_ entry: RingEntry) {
        let entryNumber = entryCount.pointee.load(ordering: .relaxed)
        let entryAddress =
            mapping.base + SharedRing.headerSize + Int(entryNumber % SharedRing.capacity) * RingEntry.size
        entryAddress.storeBytes(of: entry.word0, as: UInt64.self)
        entryAddress.storeBytes(of: entry.word1, toByteOffset: 8, as: UInt64.self)
        entryAddress.storeBytes(of: entry.word2, toByteOffset: 16, as: UInt64.self)
        entryAddress.storeBytes(of: entry.word3, toByteOffset: 24, as: UInt64.self)
        entryCount.pointee.store(entryNumber &+ 1, ordering: .releasing)
    }
}

/// The reading end of a ring. Because the writer may be faulty, the reader copies each entry before use, and treats an
/// impossible entry count as an error.
package struct SharedRingReader: ~Copyable, Sendable {
    /// An error: the writer reports more unread entries than the ring can hold, so the writer is faulty or hostile.
    package struct Overrun: Error {}

    /// The mapping of the ring's memory file.
    private let mapping: Mapping
    /// The number of entries that this reader has read so far.
    private var readCount: UInt64 = 0

    /// Maps the memory file of a ring for reading.
    package init(_ file: borrowing MemoryFile) throws(SystemCallError) {
        mapping = try file.map(writable: false)
    }

    /// The number of entries ever written, as reported by the writer.
    package var writtenCount: UInt64 {
        mapping.base.assumingMemoryBound(to: Atomic<UInt64>.self).pointee.load(ordering: .acquiring)
    }

    /// The number of entries that this reader has read so far.
    package var position: UInt64 { readCount }

    /// Whether the ring contains an unread entry.
    package var hasUnread: Bool { writtenCount != readCount }

    /// Returns the next entry; nil if all entries have been read.
    package mutating func pop() throws(Overrun) -> RingEntry? { try pop(upTo: writtenCount) }

    /// Returns the next entry; nil if all entries up to the count `writtenCount` have been read. The caller has read
    /// that count from the property ``writtenCount`` before.
    package mutating func pop(upTo writtenCount: UInt64) throws(Overrun) -> RingEntry? {
        let unreadCount = writtenCount &- readCount
        guard unreadCount > 0 else { return nil }
        guard unreadCount <= SharedRing.capacity else { throw Overrun() }
        let entryAddress = mapping.base + SharedRing.headerSize + Int(readCount % SharedRing.capacity) * RingEntry.size
        let entry = RingEntry(
            entryAddress.load(as: UInt64.self), entryAddress.load(fromByteOffset: 8, as: UInt64.self),
            entryAddress.load(fromByteOffset: 16, as: UInt64.self),
            entryAddress.load(fromByteOffset: 24, as: UInt64.self))
        readCount &+= 1
        return entry
    }
}
