import Glibc

/// The memory usage of this process, as the kernel reports it.
struct ProcessFigures: Equatable {
    /// The size in bytes of the memory that the kernel cannot drop: private and shared memory without a file.
    let dirty: Int
    /// The size in bytes of mapped pages of files, which the kernel can drop.
    let clean: Int
    /// The size in bytes of the part of `dirty` that the kernel may reclaim at any time (`MADV_FREE`).
    let lazilyFreed: Int

    /// Parses the text of the file `smaps_rollup` of the proc file system; returns nil if a value is missing.
    init?(parsing text: String) {
        func bytes(_ name: String) -> Int? {
            for line in text.split(separator: "\n") where line.hasPrefix(name) {
                let fields = line.dropFirst(name.count).split(whereSeparator: \.isWhitespace)
                return fields.first.flatMap { Int($0) }.map { $0 * 1024 }
            }
            return nil
        }
        guard let anonymous = bytes("Pss_Anon:"), let shared = bytes("Pss_Shmem:"), let file = bytes("Pss_File:"),
            let lazilyFreed = bytes("LazyFree:")
        else { return nil }
        (dirty, clean, self.lazilyFreed) = (anonymous + shared, file, lazilyFreed)
    }

    /// The current memory usage; nil if the kernel does not report it. Reading takes a millisecond or more.
    static var current: ProcessFigures? {
        TextFile.read("/proc/self/smaps_rollup").flatMap(ProcessFigures.init)
    }

    /// The value of `RUSAGE_THREAD` on Linux, which Swift does not import.
    private static let threadUsage: Int32 = 1

    /// The number of times that the calling thread has waited for a page from the disk.
    static var majorFaultsOfThread: Int {
        var usage = rusage()
        return getrusage(threadUsage, &usage) == 0 ? usage.ru_majflt : 0
    }
}
