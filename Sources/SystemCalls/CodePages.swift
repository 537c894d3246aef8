import CLinux
import Glibc

/// The memory pages that contain the code and the constants of the program and of its libraries.
package enum CodePages {
    private struct State {
        /// Whether a thread removes pages.
        var isUnmapping = false
        /// Whether the process ends.
        var isExiting = false
    }

    private static let state = Monitor(State())

    /// The longest time for which the end of the process waits for a removal, in nanoseconds.
    private static let exitTimeout: Int64 = 200_000_000

    /// Whether a function is registered that runs when the process ends, before the destructors of all libraries. False
    /// if the process is already ending.
    ///
    /// The function prevents further removals of code pages and waits for the current one. A removal opens each library
    /// again for a moment. If the library's destructors had run by then, its constructors would run a second time, and
    /// those of GObject abort the process.
    private static let hasExitHandler =
        atexit {
            CodePages.state.update { $0.isExiting = true }
            _ = CodePages.state.wait(until: MonotonicTime.now + exitTimeout) { $0.isUnmapping ? nil : true }
        } == 0

    /// Prepares ``unmap()``, so that it cannot begin while the process ends. Call it before another thread calls
    /// ``unmap()``.
    package static func prepare() { _ = hasExitHandler }

    /// Removes all code pages from the memory of this process. When the process uses a removed page again, the kernel
    /// maps that page and its neighbours, in groups of 16 pages.
    ///
    /// While a program starts, it uses much code that it does not use again. The pages of that code count as the
    /// process's memory until they are removed, also when the kernel selects a process to kill. This method takes some
    /// milliseconds: call it rarely, and not on a thread that must not wait.
    ///
    /// Does nothing if `/proc` reports a tracer, such as a debugger, because code pages contain its breakpoints. A
    /// tracer outside the PID namespace is not reported. Does nothing while another thread removes pages, and when the
    /// process ends.
    ///
    /// - Returns: The total size in bytes of the segments whose pages were removed. Only a part of the segments was in
    ///   memory.
    @discardableResult package static func unmap() -> Int {
        guard ProcessState.tracer(of: getpid()) == nil else { return 0 }
        guard hasExitHandler else { return 0 }
        let mayUnmap = state.withLock { state in
            guard !state.isUnmapping, !state.isExiting else { return false }
            state.isUnmapping = true
            return true
        }
        guard mayUnmap else { return 0 }
        defer { state.update { $0.isUnmapping = false } }
        return Int(clamping: clinux_unmap_code_pages())
    }
}
