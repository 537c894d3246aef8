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

    /// Takes over a descriptor that came from another process, if it is what it claims to be.
    package init(received descriptor: consuming FileDescriptor) throws(SystemCallError) {
        var target = [CChar](repeating: 0, count: 64)
        let length = try systemCall("readlink") {
            readlink("/proc/self/fd/\(descriptor.raw)", &target, target.count - 1)
        }
        let name = String(decoding: target[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard name == "anon_inode:[eventfd]" else {
            throw SystemCallError(call: "descriptor is no eventfd", number: EINVAL)
        }
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
        // Without waiting even if the other process took O_NONBLOCK away.
        clinux_read_event(raw) != 0
    }
}
