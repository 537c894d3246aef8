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
        let total: UInt64 = 50_000
        let memory = try MemoryFile(name: "ring", size: SharedRing.byteCount)
        let writer = try SharedRingWriter(memory)
        let reader = try Reader(memory)
        let read = Monitor<UInt64>(0)
        let thread = try NamedThread("ring writer") {
            for n in 0..<total {
                // A correct writer never has more unread entries in the ring than the ring can hold.
                _ = read.wait { n - $0 < SharedRing.capacity ? true : nil }
                writer.push(RingEntry(n, n &* 3, ~n, n << 32 | 7))
            }
        }
        var expected: UInt64 = 0
        var isWhole = true
        while expected < total {
            guard let next = try reader.pop() else { continue }
            isWhole = isWhole && next == entry(expected)
            expected += 1
            read.update { $0 = expected }
        }
        thread.join()
        #expect(isWhole)
        #expect(try reader.pop() == nil)
    }
}
