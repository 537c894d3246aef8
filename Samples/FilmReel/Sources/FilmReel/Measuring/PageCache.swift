import Glibc

/// Functions that control and read which pages of a file are in the kernel's page cache.
enum PageCache {
    /// Writes a file to the disk and removes its pages from the page cache. The file must not be mapped.
    ///
    /// - Throws: ``FilmReelError`` if the kernel refuses.
    static func drop(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FilmReelError("\(path): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        let status = fsync(descriptor) == 0 ? posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) : errno
        if status != 0 { throw FilmReelError("\(path): \(String(cString: strerror(status)))") }
    }

    /// Reads a file, so that its pages are in the page cache.
    static func fill(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        withUnsafeTemporaryAllocation(byteCount: 1 << 20, alignment: 4096) { buffer in
            while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
        }
    }

    /// Returns the share of a file that is in the page cache, 0 to 1; nil if the share cannot be read.
    static func residentShare(of path: String) -> Double? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size > 0 else { return nil }
        let size = Int(status.st_size), pageSize = max(1, sysconf(Int32(_SC_PAGESIZE)))
        guard let base = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0), base != MAP_FAILED else { return nil }
        defer { munmap(base, size) }
        var pages = [UInt8](repeating: 0, count: (size + pageSize - 1) / pageSize)
        guard mincore(base, size, &pages) == 0 else { return nil }
        return Double(pages.count { $0 & 1 == 1 }) / Double(pages.count)
    }
}
