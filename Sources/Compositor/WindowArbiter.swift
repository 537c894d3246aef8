/// Names a session among all programs.
package struct SessionKey: Hashable, Sendable {
    package let client: UInt64
    package let session: UInt32
    package init(client: UInt64, session: UInt32) {
        self.client = client
        self.session = session
    }
}

/// Who may have a floating window: one session at a time, or as many as the user allows. A pure state machine: input
/// in, actions out.
///
/// Where all are taken, who has one for the longest time is asked to go before the next one is told to come (as on iOS,
/// where one picture floats at a time), and is made to go when it does not within ``patience``.
package struct WindowArbiter: Hashable, Sendable {
    package enum Action: Equatable, Sendable {
        /// The session may open its window.
        case grant(SessionKey)
        /// The session is to give up its window.
        case replace(SessionKey)
        /// The session's window is taken from it.
        case remove(SessionKey)
        /// The session waited and will not get a window.
        case refuse(SessionKey, reason: String)
    }

    /// Nanoseconds that a program has to say goodbye.
    package static let patience: Int64 = 500_000_000

    /// How many may have one. Whoever has one when it is lowered keeps it.
    package var limit: Int
    /// Who has a window, for the longest time first.
    private var holders: [SessionKey] = []
    private var waiting: SessionKey?
    /// Who was asked to go, and when it is made to.
    private var leaving: SessionKey?
    package private(set) var deadline: Int64?

    package init(limit: Int = 1) { self.limit = limit }

    package func holds(_ key: SessionKey) -> Bool { holders.contains(key) }
    package func awaits(_ key: SessionKey) -> Bool { waiting == key }

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
            actions.append(.refuse(old, reason: "another program asked later"))
        } else if let oldest = holders.first {
            actions.append(.replace(oldest))
            (leaving, deadline) = (oldest, now + Self.patience)
        }
        waiting = key
        return actions
    }

    /// The session's window is gone, or the session is.
    package mutating func ended(_ key: SessionKey) -> [Action] {
        if waiting == key {
            (waiting, leaving, deadline) = (nil, nil, nil)
            return []
        }
        guard let index = holders.firstIndex(of: key) else { return [] }
        holders.remove(at: index)
        // Who came for the place of one that was asked to go has it, even where fewer are allowed by now.
        guard let next = waiting, key == leaving || holders.count < limit else { return [] }
        (waiting, leaving, deadline) = (nil, nil, nil)
        holders.append(next)
        return [.grant(next)]
    }

    package mutating func tick(now: Int64) -> [Action] {
        guard let deadline, now >= deadline, let leaving else { return [] }
        return [.remove(leaving)] + ended(leaving)
    }
}
