import SystemCalls

/// Bytes that the kernel may take under memory pressure while they are not in use (NSPurgeableData).
/// Safe to use from any thread.
///
/// Use it for content that takes long to make and may be lost, such as pictures of pages that are not visible. A
/// buffer starts with one access, as in Foundation: call ``endContentAccess()`` once the content is not needed at
/// present. Afterwards ``beginContentAccess()`` or ``withBytes(_:)`` report whether the content is still there. It is
/// either complete or reported as gone. Content that is gone does not come back: create another buffer.
///
/// The bytes are written once, at creation. Unlike NSPurgeableData, the buffer cannot be changed later, so that threads
/// can read it together.
///
/// Performance: each buffer has separate pages (4096 bytes each on most machines) and one mapping of the process, of
/// which Linux permits 65,530: use it from 64 KB on. The first access after an end, and the last end, take time in
/// proportion to the size: for 3 MB some 0.03 ms and 0.2 ms. Further nested accesses take constant time. The memory
/// counts as used by the process until the kernel takes it. Before Linux 4.12, a machine without swap space loses the
/// content at each end.
public final class PurgeableBuffer: DiscardableContent {
    /// The number of bytes of the content.
    public let byteCount: Int
    /// The memory of the content.
    let pages: PrivatePages
    /// The number of accesses, and which pages the kernel may take.
    let state: Monitor<State>
    /// The list of objects that release memory after a memory warning. The buffer is in this list.
    private let responders: MemoryResponders

    /// The number of accesses, and which pages the kernel may take.
    ///
    /// The pages below ``releasedPageCount`` are released: the first word of each is replaced with ``releaseMark``. The
    /// kernel takes released pages only, and a page that it took reads as zero. An access writes the words back; a page
    /// whose mark is missing was taken. This is the method of Chromium's discardable memory.
    ///
    /// Threads release and restore pages in batches, each under the lock, so that the lock is held for microseconds.
    /// All threads that wait for the content restore it together.
    struct State {
        /// The number of accesses, including those that still restore pages.
        var accessCount = 1
        /// The number of released pages, counted from the start of the buffer.
        var releasedPageCount = 0
        /// Whether the content was discarded.
        var isDiscarded = false
        /// The first word of each released page, which an access writes back.
        var savedWords: [UInt64]
    }

    /// The first word of a released page. It becomes zero when the kernel takes the page.
    static let releaseMark: UInt64 = 0x9d3f_61c7_e05b_a827

    /// Creates a buffer and writes its content. The buffer starts with one access.
    ///
    /// - Parameters:
    ///   - byteCount: The number of bytes, at least 1.
    ///   - body: Writes the content into the bytes, which are zero at first and valid only until it returns.
    /// - Throws: ``PlaybackError`` with the code `resources` if there is no memory; the error of `body`.
    public convenience init(byteCount: Int, filling body: (UnsafeMutableRawBufferPointer) throws -> Void) throws {
        try self.init(byteCount: byteCount, responders: .shared, filling: body)
    }

    /// Creates a buffer, and adds it to a list of objects that release memory on request.
    package init(
        byteCount: Int, responders: MemoryResponders, filling body: (UnsafeMutableRawBufferPointer) throws -> Void
    ) throws {
        precondition(byteCount > 0, "a buffer has at least one byte")
        self.byteCount = byteCount
        self.responders = responders
        do throws(SystemCallError) { pages = try PrivatePages(byteCount: byteCount) } catch {
            throw PlaybackError(.resources, "no memory for a buffer of \(byteCount) bytes: \(error)", underlying: error)
        }
        state = Monitor(State(savedWords: [UInt64](repeating: 0, count: pages.count)))
        try body(UnsafeMutableRawBufferPointer(start: pages.base, count: byteCount))
        responders.add(self)
    }

    deinit { responders.remove(self) }

    /// The number of bytes of memory that the buffer takes, a multiple of the page size. Use it as the cost in a
    /// ``Cache``.
    public var allocatedByteCount: Int { pages.size }

    /// Calls a closure with the content, inside an access.
    ///
    /// - Parameter body: Receives the bytes, which are valid only until it returns.
    /// - Returns: The result of `body`; nil, without a call of `body`, if the content was discarded.
    /// - Throws: The error of `body`.
    public func withBytes<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result)
        throws(Failure) -> Result?
    {
        guard beginContentAccess() else { return nil }
        defer { endContentAccess() }
        return try body(UnsafeRawBufferPointer(start: pages.base, count: byteCount))
    }
}

extension PurgeableBuffer: MemoryResponder {
    /// Always 0: a buffer in a ``Cache`` would be counted twice, and the kernel can take the memory of other buffers.
    package var memoryByteCount: Int { 0 }

    /// Discards the content if it is not in use, except on ``MemoryReduction/half``.
    package func reduceMemory(to reduction: MemoryReduction) {
        if reduction != .half { discardContentIfPossible() }
    }
}
