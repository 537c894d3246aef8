import Logging

/// `--msg-level`: which part of the program says how much.
struct LogLevels: Sendable, Equatable {
    /// nil: nothing at all.
    private var levels: [String: Logger.Level?] = [:]

    init() {}

    init?(parsing text: String) {
        for part in text.split(separator: ",") {
            let sides = part.split(separator: "=", maxSplits: 1)
            guard let value = sides.last, sides.count == 2 || part == value else { return nil }
            let name = sides.count == 2 ? String(sides[0]) : "all"
            switch value {
            case "no": levels[name] = .some(nil)
            case "fatal": levels[name] = .critical
            case "error": levels[name] = .error
            case "warn": levels[name] = .warning
            case "info", "status": levels[name] = .info
            case "v", "debug": levels[name] = .debug
            case "trace": levels[name] = .trace
            default: return nil
            }
        }
    }

    /// The level of one logger; nil: silent.
    func level(of label: String) -> Logger.Level? { (levels[label] ?? levels["all"]) ?? .warning }

    /// Makes every logger of the process write to standard error at its level.
    func install() {
        LoggingSystem.bootstrap { label in
            guard let level = level(of: label) else { return SwiftLogNoOpLogHandler() }
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
    }
}
