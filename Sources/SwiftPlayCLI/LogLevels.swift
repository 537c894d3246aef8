import Logging
import MediaPipeline

/// The log level of each part of the program, as `--msg-level` sets it.
struct LogLevels: Sendable, Equatable {
    /// The level of each logger, by label; nil silences the logger.
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

    /// Returns the level of a logger; nil if it is silent.
    func level(of label: String) -> Logger.Level? { (levels[label] ?? levels["all"]) ?? .warning }

    /// The level of FFmpeg's own log. It is silent unless the option names it, as in `--msg-level=ffmpeg=warn`.
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

    /// Makes every logger of the process write to standard error at its level.
    func install() {
        FFmpegLog.setLevel(ffmpegLevel)
        LoggingSystem.bootstrap { label in
            guard let level = level(of: label) else { return SwiftLogNoOpLogHandler() }
            return PlainLogHandler(label: label, level: level)
        }
    }
}
