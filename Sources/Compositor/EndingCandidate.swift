import CompositorProtocol

/// A program that may be ended when memory stays critically short. A pure value.
struct EndingCandidate: Equatable {
    /// The number of the program's connection.
    var id: UInt64
    var role: ProgramRole
    /// Whether the program plays audible sound.
    var isAudible: Bool
    /// Whether the user sees a floating window of the program.
    var isFloating: Bool
    /// Whether the program records sound or pictures. Such a program is never ended.
    var isRecording: Bool
    /// The dirty memory above the budget of the program's role, in bytes; negative if there is none.
    var excess: Int64

    /// The order in which programs are ended; the least first.
    private var rank: Int {
        switch role {
        case .none: 0
        case .secondary: isAudible ? 3 : 1
        case .backgroundMedia: isAudible || isFloating ? 4 : 2
        case .primary: 5
        }
    }

    /// Chooses the program to end: of those over their budget the least important one, and among equally important ones
    /// the one that is furthest over its budget.
    ///
    /// A program within its budget is not the cause of the shortage, however much it has grown.
    static func choice(among candidates: [EndingCandidate]) -> EndingCandidate? {
        candidates.filter { $0.excess > 0 && !$0.isRecording }.min {
            ($0.rank, -$0.excess, $0.id) < ($1.rank, -$1.excess, $1.id)
        }
    }
}
