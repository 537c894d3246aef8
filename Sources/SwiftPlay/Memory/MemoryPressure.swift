import CompositorProtocol

/// The shortage of memory on the machine or in the program's control group. The cases are ordered by severity.
public enum MemoryPressure: Int, Comparable, CaseIterable, Sendable {
    /// Memory is not short.
    case normal
    /// Release what can be obtained again, and stop reading ahead.
    case warning
    /// The kernel is about to end processes: release everything that is not needed at the moment.
    case critical

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// Creates the public value of a memory pressure level from a message of the compositor.
    init(_ level: MemoryPressureLevel) {
        self =
            switch level {
            case .normal: .normal
            case .warning: .warning
            case .critical: .critical
            }
    }
}

extension MemoryPressureLevel {
    /// Creates the level of the compositor protocol from the public value.
    init(_ pressure: MemoryPressure) {
        self =
            switch pressure {
            case .normal: .normal
            case .warning: .warning
            case .critical: .critical
            }
    }
}
