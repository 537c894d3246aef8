import CLinux
import Glibc

/// A timer that also counts the time for which the machine is suspended, and expires at once when the machine resumes
/// after its time. Used by one thread.
package final class BootTimer {
    /// The `timerfd`, readable once the timer has expired.
    private let descriptor: FileDescriptor
    /// The time at which the timer expires, in nanoseconds of ``BootTime``; nil if it is stopped.
    private var time: Int64?

    /// Creates a stopped timer.
    package init() throws(SystemCallError) {
        descriptor = FileDescriptor(owning: try systemCall("timerfd_create") { clinux_boot_timer() })
    }

    /// The descriptor to poll for readability.
    package var raw: Int32 { descriptor.raw }

    /// Sets the time at which the timer expires, in nanoseconds of ``BootTime``; nil stops the timer.
    package func set(_ newTime: Int64?) {
        guard newTime != time else { return }
        time = newTime
        _ = clinux_set_boot_timer(descriptor.raw, newTime.map { max(1, $0) } ?? 0)
    }

    /// Clears the expiration of the timer.
    package func drain() {
        var count: UInt64 = 0
        if read(descriptor.raw, &count, 8) == 8 { time = nil }
    }
}
