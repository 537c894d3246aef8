import CompositorProtocol

/// Decides when the role of a program changes: to a more important role immediately, and to a less important role after
/// ``demotionDelay``, so that programs do not release memory each time the user switches between them. A pure value.
struct ProgramRoles: Equatable {
    /// The time for which a program must have been less important before its role changes, in nanoseconds.
    static let demotionDelay: Int64 = 1_000_000_000

    /// The role of one program.
    private struct State: Equatable {
        /// The role that the program has.
        var role: ProgramRole
        /// The less important role that the program's windows and sound now imply, and the host time since which they
        /// imply a role below ``role``; nil if they do not.
        var pendingDemotion: (role: ProgramRole, since: Int64)?

        static func == (one: Self, other: Self) -> Bool {
            one.role == other.role && one.pendingDemotion?.role == other.pendingDemotion?.role
                && one.pendingDemotion?.since == other.pendingDemotion?.since
        }
    }

    /// The programs by the numbers of their connections.
    private var states: [UInt64: State] = [:]

    /// A change of a program's role.
    struct Change: Equatable {
        /// The number of the program's connection.
        var id: UInt64
        /// The new role.
        var role: ProgramRole
    }

    /// The role of a program; nil if the program is unknown.
    subscript(id: UInt64) -> ProgramRole? { states[id]?.role }

    /// The host time at which ``update(_:now:)`` must be called next, in nanoseconds; nil if no change is pending.
    var deadline: Int64? {
        states.values.compactMap { $0.pendingDemotion?.since }.min().map { $0 + Self.demotionDelay }
    }

    /// Records the roles that the programs' windows and sound imply. The record of a program that is not in
    /// `impliedRoles` is removed; a new program gets its role immediately.
    ///
    /// - Parameters:
    ///   - impliedRoles: The implied roles by the numbers of the programs' connections.
    ///   - now: The current host time in nanoseconds.
    /// - Returns: The roles that changed, in the order of the connections.
    mutating func update(_ impliedRoles: [UInt64: ProgramRole], now: Int64) -> [Change] {
        states = states.filter { impliedRoles[$0.key] != nil }
        return impliedRoles.sorted { $0.key < $1.key }.compactMap { id, role in
            guard var state = states[id] else {
                states[id] = State(role: role)
                return Change(id: id, role: role)
            }
            defer { states[id] = state }
            if role < state.role {
                let since = state.pendingDemotion?.since ?? now
                state.pendingDemotion = (role, since)
                guard now - since >= Self.demotionDelay else { return nil }
            }
            state.pendingDemotion = nil
            guard role != state.role else { return nil }
            state.role = role
            return Change(id: id, role: role)
        }
    }
}
