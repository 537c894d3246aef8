import SystemCalls
import Testing

@testable import SharedFrames

@Suite final class DescriptorRingTests {
    private let file: MemoryFile
    private let writer: DescriptorRingWriter

    init() throws {
        file = try MemoryFile(name: "ring", size: DescriptorRing.byteCount)
        writer = try DescriptorRingWriter(file)
    }

    /// The reading end where an expectation can reach it.
    private final class Reader {
        private var reader: DescriptorRingReader
        init(_ file: borrowing MemoryFile) throws { reader = try DescriptorRingReader(file) }
        func pop() throws(DescriptorRingReader.Overrun) -> RingEntry? { try reader.pop() }
        var overruns: Bool {
            do {
                _ = try pop()
                return false
            } catch { return true }
        }
    }

    private func entry(_ n: UInt64) -> RingEntry { RingEntry(n, n &* 3, ~n, n << 32 | 7) }

    @Test func entriesComeOutInOrderAndWhole() throws {
        let reader = try Reader(file)
        #expect(try reader.pop() == nil)
        for n in 0..<DescriptorRing.capacity { writer.push(entry(n)) }
        for n in 0..<DescriptorRing.capacity { #expect(try reader.pop() == entry(n)) }
        #expect(try reader.pop() == nil)
    }

    @Test func theRingGoesRound() throws {
        let reader = try Reader(file)
        for n in 0..<1000 as Range<UInt64> {
            writer.push(entry(2 * n))
            writer.push(entry(2 * n + 1))
            #expect(try reader.pop() == entry(2 * n))
            #expect(try reader.pop() == entry(2 * n + 1))
        }
        #expect(try reader.pop() == nil)
    }

    @Test func oneEntryTooManyIsAnOverrun() throws {
        let reader = try Reader(file)
        for n in 0...DescriptorRing.capacity { writer.push(entry(n)) }
        #expect(reader.overruns)
        #expect(reader.overruns, "and stays one")
    }

    @Test(arguments: [65, 1 << 40, UInt64.max]) func aClaimThatRanAwayIsRefused(_ claim: UInt64) throws {
        let reader = try Reader(file)
        let mapping = try file.map(writable: true)
        mapping.base.storeBytes(of: claim, as: UInt64.self)
        #expect(reader.overruns)
    }

    @Test func aCountThatGoesBackIsRefused() throws {
        let reader = try Reader(file)
        for n in 0..<5 as Range<UInt64> {
            writer.push(entry(n))
            _ = try reader.pop()
        }
        let mapping = try file.map(writable: true)
        mapping.base.storeBytes(of: 4, as: UInt64.self)
        #expect(reader.overruns)
    }

    @Test func twoThreadsSeeEveryEntryWholeAndInOrder() throws {
        let total: UInt64 = 50_000
        let memory = try MemoryFile(name: "ring", size: DescriptorRing.byteCount)
        let writer = try DescriptorRingWriter(memory)
        let reader = try Reader(memory)
        let read = Monitor<UInt64>(0)
        let thread = try NamedThread("ring writer") {
            for n in 0..<total {
                // The owner keeps the bound: never more unread than there is room for.
                _ = read.wait { n - $0 < DescriptorRing.capacity ? true : nil }
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
