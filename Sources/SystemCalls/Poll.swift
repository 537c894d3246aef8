import CLinux
import Glibc

/// Polling of descriptors with a deadline in host time.
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

    /// Waits until one of `entries` is ready or until `deadline` (host nanoseconds, nil for no deadline). Does not
    /// allocate for up to 128 entries.
    ///
    /// - Returns: false if the deadline passed first. Signals do not end the wait.
    @discardableResult
    package static func wait(_ entries: inout [Entry], until deadline: Int64?) throws(SystemCallError) -> Bool {
        let count = entries.count
        let outcome = withUnsafeTemporaryAllocation(of: pollfd.self, capacity: max(count, 1)) { fds -> Outcome in
            // Iterate by index: an enumerated sequence allocates in debug builds.
            for i in 0..<count {
                let entry = entries[i]
                let wanted = pollfd(fd: entry.descriptor, events: entry.interest.rawValue, revents: 0)
                fds.initializeElement(at: i, to: wanted)
            }
            let outcome = wait(fds.baseAddress, count, until: deadline)
            for i in 0..<count { entries[i].ready = Events(rawValue: outcome.result > 0 ? fds[i].revents : 0) }
            return outcome
        }
        return try outcome.isReady()
    }

    /// Waits for one descriptor to become readable. Does not allocate.
    package static func waitReadable(_ descriptor: Int32, until deadline: Int64?) throws(SystemCallError) -> Bool {
        var entry = pollfd(fd: descriptor, events: Events.readable.rawValue, revents: 0)
        return try wait(&entry, 1, until: deadline).isReady()
    }

    /// Polls once; returns the result of the system call.
    private struct Outcome {
        let result: Int32
        let error: Int32

        func isReady() throws(SystemCallError) -> Bool {
            if result < 0 { throw SystemCallError(call: "ppoll", number: error) }
            return result > 0
        }
    }

    private static func wait(
        _ entries: UnsafeMutablePointer<pollfd>?, _ count: Int, until deadline: Int64?
    ) -> Outcome {
        var result: Int32
        repeat {
            let timeout = deadline.map { max(0, $0 - MonotonicTime.now) } ?? -1
            result = clinux_ppoll(entries, UInt(count), timeout)
        } while result < 0 && errno == EINTR
        return Outcome(result: result, error: errno)
    }
}
