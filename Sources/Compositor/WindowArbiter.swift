/// Names a session among all programs.
package struct SessionKey: Hashable, Sendable {
    package let client: UInt64
    package let session: UInt32
    package init(client: UInt64, session: UInt32) {
        self.client = client
        self.session = session
    }
}

/// Who may have a floating window: one session at a time. A pure state machine: input in, actions out.
///
/// The one who has it is asked to go before the next one is told to come (as on iOS, where one picture floats at a time), and is made to go
/// when it does not within ``patience``.
package struct WindowArbiter: Sendable {
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

    private var holder: SessionKey?
    private var waiting: SessionKey?
    /// When the holder is made to go.
    package private(set) var deadline: Int64?

    package init() {}

    /// Who has the window now.
    package var current: SessionKey? { holder }

    package mutating func request(_ key: SessionKey, now: Int64) -> [Action] {
        if holder == nil {
            holder = key
            return [.grant(key)]
        }
        if holder == key { return waiting == nil ? [.grant(key)] : [.refuse(key, reason: "another program's window is about to open")] }
        var actions: [Action] = []
        if let old = waiting {
            if old == key { return [] }
            actions.append(.refuse(old, reason: "another program asked later"))
        } else if let holder {
            actions.append(.replace(holder))
            deadline = now + Self.patience
        }
        waiting = key
        return actions
    }

    /// The session's window is gone, or the session is.
    package mutating func ended(_ key: SessionKey) -> [Action] {
        if waiting == key {
            waiting = nil
            deadline = nil
            return []
        }
        guard holder == key else { return [] }
        holder = waiting
        waiting = nil
        deadline = nil
        return holder.map { [.grant($0)] } ?? []
    }

    package mutating func tick(now: Int64) -> [Action] {
        guard let deadline, now >= deadline, let old = holder else { return [] }
        return [.remove(old)] + ended(old)
    }
}
