import WireFormat

/// The importance of a program to the user at the moment, which determines its share of memory and processor time. The
/// cases are ordered by importance.
package enum ProgramRole: UInt8, CaseIterable, Comparable, Sendable {
    /// The program is neither seen nor heard.
    case none = 1
    /// The program is seen in a floating window only, heard without a window, or minimised.
    case backgroundMedia = 2
    /// A window of the program is on the screen, but none has the keyboard focus or fills the screen.
    case secondary = 3
    /// A window of the program has the keyboard focus or fills the screen.
    case primary = 4

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

    /// Returns the role of a program.
    ///
    /// - Parameters:
    ///   - presence: The state of the program's windows.
    ///   - isFloating: Whether the program has a floating window.
    ///   - isAudible: Whether the program plays audible sound.
    package init(presence: ProgramPresence, isFloating: Bool, isAudible: Bool) {
        self =
            switch presence {
            case .focused: .primary
            case .shown: .secondary
            case .hidden: .backgroundMedia
            case .noWindow: isFloating || isAudible ? .backgroundMedia : .none
            }
    }
}

/// The state of a program's windows, as the program reports it. A window whose picture is in the floating window does
/// not count as shown.
package enum ProgramPresence: UInt8, CaseIterable, Sendable {
    /// The program has no window.
    case noWindow = 1
    /// No window shows a picture: each is minimised, on another workspace, or its picture is in the floating window.
    case hidden = 2
    /// A window is on the screen.
    case shown = 3
    /// A window has the keyboard focus or fills the screen.
    case focused = 4
}

/// The state of a program, for lists that are shown to users.
package struct ProgramSnapshot: Equatable, Sendable {
    /// The process ID; 0 for a process of another PID namespace.
    package var processID: Int32
    /// The name that the program gives itself.
    package var name: String
    /// The importance of the program to the user.
    package var role: ProgramRole
    /// The state of the program's windows.
    package var presence: ProgramPresence
    /// Whether the program has a floating window.
    package var isFloating: Bool
    /// Whether the program plays audible sound.
    package var isAudible: Bool

    package init(
        processID: Int32, name: String, role: ProgramRole, presence: ProgramPresence, isFloating: Bool, isAudible: Bool
    ) {
        (self.processID, self.name, self.role, self.presence) = (processID, name, role, presence)
        (self.isFloating, self.isAudible) = (isFloating, isAudible)
    }
}

extension ProgramRole {
    /// Reads a role from a message.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        guard let role = Self(rawValue: try reader.read()) else { throw MalformedMessage("an unknown role") }
        self = role
    }
}

extension ProgramPresence {
    /// Reads the state of windows from a message.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        guard let presence = Self(rawValue: try reader.read()) else { throw MalformedMessage("an unknown presence") }
        self = presence
    }
}

extension ProgramSnapshot {
    /// Appends the snapshot to a message.
    func write(to writer: inout MessageWriter) {
        writer.write(processID)
        writer.write(name)
        writer.write(role.rawValue)
        writer.write(presence.rawValue)
        writer.write(isFloating)
        writer.write(isAudible)
    }

    /// Reads a snapshot from a message.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        self.init(
            processID: try reader.read(), name: try reader.read(), role: try ProgramRole(from: &reader),
            presence: try ProgramPresence(from: &reader), isFloating: try reader.read(), isAudible: try reader.read())
    }
}
