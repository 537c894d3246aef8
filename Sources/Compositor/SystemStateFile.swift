import Glibc
import Logging
import SystemCalls

/// The file that passes ``SystemState`` from one compositor process to the next:
/// `$XDG_RUNTIME_DIR/swiftplay/system-state`, beside the socket.
///
/// The first line identifies the boot, because a directory below `/tmp` may outlive a restart of the machine, but a
/// phone call does not. Used by the compositor's main thread.
package final class SystemStateFile {
    /// The largest size of the file; a larger file counts as unreadable.
    private static let byteLimit = 4096
    /// The path of the file.
    private let path: String
    /// The identifier of the running kernel's boot (`boot_id`).
    private let bootID: String
    private let logger: Logger
    /// The file's content without its first line, as read or written last; `nil` if it is unknown.
    private var knownContent: String?

    /// Creates the object without reading the file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - boot: The identifier of the running kernel's boot.
    ///   - logger: The destination of log messages.
    package init(path: String, boot: String = SystemStateFile.currentBoot, logger: Logger) {
        (self.path, self.bootID, self.logger) = (path, boot, logger)
    }

    /// The kernel's `boot_id`, or `unknown` if it cannot be read.
    package static var currentBoot: String {
        read("/proc/sys/kernel/random/boot_id").flatMap { $0.split(separator: "\n").first.map(String.init) }
            ?? "unknown"
    }

    /// Reads the state that the previous compositor saved. A damaged file, or a file from before the machine's last
    /// restart, counts as empty.
    package func load() -> SystemState {
        guard let text = Self.read(path) else { return SystemState() }
        let (firstLine, content) = Self.split(text)
        guard firstLine == header else { return SystemState() }
        guard let state = SystemState(parsing: content) else {
            logger.warning("\(path) is damaged: its records of calls, screen lock and silent switch are lost")
            return SystemState()
        }
        knownContent = content
        return state
    }

    /// Replaces the file atomically if `state` differs from its content.
    package func save(_ state: SystemState) {
        let text = state.persistentText
        guard text != knownContent else { return }
        do throws(SystemCallError) {
            if text.isEmpty {
                if unlink(path) != 0, errno != ENOENT { throw SystemCallError(call: "unlink", number: errno) }
            } else {
                try replace(with: header + "\n" + text)
            }
            knownContent = text
        } catch {
            knownContent = nil
            logger.warning(
                """
                cannot write \(path): \(error). A crash of the compositor would lose calls, screen lock and silent \
                switch.
                """)
        }
    }

    /// The first line of the file: the format's name and version, and the identifier of the boot.
    private var header: String { "swiftplay-system-state 1 \(bootID)" }

    /// Writes a new file and renames it to ``path``.
    private func replace(with text: String) throws(SystemCallError) {
        let temporaryPath = path + ".new"
        let bytes = Array(text.utf8)
        do {
            let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW
            let file = try FileDescriptor(opening: temporaryPath, flags: flags, mode: 0o600)
            let writtenByteCount = try systemCall("write") { write(file.raw, bytes, bytes.count) }
            guard writtenByteCount == bytes.count else { throw SystemCallError(call: "write", number: ENOSPC) }
        }
        try systemCall("rename") { rename(temporaryPath, path) }
    }

    /// Returns the text of a file; `nil` if it is missing, too large, or not UTF-8.
    private static func read(_ path: String) -> String? {
        guard let file = try? FileDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK | O_NOFOLLOW) else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: byteLimit + 1)
        let byteCount = Glibc.read(file.raw, &bytes, bytes.count)
        guard byteCount >= 0, byteCount <= byteLimit else { return nil }
        return String(validating: bytes[..<byteCount], as: UTF8.self)
    }

    /// Splits a text into its first line and the rest.
    private static func split(_ text: String) -> (first: String, rest: String) {
        let lineEnd = text.firstIndex(of: "\n") ?? text.endIndex
        return (String(text[..<lineEnd]), String(text[lineEnd...].dropFirst()))
    }
}
