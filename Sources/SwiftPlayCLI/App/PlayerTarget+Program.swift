import SwiftPlayKit

/// The properties of the program among all programs.
extension PlayerTarget {
    /// Returns the value of a property of the program; nil for any other name.
    func programProperty(_ name: String) -> JSONValue? {
        switch name {
        case "program-role":
            switch Application.shared.role {
            case .none: .string("none")
            case .backgroundMedia: .string("background")
            case .secondary: .string("secondary")
            case .primary: .string("primary")
            }
        case "memory-pressure":
            switch Application.shared.memoryPressure {
            case .normal: .string("normal")
            case .warning: .string("warning")
            case .critical: .string("critical")
            }
        default: nil
        }
    }
}
