import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

/// Tests buffers that eight threads access at the same time, while the kernel reclaims pages of the buffers.
@Suite struct PurgeableBufferThreadsTests {
    /// The number of buffers.
    private static let bufferCount = 200
    /// The total number of accesses to buffers by all threads; 100,000 if the environment variable
    /// `SWIFTPLAY_LONG_TESTS` is set.
    private static let totalAccessCount = getenv("SWIFTPLAY_LONG_TESTS") == nil ? 4_000 : 100_000

    /// A buffer with its expected content.
    private struct FilledBuffer: Sendable {
        let buffer: PurgeableBuffer
        let content: [UInt8]

        /// Creates a buffer of random size: usually up to 3 pages, sometimes up to 80.
        init(_ random: inout SeededGenerator) throws {
            let pageCount = random.next() % 20 == 0 ? random.next() % 80 + 1 : random.next() % 3 + 1
            let size = Int(pageCount) * MemoryPages.size - Int(random.next() % 100)
            let seed = random.next()
            buffer = try PurgeableBuffer(byteCount: size, seed: seed)
            content = PurgeableBuffer.content(size, seed: seed)
            buffer.endContentAccess()
        }
    }

    /// The numbers of accesses by their results.
    private struct Counts {
        /// The number of comparisons that found the expected content.
        var exactCount = 0
        /// The number of accesses that found discarded content.
        var discardedCount = 0
        /// The number of accesses that found wrong content.
        var wrongCount = 0
    }

    /// Accesses a buffer once, and counts whether its content is as expected, discarded or wrong.
    private static func access(_ filledBuffer: FilledBuffer, _ random: inout SeededGenerator, _ counts: inout Counts) {
        // The reclaiming thread may get no processor time while all others run, so this thread reclaims pages too.
        if random.next() % 8 == 0 { filledBuffer.buffer.reclaimPages() }
        guard filledBuffer.buffer.beginContentAccess() else {
            counts.discardedCount += 1
            return
        }
        // One access in eight compares the content twice, because the kernel may reclaim pages in between.
        for _ in 0..<(random.next() % 8 == 0 ? 2 : 1) {
            let isExact = filledBuffer.buffer.withBytes { bytes in
                filledBuffer.content.withUnsafeBytes { memcmp(bytes.baseAddress!, $0.baseAddress!, $0.count) == 0 }
            }
            if isExact == true { counts.exactCount += 1 } else { counts.wrongCount += 1 }
            if random.next() % 8 == 0 { filledBuffer.buffer.reclaimPages() }
        }
        filledBuffer.buffer.endContentAccess()
    }

    @Test func contentIsExactOrReportedAsDiscarded() throws {
        var random = SeededGenerator.printingSeed()
        let buffers = Monitor(try (0..<Self.bufferCount).map { _ in try FilledBuffer(&random) })
        let counts = Monitor(Counts())
        let mustStop = Monitor(false)
        let seed = random.next()
        // This thread reclaims pages without a lock, so that it interferes with every step of the other threads.
        let reclaimingThread = try NamedThread("pressure") {
            var random = SeededGenerator(seed: seed)
            while !mustStop.withLock({ $0 }) {
                let index = Int(random.next() % UInt64(Self.bufferCount))
                buffers.withLock { $0[index].buffer }.reclaimPages()
            }
        }
        let accessThreads = try (1...8).map { thread in
            try NamedThread("user \(thread)") {
                var random = SeededGenerator(seed: seed &+ UInt64(thread)), threadCounts = Counts()
                for _ in 0..<Self.totalAccessCount / 8 {
                    let index = Int(random.next() % UInt64(Self.bufferCount))
                    let filledBuffer = buffers.withLock { $0[index] }
                    let oldDiscardedCount = threadCounts.discardedCount
                    Self.access(filledBuffer, &random, &threadCounts)
                    guard threadCounts.discardedCount > oldDiscardedCount, let newBuffer = try? FilledBuffer(&random)
                    else {
                        continue
                    }
                    buffers.withLock { $0[index] = newBuffer }
                }
                counts.withLock {
                    $0.exactCount += threadCounts.exactCount
                    $0.discardedCount += threadCounts.discardedCount
                    $0.wrongCount += threadCounts.wrongCount
                }
            }
        }
        for thread in accessThreads { thread.join() }
        mustStop.withLock { $0 = true }
        reclaimingThread.join()
        let result = counts.withLock { $0 }
        print("exact \(result.exactCount), discarded \(result.discardedCount)")
        #expect(result.wrongCount == 0)
        // The test is meaningful only if accesses have found both existing and discarded content.
        #expect(result.exactCount > Self.totalAccessCount / 100 && result.discardedCount > 0)
    }

    /// Eight threads access the same three buffers, so that they often release and restore the same pages together.
    @Test func threadsThatShareABufferRestoreItsPagesTogether() throws {
        var random = SeededGenerator.printingSeed()
        let sharedBuffers = try (0..<3).map { _ in
            try PurgeableBuffer(byteCount: 100 * MemoryPages.size, seed: random.next())
        }
        let checksums = sharedBuffers.map { buffer in buffer.withBytes { XXHash64.hash($0, seed: 0) } }
        for buffer in sharedBuffers { buffer.endContentAccess() }
        let wrongContentCount = Monitor(0)
        let threads = try (0..<8).map { thread in
            try NamedThread("user \(thread)") {
                for cycle in 0..<Self.totalAccessCount / 40 {
                    let index = (cycle + thread) % 3
                    guard sharedBuffers[index].beginContentAccess() else { continue }
                    let checksum = sharedBuffers[index].withBytes { XXHash64.hash($0, seed: 0) }
                    sharedBuffers[index].endContentAccess()
                    if checksum != checksums[index] { wrongContentCount.withLock { $0 += 1 } }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(wrongContentCount.withLock { $0 } == 0)
        for buffer in sharedBuffers { #expect(buffer.state.withLock { $0.accessCount } == 0) }
    }
}
