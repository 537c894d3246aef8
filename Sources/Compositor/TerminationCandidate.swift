import CompositorProtocol

/// A program that the compositor may end because memory stays critically short. A pure value.
struct TerminationCandidate: Equatable {
    /// The number of the program's connection.
    var id: UInt64
    /// The role of the program.
    var role: ProgramRole
    /// Whether the program plays audible sound.
    var isAudible: Bool
    /// Whether the user sees a floating window of the program.
    var isFloating: Bool
    /// Whether the program records sound or pictures. Such a program is never ended.
    var isRecording: Bool
    /// The program's dirty memory minus the memory budget of its role, in bytes; negative for a program within its
    /// budget.
    var budgetExcess: Int64

    /// The position in the order in which programs are ended: the lowest rank first.
    private var rank: Int {
        switch role {
        case .none: 0
        case .secondary: isAudible ? 3 : 1
        case .backgroundMedia: isAudible || isFloating ? 4 : 2
        case .primary: 5
        }
    }

    /// Returns the program to end: the least important program over its budget; of equally important programs, the
    /// program that is furthest over its budget. Returns nil if there is none.
    ///
    /// A program within its budget is never chosen: it does not count as a cause of the shortage.
    static func choice(among candidates: [TerminationCandidate]) -> TerminationCandidate? {
        candidates.filter { $0.budgetExcess > 0 && !$0.isRecording }.min {
            ($0.rank, -$0.budgetExcess, $0.id) < ($1.rank, -$1.budgetExcess, $1.id)
        }
    }
}
