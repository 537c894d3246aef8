import CompositorProtocol

/// The value of `oom_score_adj`. When memory runs out, the kernel prefers to kill processes with large values
/// (proc(5)). A pure value.
enum OutOfMemoryScore {
    /// Returns the value for a program.
    ///
    /// - Parameters:
    ///   - isPerceived: Whether the user sees or hears the program.
    ///   - initialValue: The value that the process had before. This value is kept if it is larger than the role's
    ///     value, or negative: with a negative value, an administrator protects the process.
    static func value(for role: ProgramRole, isPerceived: Bool, initialValue: Int) -> Int {
        let value =
            switch role {
            case .primary: 100
            case .secondary: 200
            case .backgroundMedia: isPerceived ? 150 : 300
            case .none: 300
            }
        return initialValue < 0 ? initialValue : max(initialValue, value)
    }
}
