import TestSupport
import Testing

@testable import HTTPTransfer

@Suite struct ByteCacheTests {
    /// Returns `count` bytes that belong at `offset`: a byte's value is computed from its offset.
    private static func bytes(at offset: Int64, count: Int) -> [UInt8] {
        (0..<Int64(count)).map { UInt8(truncatingIfNeeded: ($0 + offset) &* 2_654_435_761 >> 7) }
    }

    /// Returns the cached bytes from `offset` on: at most `count` bytes, and at most to the end of a page.
    private func read(_ cache: inout ByteCache, at offset: Int64, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let length = bytes.withUnsafeMutableBytes { cache.read(at: offset, into: $0) }
        return Array(bytes[..<length])
    }

    @Test func readingReturnsOnlyCachedBytes() {
        var cache = ByteCache(limit: 1 << 20)
        #expect(read(&cache, at: 0, count: 10).isEmpty)
        cache.insert([1, 2, 3], at: 100)
        #expect(read(&cache, at: 99, count: 10).isEmpty && read(&cache, at: 103, count: 10).isEmpty)
        #expect(read(&cache, at: 101, count: 10) == [2, 3])
    }

    @Test func cachedBytesCanBeReadAcrossPages() {
        var cache = ByteCache(limit: 1 << 20)
        let insertedBytes = Self.bytes(at: 60_000, count: 200_000)
        cache.insert(insertedBytes, at: 60_000)
        var offset: Int64 = 60_000, readBytes: [UInt8] = []
        while case let part = read(&cache, at: offset, count: 50_000), !part.isEmpty {
            readBytes += part
            offset += Int64(part.count)
        }
        #expect(readBytes == insertedBytes && cache.byteCount == 200_000)
    }

    @Test("a smaller limit drops the least recently used bytes at once, and a larger limit lets the cache grow")
    func changedLimitDropsOrKeepsBytes() {
        var cache = ByteCache(limit: 16 * 65_536)
        for block in 0..<8 as Range<Int64> {
            cache.insert(Self.bytes(at: block * 65_536, count: 65_536), at: block * 65_536)
        }
        _ = read(&cache, at: 0, count: 1)
        cache.setLimit(5 * 65_536)?.release()
        #expect(cache.byteCount == 5 * 65_536)
        let cachedBlocks = (0..<8 as Range<Int64>).filter { !read(&cache, at: $0 * 65_536, count: 1).isEmpty }
        #expect(cachedBlocks == [0, 4, 5, 6, 7])
        cache.setLimit(0)?.release()
        #expect(cache.byteCount == 4 * 65_536)
        cache.setLimit(16 * 65_536)?.release()
        for block in 8..<20 as Range<Int64> {
            cache.insert(Self.bytes(at: block * 65_536, count: 65_536), at: block * 65_536)
        }
        #expect(cache.byteCount == 16 * 65_536)
    }

    @Test func fullCacheDropsTheLeastRecentlyUsedBytes() {
        var cache = ByteCache(limit: 4 * 65_536)
        for block in 0..<4 {
            cache.insert(Self.bytes(at: Int64(block) * 65_536, count: 65_536), at: Int64(block) * 65_536)
        }
        _ = read(&cache, at: 0, count: 1)
        cache.insert(Self.bytes(at: 4 * 65_536, count: 65_536), at: 4 * 65_536)
        #expect(!read(&cache, at: 0, count: 1).isEmpty && read(&cache, at: 65_536, count: 1).isEmpty)
        #expect(cache.byteCount == 4 * 65_536)
    }

    @Test("random insertions and reads return only bytes that were inserted at their offset, within the limit")
    func randomReadsReturnTheInsertedBytes() {
        var random = SeededGenerator.printingSeed()
        var cache = ByteCache(limit: 300_000)
        for _ in 0..<200 {
            let offset = Int64.random(in: 0..<1_000_000, using: &random),
                count = Int.random(in: 1..<100_000, using: &random)
            if Bool.random(using: &random) {
                cache.insert(Self.bytes(at: offset, count: count), at: offset)
                #expect(cache.byteCount <= 300_000 + 65_536)
            } else {
                let readBytes = read(&cache, at: offset, count: count)
                #expect(readBytes == Self.bytes(at: offset, count: readBytes.count))
            }
        }
    }

    @Test("random reads, insertions and limits keep the same pages as a list in the order of use")
    func keptPagesMatchAModel() {
        var random = SeededGenerator.printingSeed()
        var cache = ByteCache(limit: 6 * 65_536), modelBlocks: [Int64] = [], limit = 6
        for _ in 0..<3000 {
            let block = Int64.random(in: 0..<12, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                limit = Int.random(in: 4..<10, using: &random)
                let isDropping = modelBlocks.count > limit
                #expect((cache.setLimit(limit * 65_536) != nil) == isDropping)
            case 1..<10:
                cache.insert([UInt8](repeating: 1, count: 65_536), at: block * 65_536)
                modelBlocks.removeAll { $0 == block }
                modelBlocks.append(block)
            default:
                let isCached = !read(&cache, at: block * 65_536, count: 1).isEmpty
                #expect(isCached == modelBlocks.contains(block))
                if isCached {
                    modelBlocks.removeAll { $0 == block }
                    modelBlocks.append(block)
                }
            }
            modelBlocks.removeFirst(max(0, modelBlocks.count - limit))
            #expect(cache.byteCount == modelBlocks.count * 65_536)
        }
    }

    @Test func overlappingBytesAreCountedOnce() {
        var cache = ByteCache(limit: 1 << 20)
        cache.insert(Self.bytes(at: 0, count: 100), at: 0)
        cache.insert(Self.bytes(at: 50, count: 100), at: 50)
        #expect(cache.byteCount == 150 && read(&cache, at: 0, count: 200) == Self.bytes(at: 0, count: 150))
        cache.insert(Self.bytes(at: 10, count: 20), at: 10)
        #expect(cache.byteCount == 150 && read(&cache, at: 0, count: 200) == Self.bytes(at: 0, count: 150))
    }

    @Test func bytesThatDoNotContinueAPageReplaceIt() {
        var cache = ByteCache(limit: 1 << 20)
        cache.insert(Self.bytes(at: 1000, count: 100), at: 1000)
        cache.insert(Self.bytes(at: 500, count: 10), at: 500)
        #expect(cache.byteCount == 10 && read(&cache, at: 1000, count: 1).isEmpty)
        #expect(read(&cache, at: 505, count: 10) == Self.bytes(at: 505, count: 5))
    }
}
