import CLinux

/// How this process uses its heap.
package enum ProcessMemory {
    /// Gives freed heap memory back to the system: after work that needed much of it for a moment.
    package static func trimHeap() { clinux_trim_heap() }

    /// Lets all threads share so many malloc arenas: one a thread would keep some megabytes of half-used memory each.
    /// For programs, before their threads start; a library does not decide this.
    package static func limitArenas(to count: Int32) { clinux_limit_malloc_arenas(count) }
}
