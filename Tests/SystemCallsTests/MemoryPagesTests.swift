import Glibc
import Testing

@testable import SystemCalls

@Suite struct MemoryPagesTests {
    @Test func byteCountsAreRoundedUpToPages() {
        let size = MemoryPages.size
        #expect(size >= 4096 && size & (size - 1) == 0)
        #expect([0, 1, size, size + 1].map { MemoryPages.roundUp($0) } == [0, size, size, 2 * size])
    }

    @Test func doNotNeedAdviceClearsPrivatePages() throws {
        let pages = try PrivatePages(byteCount: 2 * MemoryPages.size + 1)
        #expect(pages.count == 3 && pages.size == 3 * MemoryPages.size)
        let bytes = UnsafeMutableRawBufferPointer(start: pages.base, count: pages.size)
        #expect(bytes.allSatisfy { $0 == 0 })
        for page in 0..<3 { bytes[page * MemoryPages.size] = 7 }
        try pages.advise(.doNotNeed, pages: 1..<2)
        #expect((0..<3).map { bytes[$0 * MemoryPages.size] } == [7, 0, 7])
    }

    @Test func pagesAdvisedFreeKeepTheirContentOrBecomeZero() throws {
        let pages = try PrivatePages(byteCount: 64 * MemoryPages.size)
        let bytes = UnsafeMutableRawBufferPointer(start: pages.base, count: pages.size)
        for page in 0..<64 { bytes[page * MemoryPages.size] = 7 }
        try pages.advise(.free, pages: 0..<64)
        #expect((0..<64).allSatisfy { [0, 7].contains(bytes[$0 * MemoryPages.size]) })
    }

    @Test func filePagesKeepTheirContentAfterAdvice() throws {
        let file = try MemoryFile(name: "test", size: 4 * MemoryPages.size)
        let mapping = try file.map(writable: true)
        mapping.base.storeBytes(of: 7, toByteOffset: MemoryPages.size, as: UInt8.self)
        try mapping.advise(.doNotNeed, 0..<mapping.size)
        try mapping.advise(.willNeed, MemoryPages.size..<2 * MemoryPages.size)
        #expect(mapping.withBytes { $0[MemoryPages.size] } == 7)
    }

    @Test func freeAdviceForFilePagesThrows() throws {
        let mapping = try MemoryFile(name: "test", size: MemoryPages.size).map(writable: true)
        do {
            try mapping.advise(.free, 0..<mapping.size)
            Issue.record("the kernel accepted MADV_FREE for shared pages")
        } catch { #expect(error == SystemCallError(call: "madvise", number: EINVAL)) }
    }

    @Test func mappingTooMuchMemoryThrows() {
        do {
            _ = try PrivatePages(byteCount: 1 << 60)
            Issue.record("the kernel mapped 2^60 bytes")
        } catch { #expect(error == SystemCallError(call: "mmap", number: ENOMEM)) }
    }
}
