import Glibc
import SystemCalls

/// An inotify instance that reports which files of a directory have changed. Used by one thread.
package final class DirectoryWatch: Sendable {
    /// A kind of change.
    package struct Changes: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }
        /// A file was written and closed, or an entry was renamed or deleted.
        package static let contents = Changes(
            rawValue: UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE))
        /// An entry was created, for example a socket, which is never written to.
        package static let creation = Changes(rawValue: UInt32(IN_CREATE))
    }

    private let descriptor: SharedDescriptor

    /// The descriptor to poll for readability.
    package var raw: Int32 { descriptor.raw }

    /// Watches a directory; returns nil if it does not exist or the user's limit of watches is reached.
    package init?(_ path: String, _ changes: Changes) {
        let number = inotify_init1(Int32(O_NONBLOCK | O_CLOEXEC))
        guard number >= 0 else { return nil }
        descriptor = SharedDescriptor(FileDescriptor(owning: number))
        guard inotify_add_watch(number, path, changes.rawValue | UInt32(IN_ONLYDIR)) >= 0 else { return nil }
    }

    /// Discards all pending reports. Never blocks.
    ///
    /// - Returns: Whether a change was reported.
    @discardableResult
    package func drain() -> Bool {
        var events = [UInt8](repeating: 0, count: 4096), hasChanged = false
        while Glibc.read(raw, &events, events.count) > 0 { hasChanged = true }
        return hasChanged
    }
}
