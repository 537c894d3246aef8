import Logging
import MediaPipeline

/// The log levels of the program's loggers, as the option `--msg-level` sets them.
struct LogLevels: Sendable, Equatable {
    /// The log level of each logger, by the logger's label; nil silences the logger. The label `all` stands for all
    /// other loggers.
    private var levels: [String: Logger.Level?] = [:]

    /// Creates the default levels: every logger logs warnings and errors.
    init() {}

    /// Parses the value of `--msg-level` in mpv's syntax, such as `all=warn,player=debug`; nil if it is invalid.
    init?(parsing text: String) {
        for part in text.split(separator: ",") {
            let nameAndLevel = part.split(separator: "=", maxSplits: 1)
            guard let levelName = nameAndLevel.last, nameAndLevel.count == 2 || part == levelName else { return nil }
            let name = nameAndLevel.count == 2 ? String(nameAndLevel[0]) : "all"
            switch levelName {
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

    /// Returns the log level of the logger with a label; nil if the logger is silent.
    func level(of label: String) -> Logger.Level? { (levels[label] ?? levels["all"]) ?? .warning }

    /// The level of FFmpeg's own log, which is silent unless `--msg-level` names it, as in `--msg-level=ffmpeg=warn`.
    private var ffmpegLevel: FFmpegLog.Level {
        switch levels["ffmpeg"] ?? nil {
        case nil: .quiet
        case .critical?, .error?: .error
        case .warning?: .warning
        case .info?, .notice?: .info
        case .debug?: .verbose
        case .trace?: .debug
        }
    }

    /// Makes every logger of the process write to standard error, filtered by its level.
    func install() {
        FFmpegLog.setLevel(ffmpegLevel)
        LoggingSystem.bootstrap { label in
            guard let level = level(of: label) else { return SwiftLogNoOpLogHandler() }
            return PlainLogHandler(label: label, level: level)
        }
    }
}
