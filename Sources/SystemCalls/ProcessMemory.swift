import Glibc

/// The memory of a process, from `/proc/PID/smaps_rollup`. Pages that several processes share are divided among them
/// (PSS). A pure value; all sizes are in bytes.
package struct ProcessMemory: Equatable, Sendable {
    /// Private and shared memory without a file, which the kernel cannot drop: it is free again only if the process
    /// releases it or ends.
    package var dirty: Int
    /// Pages of files, which the kernel can drop.
    package var clean: Int

    package init(dirty: Int, clean: Int) { (self.dirty, self.clean) = (dirty, clean) }

    /// Parses the text of the file; nil if a figure is missing or not a number.
    package init?(parsing text: String) {
        func bytes(_ name: String) -> Int? {
            for line in text.split(separator: "\n") where line.hasPrefix(name) {
                let words = line.dropFirst(name.count).split(whereSeparator: \.isWhitespace)
                guard let number = words.first.flatMap({ Int($0) }), number >= 0 else { return nil }
                let (value, overflows) = number.multipliedReportingOverflow(by: 1024)
                return overflows ? nil : value
            }
            return nil
        }
        guard let anonymous = bytes("Pss_Anon:"), let shared = bytes("Pss_Shmem:"), let file = bytes("Pss_File:") else {
            return nil
        }
        self.init(dirty: anonymous.addingReportingOverflow(shared).partialValue, clean: file)
    }

    /// The memory of this process; nil if the kernel does not report it. Takes a millisecond or more.
    package static var current: ProcessMemory? {
        (try? ProcessHandle(getpid()))?.text(of: "smaps_rollup").flatMap(ProcessMemory.init)
    }
}
