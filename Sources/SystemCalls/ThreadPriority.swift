import Glibc

/// The priorities of threads that do less urgent work than playback, as additions to the nice value of the calling
/// thread. A thread applies its priority once.
///
/// A thread cannot raise its priority again without a privilege. Therefore a lower priority is given only to threads
/// that end when their work is done. See `docs/priorities.md`.
package enum ThreadPriority: Int32, CaseIterable, Sendable {
    /// FFmpeg's decoding threads of a program that is in the background or short of memory.
    case backgroundDecoding = 2
    /// Work that playback does not wait for, such as stills.
    case utility = 10

    /// The largest nice value.
    private static let largestNiceValue: Int32 = 19

    /// Lowers the priority of the calling thread, and of the threads that it starts from then on.
    package func applyToCurrentThread() {
        // On Linux the ID 0 means the calling thread, not the process. Lowering the priority is always permitted.
        let process = __priority_which_t(PRIO_PROCESS.rawValue)
        let currentNiceValue = getpriority(process, 0)
        setpriority(process, 0, min(currentNiceValue + rawValue, Self.largestNiceValue))
    }

    /// The time for which a real-time thread of this process may run without waiting, in microseconds (the soft limit);
    /// `UInt64.max` without a limit; nil if it cannot be read.
    package static var realtimeLimit: UInt64? {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(__RLIMIT_RTTIME.rawValue), &limit) == 0 ? UInt64(limit.rlim_cur) : nil
    }

    /// Limits the time for which a real-time thread of this process may run without waiting, unless a lower limit is
    /// set. The kernel ends a process that exceeds the limit.
    ///
    /// - Throws: ``SystemCallError`` if the limit cannot be set.
    package static func limitRealtime(microseconds: Int64) throws(SystemCallError) {
        let longest = rlim_t(clamping: microseconds)
        let resource = __rlimit_resource_t(__RLIMIT_RTTIME.rawValue)
        var limit = rlimit()
        try systemCall("getrlimit") { getrlimit(resource, &limit) }
        guard limit.rlim_max > longest else { return }
        limit = rlimit(rlim_cur: min(limit.rlim_cur, longest), rlim_max: longest)
        try systemCall("setrlimit") { setrlimit(resource, &limit) }
    }
}
