import Glibc

/// The memory usage of this process, as the kernel reports it.
struct ProcessFigures: Equatable {
    /// The size in bytes of the memory that only the program can return: private anonymous memory and shared memory.
    /// Shared memory counts in full, even if another process maps it too.
    let dirty: Int
    /// The size in bytes of mapped pages of files, which the kernel can drop.
    let clean: Int
    /// The size in bytes of the part of `dirty` that the kernel may reclaim at any time (`MADV_FREE`).
    let lazilyFreed: Int

    /// Parses files of the proc file system; returns nil if a value is missing.
    ///
    /// - Parameters:
    ///   - status: The text of the file `status`.
    ///   - rollup: The text of the file `smaps_rollup`.
    init?(status: String, rollup: String) {
        guard let dirty = Self.dirtySize(status: status), let file = Self.byteCount("Pss_File:", in: rollup),
            let lazilyFreed = Self.byteCount("LazyFree:", in: rollup)
        else { return nil }
        (self.dirty, clean, self.lazilyFreed) = (dirty, file, lazilyFreed)
    }

    /// Parses the value of ``dirty`` from the text of the file `status`; returns nil if a value is missing.
    static func dirtySize(status: String) -> Int? {
        guard let anonymous = byteCount("RssAnon:", in: status), let shared = byteCount("RssShmem:", in: status) else {
            return nil
        }
        return anonymous + shared
    }

    /// Returns the size in the line of a text that begins with `name`; nil if there is none.
    private static func byteCount(_ name: String, in text: String) -> Int? {
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            let fields = line.dropFirst(name.count).split(whereSeparator: \.isWhitespace)
            return fields.first.flatMap { Int($0) }.map { $0 * 1024 }
        }
        return nil
    }

    /// The current value of ``dirty``; nil if the kernel does not report it. The kernel keeps counters of this memory,
    /// so that reading them visits no pages.
    static var currentDirtySize: Int? { TextFile.read("/proc/self/status").flatMap(dirtySize) }

    /// The current memory usage; nil if the kernel does not report it. The kernel visits all mapped pages, which takes
    /// milliseconds of a processor.
    static var current: ProcessFigures? {
        guard let status = TextFile.read("/proc/self/status"), let rollup = TextFile.read("/proc/self/smaps_rollup")
        else { return nil }
        return ProcessFigures(status: status, rollup: rollup)
    }

    /// The value of `RUSAGE_THREAD` on Linux, which Swift does not import.
    private static let threadUsage: Int32 = 1

    /// The number of times that the calling thread has waited for a page from the disk.
    static var majorFaultCountOfThread: Int {
        var usage = rusage()
        return getrusage(threadUsage, &usage) == 0 ? usage.ru_majflt : 0
    }
}
