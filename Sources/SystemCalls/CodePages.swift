import CLinux
import Glibc

/// The memory pages that contain the code and the constants of the program and of its libraries.
package enum CodePages {
    /// Removes all code pages from the memory of this process. When the process uses a removed page again, the kernel
    /// maps that page and its neighbours, in groups of 16 pages.
    ///
    /// While a program starts, it uses much code that it does not use again. The pages of that code count as the
    /// process's memory until they are removed, also when the kernel selects a process to kill. This method takes some
    /// milliseconds: call it rarely, and not on a thread that must not wait.
    ///
    /// Does nothing if `/proc` reports a tracer, such as a debugger, because code pages contain its breakpoints. A
    /// tracer outside the PID namespace is not reported.
    ///
    /// - Returns: The total size in bytes of the segments whose pages were removed. Only a part of the segments was in
    ///   memory.
    @discardableResult package static func unmap() -> Int {
        guard ProcessState.tracer(of: getpid()) == nil else { return 0 }
        return Int(clamping: clinux_unmap_code_pages())
    }
}
