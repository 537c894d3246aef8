import Glibc

/// The limit on the open descriptors of this process (`RLIMIT_NOFILE`).
package enum DescriptorLimit {
    /// The number of descriptors that this process may open (the soft limit); nil if it cannot be read.
    package static var current: UInt64? {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? UInt64(limit.rlim_cur) : nil
    }

    /// Raises the soft limit to `count`, or to the hard limit if that is less. A higher soft limit stays.
    ///
    /// Call this method only in a program, before the program starts threads; a library must not change this setting.
    /// Programs that this process executes inherit the limit.
    ///
    /// - Throws: ``SystemCallError`` if the limit cannot be set.
    package static func raise(to count: UInt64) throws(SystemCallError) {
        var limit = rlimit()
        try systemCall("getrlimit") { getrlimit(resource, &limit) }
        let raised = min(limit.rlim_max, rlim_t(clamping: count))
        guard limit.rlim_cur < raised else { return }
        limit.rlim_cur = raised
        try systemCall("setrlimit") { setrlimit(resource, &limit) }
    }

    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
}
