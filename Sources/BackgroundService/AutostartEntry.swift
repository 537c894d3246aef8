import BackgroundProtocol
import Glibc
import Logging
import SystemCalls

/// The file by which the desktop starts the service after the user has logged in. It exists while work waits.
///
/// It follows the Desktop Application Autostart Specification (`$XDG_CONFIG_HOME/autostart`). Without it, transfers
/// would wait after a start of the machine until a program uses the service.
final class AutostartEntry {
    /// The time after which work is stored in the file, in nanoseconds: most work is done earlier.
    static let delay: Int64 = 2 * MonotonicTime.nanosecondsPerSecond
    /// The name of the file.
    static let name = "swiftplay-backgroundd.desktop"

    private let directory: String, program: String
    private let logger: Logger
    /// The host time since which work waits; nil without work.
    private var neededSince: Int64?
    /// Whether the file exists; nil if that is unknown, after a start of the service.
    private var exists: Bool?

    /// Creates the entry of a program; the file is not changed.
    ///
    /// - Parameters:
    ///   - directory: The folder of the entries.
    ///   - program: The path of the service.
    init(directory: String, program: String, logger: Logger) {
        (self.directory, self.program, self.logger) = (directory, program, logger)
    }

    /// Writes or removes the file.
    ///
    /// - Parameter isNeeded: Whether work waits.
    /// - Returns: The host time at which to call this method again; nil if there is none.
    func update(isNeeded: Bool, now: Int64) -> Int64? {
        neededSince = isNeeded ? neededSince ?? now : nil
        if let neededSince, now < neededSince + Self.delay { return neededSince + Self.delay }
        guard exists != isNeeded else { return nil }
        // After a failure the file is not tried again until the need changes.
        exists = isNeeded
        do throws(SystemCallError) {
            if isNeeded { try write() } else { try remove() }
        } catch { logger.warning("the start of transfers after a login cannot be changed: \(error)") }
        return nil
    }

    private func write() throws(SystemCallError) {
        try DirectoryDescriptor.create(directory).store(Self.name, Array(Self.content(program: program).utf8))
    }

    private func remove() throws(SystemCallError) {
        do throws(SystemCallError) { try DirectoryDescriptor(opening: directory).remove(Self.name) } catch {
            guard error.number == ENOENT else { throw error }
        }
    }

    /// Returns the content of the file.
    static func content(program: String) -> String {
        """
        [Desktop Entry]
        Type=Application
        Name=SwiftPlay background transfers
        Exec=\(quoted(program)) --detach
        NoDisplay=true

        """
    }

    /// Returns an argument as the Desktop Entry Specification quotes it: first for the command line, then as a value.
    private static func quoted(_ argument: String) -> String {
        var text = ""
        for character in argument {
            switch character {
            case "\\": text += "\\\\\\\\"
            case "\"", "`", "$": text += "\\\\\(character)"
            case "%": text += "%%"
            case "\n": text += "\\n"
            default: text.append(character)
            }
        }
        return "\"\(text)\""
    }
}
