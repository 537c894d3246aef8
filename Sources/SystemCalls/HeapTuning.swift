import CLinux

/// Functions that reduce the heap memory of this process (glibc malloc).
package enum HeapTuning {
    /// Returns freed heap memory to the operating system, after work that temporarily needed much memory.
    package static func trimHeap() { clinux_trim_heap() }

    /// Limits the number of malloc arenas (heaps for concurrent threads). With one arena per thread, each thread would
    /// keep several megabytes of half-used memory. Call this method only in a program, before the program starts
    /// threads; a library must not change this setting.
    package static func limitArenas(to count: Int32) { clinux_limit_malloc_arenas(count) }

    /// Gives each block of at least `bytes` bytes pages of its own, which return to the operating system when the block
    /// is freed. By default malloc raises this threshold up to 32 MB. Small blocks between large freed blocks, such as
    /// segments of a media stream, then keep the freed memory in the process. Call this method only in a program; a
    /// library must not change this setting.
    package static func setMmapThreshold(_ bytes: Int32) { clinux_set_malloc_mmap_threshold(bytes) }
}
