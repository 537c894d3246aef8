import Logging
import MediaPipeline

/// The log levels of the program's loggers, as the option `--msg-level` sets them.
struct LogLevels: Sendable, Equatable {
    /// The log level of each logger, by the logger's label; nil silences the logger. The label `all` stands for all
    /// other loggers.
    private var levels: [String: Logger.Level?] = [:]
    /// Whether the level for `statusline`, or otherwise for `all`, includes the status line.
    private(set) var showsStatusLine = true

    /// Creates the default levels: every logger logs warnings and errors.
    init() {}

    /// Parses the value of `--msg-level` in mpv's syntax, such as `all=warn,player=debug`; nil if it is invalid.
    init?(parsing text: String) {
        var statusLevels: [String: Bool] = [:]
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
            statusLevels[name] = ["status", "v", "debug", "trace"].contains(levelName)
        }
        showsStatusLine = statusLevels["statusline"] ?? statusLevels["all"] ?? true
    }

    /// Sets the level of all loggers whose level was not set, as `-v` does.
    mutating func setDefault(_ level: Logger.Level) { if levels["all"] == nil { levels["all"] = level } }

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

    /// Makes every logger of the process write to standard error, filtered by its level, and to a log file.
    ///
    /// - Parameter file: The file that receives all messages from the level `debug`; nil for none.
    func install(file: LogFile? = nil) {
        FFmpegLog.setLevel(ffmpegLevel)
        LoggingSystem.bootstrap { label in
            let screen: any LogHandler =
                level(of: label).map { PlainLogHandler(label: label, level: $0) } ?? SwiftLogNoOpLogHandler()
            guard let file else { return screen }
            return MultiplexLogHandler([screen, FileLogHandler(label: label, file: file)])
        }
    }
}
