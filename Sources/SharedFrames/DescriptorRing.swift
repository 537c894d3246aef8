import Synchronization
import SystemCalls

/// A ring of small fixed entries in shared memory, one writer, one reader, in different processes.
///
/// Layout of the memory file: a 64-byte line whose first 8 bytes count the entries ever written, then ``capacity``
/// entries of ``RingEntry/size`` bytes. Entry `n` stands at `n % capacity` and is written before the count says so.
package enum DescriptorRing {
    package static let capacity: UInt64 = 64
    package static let headerSize = 64
    package static let byteCount = headerSize + Int(capacity) * RingEntry.size
}

/// Four words whose meaning is the matter of who uses the ring.
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

/// The writing end. Calls come from one thread at a time; the owner sees to it that no more than
/// ``DescriptorRing/capacity`` entries are unread.
package final class DescriptorRingWriter: Sendable {
    private let mapping: Mapping
    /// Shared with the reader, which maps the same pages.
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

/// The reading end. Trusts nothing: entries are copied before anyone looks at them, and a count that ran away is an
/// error.
package struct DescriptorRingReader: ~Copyable, Sendable {
    /// The writer claims more unread entries than the ring holds: it is broken or hostile.
    package struct Overrun: Error {}

    private let mapping: Mapping
    private var read: UInt64 = 0

    package init(_ file: borrowing MemoryFile) throws(SystemCallError) {
        mapping = try file.map(writable: false)
    }

    /// Entries ever written, as the writer says.
    package var written: UInt64 {
        mapping.base.assumingMemoryBound(to: Atomic<UInt64>.self).pointee.load(ordering: .acquiring)
    }

    /// How many entries were read.
    package var position: UInt64 { read }

    /// There is an entry that was not read.
    package var hasUnread: Bool { written != read }

    /// The next entry; nil when all were read.
    package mutating func pop() throws(Overrun) -> RingEntry? { try pop(upTo: written) }

    /// The next entry of those that ``written`` counted at an earlier look.
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
