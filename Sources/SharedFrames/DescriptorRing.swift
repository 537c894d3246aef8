import Synchronization
import SystemCalls

/// A ring of small fixed-size entries in shared memory, with one writer and one reader in different processes.
///
/// Layout of the memory file: a 64-byte header whose first 8 bytes count all entries ever written, then ``capacity``
/// entries of ``RingEntry/size`` bytes. Entry `n` is stored at index `n % capacity`. The writer stores the entry before
/// it increases the count.
package enum DescriptorRing {
    package static let capacity: UInt64 = 64
    package static let headerSize = 64
    package static let byteCount = headerSize + Int(capacity) * RingEntry.size
}

/// Four 64-bit words; the user of the ring defines their meaning.
package struct RingEntry: Equatable, Sendable {
    package static let size = 32
    package var a: UInt64
    package var b: UInt64
    package var c: UInt64
    package var d: UInt64
    package init(_ a: UInt64, _ b: UInt64 = 0, _ c: UInt64 = 0, _ d: UInt64 = 0) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
    }
}

/// The writing end of a ring. Calls must come from one thread at a time. The owner must ensure that at most
/// ``DescriptorRing/capacity`` entries are unread.
package final class DescriptorRingWriter: Sendable {
    private let mapping: Mapping
    /// The entry count in shared memory; the reader maps the same pages.
    private var count: UnsafeMutablePointer<Atomic<UInt64>> {
        mapping.base.assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    package init(_ file: borrowing MemoryFile) throws(SystemCallError) {
        mapping = try file.map(writable: true)
    }

    package func push(_ entry: RingEntry) {
        let n = count.pointee.load(ordering: .relaxed)
        let place = mapping.base + DescriptorRing.headerSize + Int(n % DescriptorRing.capacity) * RingEntry.size
        place.storeBytes(of: entry.a, as: UInt64.self)
        place.storeBytes(of: entry.b, toByteOffset: 8, as: UInt64.self)
        place.storeBytes(of: entry.c, toByteOffset: 16, as: UInt64.self)
        place.storeBytes(of: entry.d, toByteOffset: 24, as: UInt64.self)
        count.pointee.store(n &+ 1, ordering: .releasing)
    }
}

/// The reading end of a ring. Does not trust the writer: copies each entry before use, and treats an impossible count
/// as an error.
package struct DescriptorRingReader: ~Copyable, Sendable {
    /// The writer reports more unread entries than the ring holds, so it is faulty or hostile.
    package struct Overrun: Error {}

    private let mapping: Mapping
    private var read: UInt64 = 0

    package init(_ file: borrowing MemoryFile) throws(SystemCallError) {
        mapping = try file.map(writable: false)
    }

    /// The number of entries ever written, as reported by the writer.
    package var written: UInt64 {
        mapping.base.assumingMemoryBound(to: Atomic<UInt64>.self).pointee.load(ordering: .acquiring)
    }

    /// The number of entries read so far.
    package var position: UInt64 { read }

    /// Whether the ring contains an unread entry.
    package var hasUnread: Bool { written != read }

    /// Returns the next entry; nil if all entries have been read.
    package mutating func pop() throws(Overrun) -> RingEntry? { try pop(upTo: written) }

    /// Returns the next entry, up to a count that the caller read earlier from ``written``; nil if there is none.
    package mutating func pop(upTo written: UInt64) throws(Overrun) -> RingEntry? {
        let unread = written &- read
        guard unread > 0 else { return nil }
        guard unread <= DescriptorRing.capacity else { throw Overrun() }
        let place = mapping.base + DescriptorRing.headerSize + Int(read % DescriptorRing.capacity) * RingEntry.size
        let entry = RingEntry(
            place.load(as: UInt64.self), place.load(fromByteOffset: 8, as: UInt64.self),
            place.load(fromByteOffset: 16, as: UInt64.self), place.load(fromByteOffset: 24, as: UInt64.self))
        read &+= 1
        return entry
    }
}
