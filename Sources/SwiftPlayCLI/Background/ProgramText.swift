import BackgroundProtocol

/// The text of programs that the service wakes, for users.
enum ProgramText {
    /// Returns the list of programs: a few lines for each.
    static func text(of programs: [BackgroundProgram]) -> String {
        guard !programs.isEmpty else { return "no programs\n" }
        return programs.map { lines(of: $0).map { $0 + "\n" }.joined() }.joined(separator: "\n")
    }

    /// Returns the lines of one program.
    private static func lines(of program: BackgroundProgram) -> [String] {
        var lines = ["\(TransferText.printable(program.name)) (\(state(of: program)))"]
        if program.modes.contains(.fetch) {
            let usage = program.usage
            lines.append("  next fetch: \(TransferText.printable(program.nextFetch))")
            lines.append("  habits: \(TransferText.printable(program.habits))")
            lines.append(
                "  in 24 hours: \(usage.wakes) of \(usage.wakeLimit) wakes, \(seconds(usage.wallTime)), "
                    + "\(seconds(usage.cpuTime)) of CPU, \(TransferText.size(usage.bytes)) transferred")
        }
        if program.modes.contains(.remoteNotification) {
            let counts = program.notifications
            lines.append(
                "  notifications: \(counts.received) received, \(counts.delivered) delivered, "
                    + "\(counts.replaced) replaced, \(counts.waiting) waiting")
        }
        return lines
    }

    /// Returns whether a program runs.
    private static func state(of program: BackgroundProgram) -> String {
        if program.isForceQuit { return "closed for good until you open it" }
        if program.isInForeground { return "open" }
        return program.isRunning ? "runs in the background" : "does not run"
    }

    /// Returns the result of a fetch, such as `new data after 1.2 s`.
    static func text(of result: WakeResult?, milliseconds: Int64) -> String {
        let name =
            switch result {
            case .newData: "new data"
            case .noData: "no new data"
            case .failed: "the fetch has failed"
            case nil: "the program did not complete the fetch"
            }
        return "\(name) after \(seconds(milliseconds))"
    }

    /// Returns a time in seconds with one decimal place.
    private static func seconds(_ milliseconds: Int64) -> String {
        let tenths = (max(0, milliseconds) + 50) / 100
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
