import CLinux
import Glibc

/// Polling of descriptors with a deadline in host time.
package enum Poll {
    /// The conditions of a descriptor that `poll` waits for or reports.
    package struct Events: OptionSet, Sendable {
        package let rawValue: Int16
        package init(rawValue: Int16) { self.rawValue = rawValue }
        /// A read does not block (`POLLIN`).
        package static let readable = Events(rawValue: Int16(POLLIN))
        /// A write does not block (`POLLOUT`).
        package static let writable = Events(rawValue: Int16(POLLOUT))
        /// The descriptor has an exceptional condition, such as a reached threshold of memory pressure (`POLLPRI`).
        package static let urgent = Events(rawValue: Int16(POLLPRI))
        /// The peer closed its end (`POLLHUP`). Always reported, even if not requested.
        package static let hungUp = Events(rawValue: Int16(POLLHUP))
        /// The descriptor has an error (`POLLERR`). Always reported, even if not requested.
        package static let failed = Events(rawValue: Int16(POLLERR))
        /// The descriptor is not open (`POLLNVAL`). Always reported, even if not requested.
        package static let invalid = Events(rawValue: Int16(POLLNVAL))
    }

    /// A descriptor to poll, and the result of the poll.
    package struct Entry: Sendable {
        /// The descriptor number; the caller keeps the descriptor open during the poll.
        package let descriptor: Int32
        /// The events of the descriptor to wait for.
        package let interest: Events
        /// The events that the last poll reported.
        package var ready: Events = []
        /// Whether the last poll reported an event.
        package var isReady: Bool { ready.rawValue != 0 }
        /// Creates an entry that waits for `interest`.
        package init(_ descriptor: Int32, _ interest: Events = .readable) {
            self.descriptor = descriptor
            self.interest = interest
        }
    }

    /// Waits until one of `entries` is ready or until `deadline` (host time in nanoseconds, nil for no deadline).
    /// Signals do not end the wait. Allocates no memory for up to 128 entries.
    ///
    /// - Returns: False if the deadline passed first.
    @discardableResult
    package static func wait(_ entries: inout [Entry], until deadline: Int64?) throws(SystemCallError) -> Bool {
        let count = entries.count
        let pollResult = withUnsafeTemporaryAllocation(of: pollfd.self, capacity: max(count, 1)) {
            pollfds -> PollResult in
            // Iterate by index: an enumerated sequence allocates in debug builds.
            for i in 0..<count {
                let entry = entries[i]
                let pollDescriptor = pollfd(fd: entry.descriptor, events: entry.interest.rawValue, revents: 0)
                pollfds.initializeElement(at: i, to: pollDescriptor)
            }
            let pollResult = wait(pollfds.baseAddress, count, until: deadline)
            let hasReadyEntries = pollResult.returnValue > 0
            for i in 0..<count { entries[i].ready = Events(rawValue: hasReadyEntries ? pollfds[i].revents : 0) }
            return pollResult
        }
        return try pollResult.isReady()
    }

    /// Waits until one descriptor is readable or until `deadline` (host time in nanoseconds, nil for no deadline).
    /// Allocates no memory. Returns false if the deadline passed first.
    package static func waitReadable(_ descriptor: Int32, until deadline: Int64?) throws(SystemCallError) -> Bool {
        var entry = pollfd(fd: descriptor, events: Events.readable.rawValue, revents: 0)
        return try wait(&entry, 1, until: deadline).isReady()
    }

    /// The return value of `ppoll`, and the value of `errno` after the call.
    private struct PollResult {
        /// The number of ready entries; 0 after the deadline, negative after an error.
        let returnValue: Int32
        /// The `errno` of `ppoll`; meaningful only if ``returnValue`` is negative.
        let errorNumber: Int32

        /// Returns whether an entry is ready; throws if `ppoll` failed.
        func isReady() throws(SystemCallError) -> Bool {
            if returnValue < 0 { throw SystemCallError(call: "ppoll", number: errorNumber) }
            return returnValue > 0
        }
    }

    /// Calls `ppoll` until it succeeds or fails, or until `deadline`; repeats the call if a signal interrupts it.
    private static func wait(
        _ entries: UnsafeMutablePointer<pollfd>?, _ count: Int, until deadline: Int64?
    ) -> PollResult {
        var returnValue: Int32
        repeat {
            let timeout = deadline.map { max(0, $0 - MonotonicTime.now) } ?? -1
            returnValue = clinux_ppoll(entries, UInt(count), timeout)
        } while returnValue < 0 && errno == EINTR
        return PollResult(returnValue: returnValue, errorNumber: errno)
    }
}
