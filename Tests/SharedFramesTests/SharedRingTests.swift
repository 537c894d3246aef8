import SystemCalls
import Testing

@testable import SharedFrames

@Suite final class SharedRingTests {
    private let file: MemoryFile
    private let writer: SharedRingWriter

    init() throws {
        file = try MemoryFile(name: "ring", size: SharedRing.byteCount)
        writer = try SharedRingWriter(file)
    }

    /// A reference to the reader of the ring, because `#expect` cannot call mutating methods.
    private final class Reader {
        private var reader: SharedRingReader
        init(_ file: borrowing MemoryFile) throws { reader = try SharedRingReader(file) }
        func pop() throws(SharedRingReader.Overrun) -> RingEntry? { try reader.pop() }
        var hasOverrun: Bool {
            do {
                _ = try pop()
                return false
            } catch { return true }
        }
    }

    /// Returns an entry whose four words depend on `n`.
    private func entry(_ n: UInt64) -> RingEntry { RingEntry(n, n &* 3, ~n, n << 32 | 7) }

    @Test func ringEntriesAreReadCompletelyAndInOrder() throws {
        let reader = try Reader(file)
        #expect(try reader.pop() == nil)
        for n in 0..<SharedRing.capacity { writer.push(entry(n)) }
        for n in 0..<SharedRing.capacity { #expect(try reader.pop() == entry(n)) }
        #expect(try reader.pop() == nil)
    }

    @Test func ringContinuesAtItsStartAfterItsLastEntry() throws {
        let reader = try Reader(file)
        for n in 0..<1000 as Range<UInt64> {
            writer.push(entry(2 * n))
            writer.push(entry(2 * n + 1))
            #expect(try reader.pop() == entry(2 * n))
            #expect(try reader.pop() == entry(2 * n + 1))
        }
        #expect(try reader.pop() == nil)
    }

    @Test func unreadEntriesBeyondTheCapacityAreAnOverrun() throws {
        let reader = try Reader(file)
        for n in 0...SharedRing.capacity { writer.push(entry(n)) }
        #expect(reader.hasOverrun)
        #expect(reader.hasOverrun, "an overrun is permanent")
    }

    @Test(arguments: [65, 1 << 40, UInt64.max]) func writeCountBeyondTheCapacityIsAnOverrun(_ count: UInt64) throws {
        let reader = try Reader(file)
        let mapping = try file.map(writable: true)
        mapping.base.storeBytes(of: count, as: UInt64.self)
        #expect(reader.hasOverrun)
    }

    @Test func decreasingWriteCountIsAnOverrun() throws {
        let reader = try Reader(file)
        for n in 0..<5 as Range<UInt64> {
            writer.push(entry(n))
            _ = try reader.pop()
        }
        let mapping = try file.map(writable: true)
        mapping.base.storeBytes(of: 4, as: UInt64.self)
        #expect(reader.hasOverrun)
    }

    @Test func entriesPassBetweenThreadsCompletelyAndInOrder() throws {
        let entryCount: UInt64 = 50_000
        let ringFile = try MemoryFile(name: "ring", size: SharedRing.byteCount)
        let writer = try SharedRingWriter(ringFile)
        let reader = try Reader(ringFile)
        let readCount = Monitor<UInt64>(0)
        let thread = try NamedThread("ring writer") {
            for n in 0..<entryCount {
                // A correct writer never has more unread entries in the ring than the ring can hold.
                _ = readCount.wait { n - $0 < SharedRing.capacity ? true : nil }
                writer.push(RingEntry(n, n &* 3, ~n, n << 32 | 7))
            }
        }
        var expectedNumber: UInt64 = 0
        var areEntriesCorrect = true
        while expectedNumber < entryCount {
            guard let readEntry = try reader.pop() else { continue }
            areEntriesCorrect = areEntriesCorrect && readEntry == entry(expectedNumber)
            expectedNumber += 1
            readCount.update { $0 = expectedNumber }
        }
        thread.join()
        #expect(areEntriesCorrect)
        #expect(try reader.pop() == nil)
    }

    @Test func aReaderStopsAtTheCountThatItsCallerHasRead() throws {
        var reader = try SharedRingReader(file)
        for n in 0..<3 as Range<UInt64> { writer.push(entry(n)) }
        let count = reader.writtenCount
        #expect(count == 3)
        let first = try reader.pop(upTo: 1), second = try reader.pop(upTo: 1)
        #expect(first == entry(0) && second == nil)
        let position = reader.position, hasUnread = reader.hasUnread
        #expect(position == 1 && hasUnread)
    }

    @Test func unreadEntriesAreReportedUntilTheLastIsRead() throws {
        var reader = try SharedRingReader(file)
        var hasUnread = reader.hasUnread
        #expect(!hasUnread)
        writer.push(entry(0))
        hasUnread = reader.hasUnread
        #expect(hasUnread)
        let readEntry = try reader.pop()
        hasUnread = reader.hasUnread
        #expect(readEntry == entry(0) && !hasUnread)
    }
}
