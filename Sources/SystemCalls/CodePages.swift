import CLinux
import Glibc

/// The pages of the program's and its libraries' files that are mapped into this process: code and constants.
package enum CodePages {
    /// Removes all of them from this process. The kernel keeps their content in memory as long as it has space, and
    /// maps what is used again, in groups of 16 pages.
    ///
    /// A start uses much code that is not used again. Its pages count as the process's memory until they are removed,
    /// also when the kernel chooses a process to end. Takes some milliseconds; do not call it on a thread that must not
    /// wait, and not again and again.
    ///
    /// Does nothing while a debugger traces the process, because its breakpoints are in these pages.
    ///
    /// - Returns: The size of the segments whose pages were removed, in bytes. Not all of it was in memory.
    @discardableResult package static func unmap() -> Int {
        guard ProcessState.tracer(of: getpid()) == nil else { return 0 }
        return Int(clamping: clinux_unmap_code_pages())
    }
}
