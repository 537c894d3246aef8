import CLinux
import Glibc

/// An `eventfd` that wakes a polling thread. Any thread may signal the `eventfd`. Another process may also signal it
/// after receiving the descriptor.
package final class EventDescriptor: Sendable {
    /// The `eventfd` to poll for readability.
    package let descriptor: SharedDescriptor
    /// The descriptor number of the `eventfd`, valid while this object exists.
    package var raw: Int32 { descriptor.raw }

    /// Creates an `eventfd` without pending signals.
    package init() throws(SystemCallError) {
        let number = try systemCall("eventfd") { eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }
        descriptor = SharedDescriptor(FileDescriptor(owning: number))
    }

    /// Takes ownership of an `eventfd` received from another process.
    ///
    /// - Throws: ``SystemCallError`` if the descriptor is not an `eventfd`.
    package init(received descriptor: consuming FileDescriptor) throws(SystemCallError) {
        var targetBuffer = [CChar](repeating: 0, count: 64)
        let length = try systemCall("readlink") {
            readlink("/proc/self/fd/\(descriptor.raw)", &targetBuffer, targetBuffer.count - 1)
        }
        let linkTarget = String(decoding: targetBuffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard linkTarget == "anon_inode:[eventfd]" else {
            throw SystemCallError(call: "descriptor is not an eventfd", number: EINVAL)
        }
        self.descriptor = SharedDescriptor(descriptor)
    }

    /// Wakes the polling thread. Never blocks: if the counter of the `eventfd` is full, the descriptor is already
    /// readable.
    package func signal() {
        var increment: UInt64 = 1
        _ = Glibc.write(raw, &increment, 8)
    }

    /// Clears all pending signals. Returns whether at least one signal was pending.
    @discardableResult
    package func drain() -> Bool {
        // The C function `clinux_read_event` never blocks, not even if another process that shares the `eventfd` has
        // cleared O_NONBLOCK.
        clinux_read_event(raw) != 0
    }
}
