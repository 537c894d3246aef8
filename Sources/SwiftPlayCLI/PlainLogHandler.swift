import Glibc
import Logging

/// A log handler that writes readable lines such as `[pip] warning: …` to standard error.
struct PlainLogHandler: LogHandler {
    /// The name of the logger, shown in brackets.
    let label: String
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    init(label: String, level: Logger.Level) {
        self.label = label
        logLevel = level
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let metadataPairs = metadata.merging(event.metadata ?? [:]) { _, new in new }.sorted { $0.key < $1.key }.map {
            " \($0.key)=\($0.value)"
        }.joined()
        StandardErrorWriter.write("[\(label)] \(event.level): \(event.message)\(metadataPairs)")
    }
}
