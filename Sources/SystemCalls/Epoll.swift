import CLinux
import Glibc

/// A set of descriptors that one thread polls (`epoll`). Unlike ``Poll``, the set persists between waits.
package struct Epoll: ~Copyable, Sendable {
    /// The epoll descriptor.
    private let descriptor: FileDescriptor

    /// A descriptor that is ready.
    package struct Ready: Sendable {
        /// The descriptor number.
        package let descriptor: Int32
        /// The events that are ready.
        package let events: Poll.Events
    }

    /// Creates an empty set.
    package init() throws(SystemCallError) {
        descriptor = FileDescriptor(
            owning: try systemCall("epoll_create1") { epoll_create1(Int32(bitPattern: UInt32(0o2_000_000))) })
    }

    /// Adds a descriptor, or changes the events that it is polled for. The caller keeps the descriptor open until it is
    /// removed.
    package func set(_ number: Int32, _ events: Poll.Events) throws(SystemCallError) {
        // POLLIN and POLLOUT have the same values as EPOLLIN and EPOLLOUT.
        let mask = UInt32(UInt16(bitPattern: events.rawValue))
        do throws(SystemCallError) {
            try systemCall("epoll_ctl") { clinux_epoll_set(descriptor.raw, number, mask, 0) }
        } catch {
            guard error.number == EEXIST else { throw error }
            try systemCall("epoll_ctl") { clinux_epoll_set(descriptor.raw, number, mask, 1) }
        }
    }

    /// Removes a descriptor. Does nothing if the set does not contain it.
    package func remove(_ number: Int32) { _ = clinux_epoll_remove(descriptor.raw, number) }

    /// Waits until a descriptor is ready or until `deadline` (host time in nanoseconds, nil for no deadline).
    ///
    /// - Returns: Up to 16 ready descriptors; further ones are returned by the next call. Empty if the deadline passed
    ///   or a signal arrived.
    package func wait(until deadline: Int64?) throws(SystemCallError) -> [Ready] {
        var timeout: Int32 = -1
        if let deadline {
            // Round up, so that the wait does not end just before the deadline.
            timeout = Int32(clamping: max(0, (deadline - MonotonicTime.now + 999_999) / 1_000_000))
        }
        let batchSize = Int(CLINUX_EPOLL_BATCH)
        return try withUnsafeTemporaryAllocation(of: Int32.self, capacity: batchSize) {
            numbers throws(SystemCallError) in
            try withUnsafeTemporaryAllocation(of: UInt32.self, capacity: batchSize) {
                events throws(SystemCallError) in
                let count = clinux_epoll_wait(descriptor.raw, numbers.baseAddress, events.baseAddress, timeout)
                guard count >= 0 else {
                    if errno == EINTR { return [] }
                    throw SystemCallError(call: "epoll_wait", number: errno)
                }
                return (0..<Int(count)).map {
                    Ready(
                        descriptor: numbers[$0],
                        events: Poll.Events(rawValue: Int16(bitPattern: UInt16(truncatingIfNeeded: events[$0]))))
                }
            }
        }
    }
}
