import Glibc
import Logging
import SystemCalls

/// The file by which the session bus starts the service for a message of a distributor. An installed package has such a
/// file for all users; without one, the service writes the user's own.
final class ActivationFile {
    private static let name = UnifiedPushConnector.busName + ".service"
    private let directory: String, program: String
    private let logger: Logger

    /// Creates the file of a program; it is not written yet.
    ///
    /// - Parameters:
    ///   - directory: The user's folder of such files, `dbus-1/services` in the data folder.
    ///   - program: The path of the service.
    init(directory: String, program: String, logger: Logger) {
        (self.directory, self.program, self.logger) = (directory, program, logger)
    }

    /// Writes the file.
    ///
    /// - Returns: Whether it exists.
    func write() -> Bool {
        do throws(SystemCallError) {
            try DirectoryDescriptor.create(directory).store(Self.name, Array(Self.content(program: program).utf8))
            return true
        } catch {
            logger.warning("messages cannot start the service: \(error)")
            return false
        }
    }

    /// Removes the file, if it exists.
    func remove() {
        do throws(SystemCallError) { try DirectoryDescriptor(opening: directory).remove(Self.name) } catch {
            if error.number != ENOENT { logger.warning("\(Self.name) cannot be removed: \(error)") }
        }
    }

    /// Returns the content of the file.
    static func content(program: String) -> String {
        // The bus splits the line as a shell does, without expansions.
        let quoted = program.replacing("'", with: "'\\''")
        return """
            [D-BUS Service]
            Name=\(UnifiedPushConnector.busName)
            Exec='\(quoted)' --detach

            """
    }
}
