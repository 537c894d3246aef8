import Glibc

/// What this process uses, as the kernel reports it.
struct ProcessFigures: Equatable {
    /// Memory that only the process itself, or its end, returns: private and shared memory without a file. Bytes.
    let dirty: Int
    /// Pages of files, which the kernel can drop. Bytes.
    let clean: Int
    /// Memory in `dirty` that the kernel may take at any time: `MADV_FREE`. Bytes.
    let lazilyFreed: Int

    /// Parses the file `smaps_rollup` of the proc file system; nil if a figure is missing.
    init?(parsing text: String) {
        func bytes(_ name: String) -> Int? {
            for line in text.split(separator: "\n") where line.hasPrefix(name) {
                let words = line.dropFirst(name.count).split(whereSeparator: \.isWhitespace)
                return words.first.flatMap { Int($0) }.map { $0 * 1024 }
            }
            return nil
        }
        guard let anonymous = bytes("Pss_Anon:"), let shared = bytes("Pss_Shmem:"), let file = bytes("Pss_File:"),
            let lazilyFreed = bytes("LazyFree:")
        else { return nil }
        (dirty, clean, self.lazilyFreed) = (anonymous + shared, file, lazilyFreed)
    }

    /// The figures of this process; nil if the kernel does not report them. Takes a millisecond or more.
    static var current: ProcessFigures? {
        TextFile.read("/proc/self/smaps_rollup").flatMap(ProcessFigures.init)
    }

    /// `RUSAGE_THREAD` of Linux.
    private static let threadUsage: Int32 = 1

    /// The number of times that the calling thread has waited for a page from the disk.
    static var majorFaultsOfThread: Int {
        var usage = rusage()
        return getrusage(threadUsage, &usage) == 0 ? usage.ru_majflt : 0
    }
}
