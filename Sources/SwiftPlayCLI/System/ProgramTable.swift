import CompositorProtocol

/// Formats the programs that play media as a text table for users.
enum ProgramTable {
    /// Returns the table, the most important programs first.
    static func text(of programs: [ProgramSnapshot]) -> String {
        guard !programs.isEmpty else { return "no programs\n" }
        let sortedPrograms = programs.sorted { ($1.role, $0.processID) < ($0.role, $1.processID) }
        return TextTable.text(of: [["PID", "PROGRAM", "ROLE", "WINDOW", "PIP", "SOUND"]] + sortedPrograms.map(row))
    }

    /// Returns the name of a role.
    static func name(_ role: ProgramRole) -> String {
        switch role {
        case .none: "none"
        case .backgroundMedia: "background"
        case .secondary: "secondary"
        case .primary: "primary"
        }
    }

    /// Returns the cells of the row of one program.
    private static func row(_ program: ProgramSnapshot) -> [String] {
        let window =
            switch program.presence {
            case .noWindow: "-"
            case .hidden: "hidden"
            case .shown: "shown"
            case .focused: "focused"
            }
        return [
            "\(program.processID)", program.name, name(program.role), window, program.isFloating ? "yes" : "-",
            program.isAudible ? "yes" : "-",
        ]
    }
}
