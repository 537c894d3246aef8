import Glibc
import Logging
import SystemCalls
import VideoOutput

/// A log handler that writes the messages of a logger to the file of `--log-file`.
struct FileLogHandler: LogHandler {
    /// The name of the logger, shown in brackets.
    let label: String
    let file: LogFile
    var logLevel = Logger.Level.debug
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    init(label: String, file: LogFile) { (self.label, self.file) = (label, file) }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { file.write("[\(label)] \(event.level): \(event.message)") }
}

/// The file of `--log-file`: lines with the time since the start of the program in seconds.
final class LogFile: Sendable {
    private let descriptor: SharedDescriptor
    private let startTime = MonotonicTime.now

    /// Creates the file, or empties an existing one.
    ///
    /// - Throws: `SystemCallError` if the file cannot be opened; `ENXIO` for a FIFO that no process reads.
    init(path: String) throws(SystemCallError) {
        // Without O_NONBLOCK, opening or writing a FIFO may wait for its reader.
        descriptor = SharedDescriptor(
            try FileDescriptor(
                opening: path, flags: O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NONBLOCK, mode: 0o644))
    }

    /// Appends a line. Errors, such as a full disk, are ignored: playback matters more than the log. Control characters
    /// are removed, because titles and names in messages may contain them.
    func write(_ text: String) {
        let milliseconds = (MonotonicTime.now - startTime) / 1_000_000
        let fraction = String(1000 + milliseconds % 1000).dropFirst()
        let line = Array("[\(milliseconds / 1000).\(fraction)]\(TerminalText.sanitised(text))\n".utf8)
        _ = Glibc.write(descriptor.raw, line, line.count)
    }
}
