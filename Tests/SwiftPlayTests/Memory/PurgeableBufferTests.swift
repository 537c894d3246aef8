import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

extension PurgeableBuffer {
    /// Creates a buffer with pseudo-random bytes that depend only on the seed.
    convenience init(byteCount: Int, seed: UInt64) throws {
        try self.init(byteCount: byteCount, responders: MemoryResponders()) { bytes in
            Self.content(byteCount, seed: seed).withUnsafeBytes { bytes.copyMemory(from: $0) }
        }
    }

    /// Returns the bytes of a buffer that was created with a seed.
    static func content(_ byteCount: Int, seed: UInt64) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        let words = (0..<(byteCount + 7) / 8).map { _ in random.next() }
        return words.withUnsafeBytes { Array($0.prefix(byteCount)) }
    }

    /// Makes the kernel reclaim pages at once, with the kernel code that also runs under memory pressure.
    ///
    /// Without swap space, the kernel reclaims only pages that the process has released with `MADV_FREE` and not
    /// written since. With swap space, the kernel also swaps out other pages, whose content is unchanged when they are
    /// read again.
    func reclaimPages(_ range: Range<Int>? = nil) {
        let range = range ?? 0..<pages.count
        madvise(pages.base + range.lowerBound * MemoryPages.size, range.count * MemoryPages.size, MADV_PAGEOUT)
    }

    /// Discards one released page, as the kernel may do. Afterwards all bytes of the page are 0.
    func discardPage(_ page: Int) {
        madvise(pages.base + page * MemoryPages.size, MemoryPages.size, MADV_DONTNEED)
    }
}

@Suite struct PurgeableBufferTests {
    /// Buffer sizes in bytes: part of a page, whole pages, several batches of 64 pages, and a batch boundary.
    private static let sizes = [1, 4096, 4097, 64 * 4096, 65 * 4096, 300_000, 3_110_400]

    @Test(arguments: sizes)
    func contentIsUnchangedUnlessTheKernelReclaimsIt(_ size: Int) throws {
        let buffer = try PurgeableBuffer(byteCount: size, seed: UInt64(size))
        let content = PurgeableBuffer.content(size, seed: UInt64(size))
        for _ in 0..<3 {
            buffer.endContentAccess()
            #expect(!buffer.isContentDiscarded)
            #expect(buffer.beginContentAccess())
            #expect(buffer.withBytes { $0.elementsEqual(content) } == true)
        }
        #expect(buffer.allocatedByteCount == MemoryPages.roundUp(size))
    }

    @Test(arguments: sizes)
    func contentInUseIsNeverReclaimed(_ size: Int) throws {
        let buffer = try PurgeableBuffer(byteCount: size, seed: 1)
        let content = PurgeableBuffer.content(size, seed: 1)
        buffer.reclaimPages()
        #expect(buffer.withBytes { $0.elementsEqual(content) } == true)
        // The content is also safe in a second access, after the end of the first access has released the pages.
        buffer.endContentAccess()
        #expect(buffer.beginContentAccess())
        buffer.reclaimPages()
        buffer.discardContentIfPossible()
        #expect(buffer.withBytes { $0.elementsEqual(content) } == true)
        buffer.endContentAccess()
    }

    @Test func contentThatTheKernelReclaimedIsReportedAsDiscarded() throws {
        var discardedCount = 0
        for round in 0..<50 {
            let buffer = try PurgeableBuffer(byteCount: 100_000, seed: UInt64(round))
            buffer.endContentAccess()
            buffer.reclaimPages()
            // The kernel may keep all pages of a buffer, for example pages that are in another processor's page lists.
            let isExact = buffer.withBytes { $0.elementsEqual(PurgeableBuffer.content(100_000, seed: UInt64(round))) }
            if isExact == nil { discardedCount += 1 }
            #expect(isExact != false)
            #expect(buffer.isContentDiscarded == (isExact == nil))
        }
        #expect(discardedCount > 0)
    }

    @Test(arguments: [0, 1, 63, 64, 65, 127, 159])
    func oneMissingPageDiscardsAllContent(_ page: Int) throws {
        let buffer = try PurgeableBuffer(byteCount: 160 * MemoryPages.size, seed: 3)
        buffer.endContentAccess()
        buffer.discardPage(page)
        #expect(!buffer.beginContentAccess())
        #expect(buffer.isContentDiscarded)
        #expect(!buffer.beginContentAccess())
        #expect(buffer.withBytes { $0.count } == nil)
        #expect(buffer.state.withLock { $0.accessCount } == 0)
    }

    @Test func missingFirstPageIsDetectedWithoutAnAccess() throws {
        let buffer = try PurgeableBuffer(byteCount: 100_000, seed: 4)
        buffer.endContentAccess()
        #expect(!buffer.isContentDiscarded)
        buffer.discardPage(0)
        #expect(buffer.isContentDiscarded && !buffer.beginContentAccess())
    }

    @Test func contentIsDiscardedOnlyWithoutAccesses() throws {
        let buffer = try PurgeableBuffer(byteCount: 100_000, seed: 5)
        #expect(buffer.beginContentAccess())
        buffer.endContentAccess()
        buffer.discardContentIfPossible()
        #expect(!buffer.isContentDiscarded)
        buffer.endContentAccess()
        buffer.discardContentIfPossible()
        #expect(buffer.isContentDiscarded && !buffer.beginContentAccess())
    }

    @Test func discardedContentReturnsItsMemory() throws {
        let buffer = try PurgeableBuffer(byteCount: 100 * MemoryPages.size, seed: 6)
        #expect(residentPageCount(buffer) == 100)
        buffer.endContentAccess()
        buffer.discardContentIfPossible()
        #expect(residentPageCount(buffer) == 0)
    }

    /// Returns the number of pages of a buffer that are in memory (mincore).
    private func residentPageCount(_ buffer: PurgeableBuffer) -> Int {
        var residencyFlags = [UInt8](repeating: 0, count: buffer.pages.count)
        mincore(buffer.pages.base, buffer.pages.size, &residencyFlags)
        return residencyFlags.filter { $0 & 1 == 1 }.count
    }

    @Test func errorOfTheFillingClosureIsThrown() {
        #expect(throws: TestFailure.self) {
            try PurgeableBuffer(byteCount: 10, responders: MemoryResponders()) { _ in throw TestFailure("no picture") }
        }
    }

    @Test func bufferThatExceedsTheMemoryThrowsAResourcesError() throws {
        let error = #expect(throws: PlaybackError.self) { try PurgeableBuffer(byteCount: 1 << 60) { _ in } }
        #expect(error?.code == .resources)
    }

    @Test func cacheEvictsBuffersWithDiscardedContent() throws {
        let recorder = VictimRecorder<PurgeableBuffer>()
        let cache = Cache<Int, PurgeableBuffer>(responders: MemoryResponders())
        cache.delegate = recorder
        let buffer = try PurgeableBuffer(byteCount: 10_000, seed: 7)
        buffer.endContentAccess()
        cache.setObject(buffer, forKey: 1, cost: buffer.allocatedByteCount)
        #expect(cache.object(forKey: 1) === buffer)
        buffer.discardContentIfPossible()
        #expect(cache.object(forKey: 1) == nil && cache.totalCost == 0 && recorder.takeVictims() == [1])
        cache.evictsObjectsWithDiscardedContent = false
        cache.setObject(buffer, forKey: 1)
        #expect(cache.object(forKey: 1) === buffer)
    }
}
