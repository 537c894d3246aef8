/// The received bytes of a resource, in pages. If they exceed a limit, the pages that were not used for longest are
/// dropped. A pure data structure.
struct ByteCache: Sendable {
    /// A page: consecutive bytes of one block of ``pageSize`` bytes of the resource.
    private struct Page: Sendable {
        /// The offset of the first kept byte within the block.
        var start: Int
        var bytes: [UInt8]
        /// The number of the last use.
        var lastUse: Int
        /// The offset behind the last kept byte within the block.
        var end: Int { start + bytes.count }
    }

    /// The pages by the number of their block.
    private var pages: [Int64: Page] = [:]
    /// The number of uses so far.
    private var uses = 0
    /// The limit of kept bytes.
    private let limit: Int
    /// The number of kept bytes.
    private(set) var count = 0

    private static let pageSize = 64 * 1024

    /// The fewest bytes that a cache keeps, so that what was received last can be read.
    private static let leastLimit = 4 * pageSize

    /// - Parameter limit: The number of bytes to keep; at least 256 KiB are kept.
    init(limit: Int) { self.limit = max(limit, Self.leastLimit) }

    /// Keeps the bytes of the resource at `offset`.
    mutating func insert(_ bytes: [UInt8], at offset: Int64) {
        var rest = bytes[...], offset = offset
        while !rest.isEmpty {
            let (block, start) = Self.place(of: offset)
            let piece = rest.prefix(Self.pageSize - start)
            insert(piece, block: block, start: start)
            rest = rest.dropFirst(piece.count)
            offset += Int64(piece.count)
        }
    }

    /// Keeps bytes of one block. Bytes that do not continue the block's page replace it.
    private mutating func insert(_ piece: ArraySlice<UInt8>, block: Int64, start: Int) {
        uses += 1
        if let page = pages[block], page.start <= start, start <= page.end {
            let new = piece.dropFirst(page.end - start)
            // The page is changed in place.
            pages[block]?.bytes.append(contentsOf: new)
            pages[block]?.lastUse = uses
            count += new.count
        } else {
            count += piece.count - (pages[block]?.bytes.count ?? 0)
            pages[block] = Page(start: start, bytes: Array(piece), lastUse: uses)
        }
        while count > limit, pages.count > 1, let oldest = pages.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            count -= oldest.value.bytes.count
            pages[oldest.key] = nil
        }
    }

    /// Copies kept bytes from `offset` on, at most to the end of a page.
    ///
    /// - Returns: The number of copied bytes; 0 if the byte at `offset` is not kept.
    mutating func read(at offset: Int64, into target: UnsafeMutableRawBufferPointer) -> Int {
        let (block, start) = Self.place(of: offset)
        guard let page = pages[block], page.start <= start, start < page.end else { return 0 }
        uses += 1
        pages[block]?.lastUse = uses
        let piece = page.bytes[(start - page.start)...].prefix(target.count)
        target.copyBytes(from: piece)
        return piece.count
    }

    private static func place(of offset: Int64) -> (block: Int64, start: Int) {
        (offset / Int64(pageSize), Int(offset % Int64(pageSize)))
    }
}
