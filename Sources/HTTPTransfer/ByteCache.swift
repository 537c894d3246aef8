/// A cache of received bytes of a resource, in pages. If the cache exceeds its limit, it drops the least recently used
/// pages. A pure data structure.
struct ByteCache: Sendable {
    /// Consecutive cached bytes within one block of the resource. A block has ``pageSize`` bytes.
    private struct Page: Sendable {
        /// The offset of the page's first byte within its block.
        var start: Int
        var bytes: [UInt8]
        /// The value of ``useCount`` when the page was last read or written.
        var lastUse: Int
        /// The offset after the page's last byte within its block.
        var end: Int { start + bytes.count }
    }

    /// The cached pages, by block number.
    private var pages: [Int64: Page] = [:]
    /// The number of reads and writes of pages so far.
    private var useCount = 0
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
    mutating func setLimit(_ newLimit: Int) {
        limit = max(newLimit, Self.minimumLimit)
        guard byteCount > limit else { return }
        // Sorting once is faster than a search for each page.
        for (block, page) in pages.sorted(by: { $0.value.lastUse < $1.value.lastUse }) where byteCount > limit {
            byteCount -= page.bytes.count
            pages[block] = nil
        }
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
        useCount += 1
        if let page = pages[block], page.start <= start, start <= page.end {
            let newBytes = piece.dropFirst(page.end - start)
            // Change the page in place, to avoid copying its bytes.
            pages[block]?.bytes.append(contentsOf: newBytes)
            pages[block]?.lastUse = useCount
            byteCount += newBytes.count
        } else {
            byteCount += piece.count - (pages[block]?.bytes.count ?? 0)
            pages[block] = Page(start: start, bytes: Array(piece), lastUse: useCount)
        }
        while byteCount > limit, pages.count > 1,
            let leastRecentlyUsed = pages.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            byteCount -= leastRecentlyUsed.value.bytes.count
            pages[leastRecentlyUsed.key] = nil
        }
    }

    /// Copies cached bytes from `offset` on, at most to the end of a page.
    ///
    /// - Returns: The number of copied bytes; 0 if the byte at `offset` is not cached.
    mutating func read(at offset: Int64, into target: UnsafeMutableRawBufferPointer) -> Int {
        let (block, start) = Self.location(of: offset)
        guard let page = pages[block], page.start <= start, start < page.end else { return 0 }
        useCount += 1
        pages[block]?.lastUse = useCount
        let piece = page.bytes[(start - page.start)...].prefix(target.count)
        target.copyBytes(from: piece)
        return piece.count
    }

    /// Returns the block that contains an offset of the resource, and the offset within that block.
    private static func location(of offset: Int64) -> (block: Int64, start: Int) {
        (offset / Int64(pageSize), Int(offset % Int64(pageSize)))
    }
}
