import Glibc

/// The memory of a process, from `/proc/PID/smaps_rollup`. A page that several processes share counts in equal parts
/// for each of these processes (PSS). All sizes are in bytes.
package struct ProcessMemory: Equatable, Sendable {
    /// The size of private and shared memory that belongs to no file. Without swap, the kernel can reclaim only the
    /// pages that the process has marked as free (`MADV_FREE`).
    package var dirty: Int
    /// The size of the pages of files, which the kernel can reclaim at any time.
    package var clean: Int

    package init(dirty: Int, clean: Int) { (self.dirty, self.clean) = (dirty, clean) }

    /// Parses the contents of `smaps_rollup`; nil if a value is missing, not a number or too large.
    package init?(parsing text: String) {
        // Split the text once: memory is read while it is short.
        let lines = text.split(separator: "\n")
        func byteCount(_ name: String) -> Int? {
            for line in lines where line.hasPrefix(name) {
                let fields = line.dropFirst(name.count).split(whereSeparator: \.isWhitespace)
                guard let kibibytes = fields.first.flatMap({ Int($0) }), kibibytes >= 0 else { return nil }
                let (bytes, hasOverflow) = kibibytes.multipliedReportingOverflow(by: 1024)
                return hasOverflow ? nil : bytes
            }
            return nil
        }
        guard let anonymous = byteCount("Pss_Anon:"), let shared = byteCount("Pss_Shmem:"),
            let file = byteCount("Pss_File:")
        else { return nil }
        let (dirty, hasOverflow) = anonymous.addingReportingOverflow(shared)
        guard !hasOverflow else { return nil }
        self.init(dirty: dirty, clean: file)
    }

    /// The memory of this process; nil if the kernel does not report it. Takes a millisecond or more.
    package static var current: ProcessMemory? {
        (try? ProcessHandle(getpid()))?.text(of: "smaps_rollup").flatMap(ProcessMemory.init)
    }
}
