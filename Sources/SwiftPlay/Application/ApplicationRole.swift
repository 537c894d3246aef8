import CompositorProtocol

/// The present importance of a program to the user: see ``Application/role``. The cases are ordered by importance.
public enum ApplicationRole: Int, Comparable, CaseIterable, Sendable {
    /// The program is neither seen nor heard.
    case none
    /// The picture of the program is only in a floating window, the program is audible without a window, or its windows
    /// are minimised.
    case backgroundMedia
    /// A window of the program is on the screen, and another program's window has the keyboard focus.
    case secondary
    /// A window of the program has the keyboard focus or fills the screen.
    case primary

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// Whether a window of the program is on the screen.
    public var isForeground: Bool { self >= .secondary }

    /// Creates the public value of a role from a message of the compositor.
    init(_ role: ProgramRole) {
        self =
            switch role {
            case .none: .none
            case .backgroundMedia: .backgroundMedia
            case .secondary: .secondary
            case .primary: .primary
            }
    }
}

extension ProgramRole {
    /// Creates the role of the compositor protocol from the public value.
    init(_ role: ApplicationRole) {
        self =
            switch role {
            case .none: .none
            case .backgroundMedia: .backgroundMedia
            case .secondary: .secondary
            case .primary: .primary
            }
    }
}
