import CLinux
import Glibc

/// An `eventfd`: wakes a thread that polls. Any thread, and with its descriptor passed on any process, may signal it.
package final class EventDescriptor: Sendable {
    package let descriptor: SharedDescriptor
    package var raw: Int32 { descriptor.raw }

    package init() throws(SystemCallError) {
        let number = try systemCall("eventfd") { eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }
        descriptor = SharedDescriptor(FileDescriptor(owning: number))
    }

    /// Takes over a descriptor that came from another process.
    package init(owning descriptor: consuming FileDescriptor) {
        self.descriptor = SharedDescriptor(descriptor)
    }

    /// Wakes the waiter; never blocks (a counter that is full is awake already).
    package func signal() {
        var one: UInt64 = 1
        _ = Glibc.write(raw, &one, 8)
    }

    /// Takes all signals so far; true when there was one.
    @discardableResult
    package func drain() -> Bool {
        var value: UInt64 = 0
        return Glibc.read(raw, &value, 8) == 8
    }
}
