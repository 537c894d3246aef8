import CFFmpeg
import Synchronization

/// What FFmpeg itself says on standard error: nothing, unless somebody wants it. What matters comes as an error of
/// ours.
package enum FFmpegLog {
    package enum Level: Sendable { case quiet, error, warning, info, verbose, debug }

    private static let isChosen = Atomic<Bool>(false)

    /// Quiet, unless ``setLevel(_:)`` came first.
    static func setDefault() {
        if !isChosen.load(ordering: .acquiring) { setLevel(.quiet) }
    }

    /// For the whole process; before anything is opened.
    package static func setLevel(_ level: Level) {
        isChosen.store(true, ordering: .releasing)
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
