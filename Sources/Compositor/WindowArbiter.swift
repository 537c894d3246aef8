/// The identity of a Picture-in-Picture session among all programs.
package struct SessionKey: Hashable, Sendable {
    /// The number of the program's connection.
    package let client: UInt64
    /// The session's number in messages of its program.
    package let session: UInt32
    /// Creates the key of a program's session.
    package init(client: UInt64, session: UInt32) {
        self.client = client
        self.session = session
    }
}

/// The arbiter of floating windows: decides which Picture-in-Picture sessions may have a window. One session at a time
/// may have a window, or as many sessions as the user allows. A pure state machine.
///
/// If all windows are in use and another session requests one, the session with the oldest window is requested to close
/// that window first (as on iOS, which shows one Picture-in-Picture window at a time). If the session does not close
/// the window within ``stopTimeout``, the window is removed.
package struct WindowArbiter: Hashable, Sendable {
    /// A decision for a session.
    package enum Action: Equatable, Sendable {
        /// The session may open its window.
        case grant(SessionKey)
        /// The session must close its window.
        case replace(SessionKey)
        /// The session did not close its window in time; the compositor closes it.
        case remove(SessionKey)
        /// The session may not open a window, for this reason.
        case refuse(SessionKey, reason: String)
    }

    /// The time for a program to close its window, in nanoseconds.
    package static let stopTimeout: Int64 = 500_000_000

    /// The largest number of windows at a time. Lowering it closes no open window.
    package var limit: Int
    /// The sessions with a window, oldest window first.
    private var sessionsWithWindow: [SessionKey] = []
    /// The session that waits for a window.
    private var waitingSession: SessionKey?
    /// The session that was requested to close its window for the waiting session.
    private var closingSession: SessionKey?
    /// The host time at which the window of ``closingSession`` is removed; `nil` if no session must close its window.
    package private(set) var deadline: Int64?

    /// Creates an arbiter that allows `limit` windows at a time.
    package init(limit: Int = 1) { self.limit = limit }

    /// Returns whether a session has a window or may open one.
    package func mayHaveWindow(_ key: SessionKey) -> Bool { sessionsWithWindow.contains(key) }
    /// The connection numbers of the programs that have a window or may open one.
    package var clientsWithWindow: Set<UInt64> { Set(sessionsWithWindow.map(\.client)) }
    /// Returns whether a session waits for a window.
    package func isWaiting(_ key: SessionKey) -> Bool { waitingSession == key }

    /// Handles a session's request for a window.
    package mutating func request(_ key: SessionKey, now: Int64) -> [Action] {
        if mayHaveWindow(key) {
            return key == closingSession
                ? [.refuse(key, reason: "another program's window is about to open")] : [.grant(key)]
        }
        if sessionsWithWindow.count < limit {
            sessionsWithWindow.append(key)
            return [.grant(key)]
        }
        var actions: [Action] = []
        if let refusedSession = waitingSession {
            if refusedSession == key { return [] }
            actions.append(.refuse(refusedSession, reason: "another program requested the window later"))
        } else if let oldestSession = sessionsWithWindow.first {
            actions.append(.replace(oldestSession))
            (closingSession, deadline) = (oldestSession, now + Self.stopTimeout)
        }
        waitingSession = key
        return actions
    }

    /// Handles the end of a session or of its window.
    package mutating func releaseWindow(of key: SessionKey) -> [Action] {
        if waitingSession == key {
            (waitingSession, closingSession, deadline) = (nil, nil, nil)
            return []
        }
        guard let index = sessionsWithWindow.firstIndex(of: key) else { return [] }
        sessionsWithWindow.remove(at: index)
        // The waiting session gets the place of the session that was requested to close its window, even if the limit
        // was lowered meanwhile.
        guard let nextSession = waitingSession, key == closingSession || sessionsWithWindow.count < limit
        else { return [] }
        (waitingSession, closingSession, deadline) = (nil, nil, nil)
        sessionsWithWindow.append(nextSession)
        return [.grant(nextSession)]
    }

    /// Handles the passage of time: removes the window of a session that did not close it by `now`.
    package mutating func tick(now: Int64) -> [Action] {
        guard let deadline, now >= deadline, let closingSession else { return [] }
        return [.remove(closingSession)] + releaseWindow(of: closingSession)
    }
}
