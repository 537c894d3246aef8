import CLinux
import Glibc

/// Notices that the calendar clock was set, as opposed to its regular progress. Costs nothing until then. Used by one
/// thread.
package final class ClockWatch {
    /// The `timerfd`, readable after the clock was set.
    private let descriptor: FileDescriptor

    /// Begins to watch the clock.
    package init() throws(SystemCallError) {
        descriptor = FileDescriptor(owning: try systemCall("timerfd_create") { clinux_clock_watch() })
    }

    /// The descriptor to poll for readability.
    package var raw: Int32 { descriptor.raw }

    /// Forgets the changes so far.
    package func drain() {
        var count: UInt64 = 0
        _ = read(descriptor.raw, &count, 8)
    }
}
