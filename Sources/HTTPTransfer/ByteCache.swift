import SystemCalls

/// A cache of received bytes of a resource, in pages. If the cache exceeds its limit, it drops the least recently used
/// pages. A pure data structure.
struct ByteCache: Sendable {
    /// Consecutive cached bytes within one block of the resource. A block has ``pageSize`` bytes.
    private struct Page: Sendable {
        /// The offset of the page's first byte within its block.
        var start: Int
        var bytes: [UInt8]
        /// The block of the page that was used directly after this one; nil for the most recently used page.
        var newerBlock: Int64?
        /// The block of the page that was used directly before this one; nil for the least recently used page.
        var olderBlock: Int64?
        /// The offset after the page's last byte within its block.
        var end: Int { start + bytes.count }
    }

    /// The cached pages, by block number.
    private var pages: [Int64: Page] = [:]
    /// The block of the most recently used page, and of the least recently used one; nil if the cache is empty.
    private var newestBlock, oldestBlock: Int64?
    /// The maximum number of cached bytes.
    private var limit: Int
    /// The number of cached bytes.
    private(set) var byteCount = 0

    private static let pageSize = 64 * 1024

    /// The smallest allowed limit in bytes: a smaller cache could drop received bytes before they are read.
    private static let minimumLimit = 4 * pageSize

    /// Creates an empty cache.
    ///
    /// - Parameter limit: The maximum number of cached bytes; values below 256 KiB become 256 KiB.
    init(limit: Int) { self.limit = max(limit, Self.minimumLimit) }

    /// Sets the maximum number of cached bytes, and drops the pages above it. Values below 256 KiB become 256 KiB.
    ///
    /// Takes time only for the pages that are kept, so that a reader of media can lower the limit of a large cache.
    ///
    /// - Returns: The dropped pages, whose memory is not released yet; nil if no page was dropped.
    mutating func setLimit(_ newLimit: Int) -> DroppedBytes? {
        limit = max(newLimit, Self.minimumLimit)
        guard byteCount > limit else { return nil }
        var keptPages: [Int64: Page] = [:], keptByteCount = 0, oldestKeptBlock: Int64?, nextBlock = newestBlock
        keptPages.reserveCapacity(limit / Self.pageSize + 1)
        while let block = nextBlock, let page = pages[block], keptByteCount + page.bytes.count <= limit {
            keptPages[block] = page
            keptByteCount += page.bytes.count
            (oldestKeptBlock, nextBlock) = (block, page.olderBlock)
        }
        if let oldestKeptBlock { keptPages[oldestKeptBlock]?.olderBlock = nil } else { newestBlock = nil }
        let allBytes = DroppedBytes(pages)
        (pages, byteCount, oldestBlock) = (keptPages, keptByteCount, oldestKeptBlock)
        return allBytes
    }

    /// Stores the bytes at an offset of the resource.
    mutating func insert(_ bytes: [UInt8], at offset: Int64) {
        var remainingBytes = bytes[...], offset = offset
        while !remainingBytes.isEmpty {
            let (block, start) = Self.location(of: offset)
            let piece = remainingBytes.prefix(Self.pageSize - start)
            insert(piece, block: block, start: start)
            remainingBytes = remainingBytes.dropFirst(piece.count)
            offset += Int64(piece.count)
        }
    }

    /// Stores bytes of one block: appends them to the block's page, or replaces the page if the bytes do not continue
    /// the page.
    private mutating func insert(_ piece: ArraySlice<UInt8>, block: Int64, start: Int) {
        if let (pageStart, pageEnd) = pages[block].map({ ($0.start, $0.end) }), pageStart <= start, start <= pageEnd {
            let newBytes = piece.dropFirst(pageEnd - start)
            // Change the page in place, to avoid copying its bytes.
            pages[block]?.bytes.append(contentsOf: newBytes)
            byteCount += newBytes.count
        } else {
            remove(block)
            byteCount += piece.count
            pages[block] = Page(start: start, bytes: Array(piece))
        }
        recordUse(of: block)
        while byteCount > limit, pages.count > 1, let oldestBlock { remove(oldestBlock) }
    }

    /// Makes a page the most recently used one.
    private mutating func recordUse(of block: Int64) {
        guard newestBlock != block else { return }
        unlink(block)
        pages[block]?.olderBlock = newestBlock
        if let newestBlock { pages[newestBlock]?.newerBlock = block } else { oldestBlock = block }
        newestBlock = block
    }

    /// Removes a page, if there is one for the block.
    private mutating func remove(_ block: Int64) {
        guard pages[block] != nil else { return }
        unlink(block)
        byteCount -= pages.removeValue(forKey: block)?.bytes.count ?? 0
    }

    /// Removes a page from the order of use. No effect on a page that is not in the order yet.
    private mutating func unlink(_ block: Int64) {
        let newerBlock = pages[block]?.newerBlock, olderBlock = pages[block]?.olderBlock
        if let newerBlock { pages[newerBlock]?.olderBlock = olderBlock }
        if let olderBlock { pages[olderBlock]?.newerBlock = newerBlock }
        if newestBlock == block { newestBlock = olderBlock }
        if oldestBlock == block { oldestBlock = newerBlock }
        pages[block]?.newerBlock = nil
        pages[block]?.olderBlock = nil
    }

    /// Copies cached bytes from `offset` on, at most to the end of a page.
    ///
    /// - Returns: The number of copied bytes; 0 if the byte at `offset` is not cached.
    mutating func read(at offset: Int64, into target: UnsafeMutableRawBufferPointer) -> Int {
        let (block, start) = Self.location(of: offset)
        guard let page = pages[block], page.start <= start, start < page.end else { return 0 }
        recordUse(of: block)
        let piece = page.bytes[(start - page.start)...].prefix(target.count)
        target.copyBytes(from: piece)
        return piece.count
    }

    /// Returns the block that contains an offset of the resource, and the offset within that block.
    private static func location(of offset: Int64) -> (block: Int64, start: Int) {
        (offset / Int64(pageSize), Int(offset % Int64(pageSize)))
    }
}

/// Received bytes that are not cached any more and still take memory, until ``release()``. Safe to use from any thread.
package final class DroppedBytes: Sendable {
    /// The memory of the bytes; nil after ``release()``.
    private let contents: Monitor<(any Sendable)?>

    /// Takes over the only reference to the bytes.
    package init(_ contents: some Sendable) { self.contents = Monitor(contents) }

    /// Releases the memory of the bytes, which takes milliseconds for a large cache.
    package func release() {
        // The memory is released after the lock is unlocked.
        let contents = contents.withLock { $0.take() }
        withExtendedLifetime(contents) {}
    }
}
