import Glibc
import SystemCalls

/// The places of the configuration files, and reading of them.
struct ConfigurationFiles: Sendable {
    /// The folder of the configuration files; nil if no file of it is read (`--no-config`) or without a home directory.
    var directory: String?
    /// The home directory, for paths that begin with `~/`.
    var home: String?
    /// Returns the content of a file.
    var read: @Sendable (String) throws(SystemCallError) -> String

    /// The largest number of bytes that are read; the rest of a longer file is ignored.
    private static let byteLimit = 1 << 20

    /// The files of the user that runs the program.
    ///
    /// - Parameters:
    ///   - commandLine: The arguments of the command line, of which `--config-dir` and `--no-config` select the folder.
    ///   - environment: Returns the value of an environment variable.
    init(
        commandLine: [String], environment: (String) -> String? = { getenv($0).map { String(cString: $0) } },
        read: @escaping @Sendable (String) throws(SystemCallError) -> String = ConfigurationFiles.content
    ) {
        self.read = read
        home = environment("HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        let configurationFolder =
            environment("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home.map { $0 + "/.config" }
        directory = configurationFolder.map { $0 + "/swiftplay" }
        var chosenDirectory: String?
        for argument in commandLine.prefix(while: { $0 != "--" }) {
            switch argument {
            case "--no-config", "--config=no": directory = nil
            case _ where argument.hasPrefix("--config-dir="): chosenDirectory = String(argument.dropFirst(13))
            default: break
            }
        }
        if directory != nil || configurationFolder == nil, let chosenDirectory { directory = expanded(chosenDirectory) }
    }

    /// Returns the path of a file in the configuration folder; nil without a folder.
    func path(of name: String) -> String? { directory.map { "\($0)/\(name)" } }

    /// Returns a path with `~/` replaced by the home directory and, as in mpv, `~~/` by the configuration folder.
    func expanded(_ path: String) -> String {
        if path.hasPrefix("~~/"), let directory { return directory + path.dropFirst(2) }
        if path.hasPrefix("~/"), let home { return home + path.dropFirst(1) }
        return path
    }

    /// Returns the first megabyte of a file as text.
    static func content(_ path: String) throws(SystemCallError) -> String {
        let file = try FileDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK)
        let bytes = try file.bytes(at: 0, count: min(try file.regularFileSize() ?? 0, byteLimit))
        return String(decoding: bytes, as: UTF8.self)
    }
}
