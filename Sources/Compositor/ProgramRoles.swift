import CompositorProtocol

/// Decides when the role of a program changes: immediately to a more important role, and to a less important one after
/// a while, so that switching between programs does not make them give back memory each time. A pure value.
struct ProgramRoles: Equatable {
    /// The time for which a program must have been less important before its role changes, in nanoseconds.
    static let settlingTime: Int64 = 1_000_000_000

    /// The role of one program.
    private struct State: Equatable {
        /// The role that the program has.
        var role: ProgramRole
        /// The role that the program has according to its windows and its sound, and the host time since which that is
        /// less than ``role``; nil if it is not.
        var lower: (role: ProgramRole, since: Int64)?

        static func == (one: Self, other: Self) -> Bool {
            one.role == other.role && one.lower?.role == other.lower?.role && one.lower?.since == other.lower?.since
        }
    }

    /// The programs by the numbers of their connections.
    private var states: [UInt64: State] = [:]

    /// A role that a program has from now on.
    struct Change: Equatable {
        /// The number of the program's connection.
        var id: UInt64
        var role: ProgramRole
    }

    /// The role of a program; nil if it is unknown.
    subscript(id: UInt64) -> ProgramRole? { states[id]?.role }

    /// The host time at which ``update(_:now:)`` must be called next, in nanoseconds; nil if no change is pending.
    var deadline: Int64? { states.values.compactMap { $0.lower?.since }.min().map { $0 + Self.settlingTime } }

    /// Records the roles that the programs have according to their windows and their sound. A program that is not
    /// contained is forgotten; a new one has its role immediately.
    ///
    /// - Parameters:
    ///   - observed: The roles by the numbers of the programs' connections.
    ///   - now: The current host time in nanoseconds.
    /// - Returns: The roles that changed, in the order of the connections.
    mutating func update(_ observed: [UInt64: ProgramRole], now: Int64) -> [Change] {
        states = states.filter { observed[$0.key] != nil }
        return observed.sorted { $0.key < $1.key }.compactMap { id, role in
            guard var state = states[id] else {
                states[id] = State(role: role)
                return Change(id: id, role: role)
            }
            defer { states[id] = state }
            if role < state.role {
                let since = state.lower?.since ?? now
                state.lower = (role, since)
                guard now - since >= Self.settlingTime else { return nil }
            }
            state.lower = nil
            guard role != state.role else { return nil }
            state.role = role
            return Change(id: id, role: role)
        }
    }
}
