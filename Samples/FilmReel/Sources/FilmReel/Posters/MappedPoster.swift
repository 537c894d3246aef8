import Glibc
import SwiftPlay
import Synchronization

/// A poster in a mapped file.
final class MappedPoster: Poster {
    private let picture: MappedPicture
    private static let pageSize = max(1, sysconf(Int32(_SC_PAGESIZE)))
    /// The sum of the bytes that ``readPages()`` has read. Without this sum, the compiler removes the reads.
    private static let readSum = Atomic<UInt8>(0)

    init(_ picture: MappedPicture) { self.picture = picture }

    /// Makes the kernel read dropped pages of the poster from the disk, and waits for the disk.
    func readPages() {
        picture.withBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            // A picture starts at the start of a page.
            let status = madvise(UnsafeMutableRawPointer(mutating: base), bytes.count, MADV_POPULATE_READ)
            guard status != 0, errno == EINVAL else { return }
            // An older kernel does not know the advice: read a byte of each page.
            var sum: UInt8 = 0
            for offset in stride(from: 0, to: bytes.count, by: Self.pageSize) { sum &+= bytes[offset] }
            Self.readSum.wrappingAdd(sum, ordering: .relaxed)
        }
    }

    func withBytes(ofRows rows: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
        picture.withBytes { bytes in
            let rowBytes = picture.layout.bytesPerRow
            guard isResident(bytes, rows.lowerBound * rowBytes..<rows.upperBound * rowBytes) else { return false }
            body(bytes)
            return true
        }
    }

    /// Returns whether all pages of a range of the bytes are in memory.
    private func isResident(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        guard let base = bytes.baseAddress, !range.isEmpty else { return true }
        let firstPage = range.lowerBound / Self.pageSize
        let pageCount = (range.upperBound - 1) / Self.pageSize - firstPage + 1
        // A picture starts at the start of a page.
        let start = UnsafeMutableRawPointer(mutating: base + firstPage * Self.pageSize)
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: pageCount) { pages in
            guard let states = pages.baseAddress, mincore(start, pageCount * Self.pageSize, states) == 0 else {
                return false
            }
            return pages.allSatisfy { $0 & 1 == 1 }
        }
    }
}
