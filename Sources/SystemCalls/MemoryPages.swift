import Glibc

/// The memory pages of this machine: their size, and advice to the kernel about them (`madvise`).
package enum MemoryPages {
    /// The size of a page in bytes.
    package static let size = sysconf(Int32(_SC_PAGESIZE))

    /// Returns the smallest multiple of the page size that is not less than `count`.
    package static func roundUp(_ count: Int) -> Int { (count + size - 1) / size * size }

    /// The advice that a process gives the kernel about pages (madvise(2)).
    package enum Advice: Sendable {
        /// The kernel may reclaim private pages until the process writes to them again (`MADV_FREE`). A reclaimed page
        /// reads as zero.
        case free
        /// The kernel removes the pages from this process at once (`MADV_DONTNEED`). Private pages lose their content;
        /// pages of a file keep it.
        case doNotNeed
        /// The kernel starts to read the pages of a file from the disk (`MADV_WILLNEED`).
        case willNeed

        /// The advice as a constant of madvise(2).
        fileprivate var number: Int32 {
            switch self {
            case .free: MADV_FREE
            case .doNotNeed: MADV_DONTNEED
            case .willNeed: MADV_WILLNEED
            }
        }
    }

    /// Gives advice about the pages of an address range, which must start at a page.
    fileprivate static func advise(_ advice: Advice, _ start: UnsafeMutableRawPointer, count: Int)
        throws(SystemCallError)
    {
        try systemCall("madvise") { madvise(start, count, advice.number) }
    }
}

extension Mapping {
    /// Gives the kernel advice about a range of the mapped bytes.
    ///
    /// - Parameter range: The bytes; the lower bound is a multiple of the page size.
    package func advise(_ advice: MemoryPages.Advice, _ range: Range<Int>) throws(SystemCallError) {
        precondition(range.lowerBound >= 0 && range.upperBound <= size, "the range exceeds the mapping")
        try MemoryPages.advise(advice, base + range.lowerBound, count: range.count)
    }
}

/// The owner of private memory of this process (an anonymous `mmap`), which is zero at first; unmaps it on
/// deinitialisation.
package struct PrivatePages: ~Copyable, @unchecked Sendable {
    // @unchecked Sendable: the address stays valid on every thread while this value exists. The type that stores the
    // pages (`PurgeableBuffer`) defines which threads access which bytes.
    /// The address of the first byte, at the start of a page.
    package let base: UnsafeMutableRawPointer
    /// The number of bytes, a multiple of the page size.
    package let size: Int
    /// The number of pages.
    package var count: Int { size / MemoryPages.size }

    /// Maps as many pages as `byteCount` bytes need.
    package init(byteCount: Int) throws(SystemCallError) {
        size = MemoryPages.roundUp(byteCount)
        guard let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            address != MAP_FAILED
        else { throw SystemCallError(call: "mmap", number: errno) }
        base = address
    }

    deinit { munmap(base, size) }

    /// Gives the kernel advice about some of the pages.
    ///
    /// - Parameter pages: The numbers of the pages, from 0.
    package func advise(_ advice: MemoryPages.Advice, pages: Range<Int>) throws(SystemCallError) {
        precondition(pages.lowerBound >= 0 && pages.upperBound <= count, "there are no such pages")
        try MemoryPages.advise(
            advice, base + pages.lowerBound * MemoryPages.size, count: pages.count * MemoryPages.size)
    }
}
