/// The identity of a session among all programs.
package struct SessionKey: Hashable, Sendable {
    /// The program's connection.
    package let client: UInt64
    /// The session's number in messages of its program.
    package let session: UInt32
    /// Creates the key of a program's session.
    package init(client: UInt64, session: UInt32) {
        self.client = client
        self.session = session
    }
}

/// The arbiter of floating windows: one session at a time, or as many as the user allows, may have a window. A pure
/// state machine.
///
/// If all windows are in use, the session that has had its window longest is requested to close it before the next
/// session gets one (as on iOS, which shows one Picture-in-Picture window at a time). If it does not close the window
/// within ``patience``, the window is removed.
package struct WindowArbiter: Hashable, Sendable {
    /// A decision for a session.
    package enum Action: Equatable, Sendable {
        /// The session may open its window.
        case grant(SessionKey)
        /// The session must close its window.
        case replace(SessionKey)
        /// The session did not close its window in time; the compositor closes it.
        case remove(SessionKey)
        /// The session's request failed.
        case refuse(SessionKey, reason: String)
    }

    /// The time for a program to close its window, in nanoseconds.
    package static let patience: Int64 = 500_000_000

    /// The largest number of windows. Lowering it closes no open window.
    package var limit: Int
    /// The sessions with a window, oldest window first.
    private var holders: [SessionKey] = []
    /// The session that waits for a window.
    private var waiting: SessionKey?
    /// The session that was requested to close its window.
    private var leaving: SessionKey?
    /// The host time at which the window of ``leaving`` is removed; `nil` if no session must close its window.
    package private(set) var deadline: Int64?

    /// Creates an arbiter of `limit` windows.
    package init(limit: Int = 1) { self.limit = limit }

    /// Returns whether a session has a window or may open one.
    package func holds(_ key: SessionKey) -> Bool { holders.contains(key) }
    /// Returns whether a session waits for a window.
    package func awaits(_ key: SessionKey) -> Bool { waiting == key }

    /// Handles a session's request for a window.
    package mutating func request(_ key: SessionKey, now: Int64) -> [Action] {
        if holds(key) {
            return key == leaving ? [.refuse(key, reason: "another program's window is about to open")] : [.grant(key)]
        }
        if holders.count < limit {
            holders.append(key)
            return [.grant(key)]
        }
        var actions: [Action] = []
        if let old = waiting {
            if old == key { return [] }
            actions.append(.refuse(old, reason: "another program requested the window later"))
        } else if let oldest = holders.first {
            actions.append(.replace(oldest))
            (leaving, deadline) = (oldest, now + Self.patience)
        }
        waiting = key
        return actions
    }

    /// Handles the end of a session or of its window.
    package mutating func ended(_ key: SessionKey) -> [Action] {
        if waiting == key {
            (waiting, leaving, deadline) = (nil, nil, nil)
            return []
        }
        guard let index = holders.firstIndex(of: key) else { return [] }
        holders.remove(at: index)
        // The waiting session gets the place of the session that was requested to close its window, even if the limit
        // was lowered meanwhile.
        guard let next = waiting, key == leaving || holders.count < limit else { return [] }
        (waiting, leaving, deadline) = (nil, nil, nil)
        holders.append(next)
        return [.grant(next)]
    }

    /// Removes the window of a session that did not close it by `now`.
    package mutating func tick(now: Int64) -> [Action] {
        guard let deadline, now >= deadline, let leaving else { return [] }
        return [.remove(leaving)] + ended(leaving)
    }
}
