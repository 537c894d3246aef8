import CFFmpeg
import Synchronization

/// FFmpeg's own log on standard error. It is silent by default, because SwiftPlay reports relevant failures as
/// errors.
package enum FFmpegLog {
    /// The level of the least severe messages that FFmpeg writes.
    package enum Level: Sendable { case quiet, error, warning, info, verbose, debug }

    /// Whether the log level has been set.
    private static let isLevelSet = Atomic<Bool>(false)

    /// Sets the level to quiet, unless ``setLevel(_:)`` was called before.
    static func setDefaultLevel() {
        if !isLevelSet.load(ordering: .acquiring) { setLevel(.quiet) }
    }

    /// Sets the level for the whole process. Call it before opening media.
    package static func setLevel(_ level: Level) {
        isLevelSet.store(true, ordering: .releasing)
        let number =
            switch level {
            case .quiet: AV_LOG_QUIET
            case .error: AV_LOG_ERROR
            case .warning: AV_LOG_WARNING
            case .info: AV_LOG_INFO
            case .verbose: AV_LOG_VERBOSE
            case .debug: AV_LOG_DEBUG
            }
        av_log_set_level(number)
    }
}
