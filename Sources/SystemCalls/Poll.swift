import CLinux
import Glibc

/// Waiting for descriptors with a deadline in host time.
package enum Poll {
    package struct Events: OptionSet, Sendable {
        package let rawValue: Int16
        package init(rawValue: Int16) { self.rawValue = rawValue }
        package static let readable = Events(rawValue: Int16(POLLIN))
        package static let writable = Events(rawValue: Int16(POLLOUT))
        package static let hungUp = Events(rawValue: Int16(POLLHUP))
        package static let failed = Events(rawValue: Int16(POLLERR))
        package static let invalid = Events(rawValue: Int16(POLLNVAL))
    }

    package struct Entry: Sendable {
        package let descriptor: Int32
        package let interest: Events
        package var ready: Events = []
        package init(_ descriptor: Int32, _ interest: Events = .readable) {
            self.descriptor = descriptor
            self.interest = interest
        }
    }

    /// Waits until one of `entries` is ready or `deadline` (host nanoseconds, nil for none) has come.
    ///
    /// - Returns: false when the deadline came first. A signal counts as neither: the wait goes on.
    @discardableResult
    package static func wait(_ entries: inout [Entry], until deadline: Int64?) throws(SystemCallError) -> Bool {
        let count = entries.count
        let code: (result: Int32, error: Int32) = withUnsafeTemporaryAllocation(of: pollfd.self, capacity: max(count, 1)) { fds in
            for (i, entry) in entries.enumerated() {
                fds.initializeElement(at: i, to: pollfd(fd: entry.descriptor, events: entry.interest.rawValue, revents: 0))
            }
            var result: Int32
            repeat {
                let timeout = deadline.map { max(0, $0 - MonotonicTime.now) } ?? -1
                result = clinux_ppoll(fds.baseAddress, UInt(count), timeout)
            } while result < 0 && errno == EINTR
            let error = errno
            for i in 0..<count { entries[i].ready = Events(rawValue: result > 0 ? fds[i].revents : 0) }
            return (result, error)
        }
        if code.result < 0 { throw SystemCallError(call: "ppoll", number: code.error) }
        return code.result > 0
    }

    /// Waits for one descriptor to become readable.
    package static func waitReadable(_ descriptor: Int32, until deadline: Int64?) throws(SystemCallError) -> Bool {
        var entries = [Entry(descriptor)]
        return try wait(&entries, until: deadline)
    }
}
