import CLinux
import CompositorProtocol
import Glibc
import Logging
import SystemCalls

/// The file of the user's settings, read when the compositor starts and after each change that inotify reports. Without
/// the file the defaults apply.
///
/// A directory that does not exist cannot be watched: ``descriptor`` is `nil` then, and the owner calls ``refresh()``
/// when a program connects. As soon as that call finds the directory, it is watched.
///
/// Its path is `$XDG_CONFIG_HOME/swiftplay/compositor.conf`, or `~/.config/swiftplay/compositor.conf`. Used by the
/// compositor's main thread.
final class SettingsFile {
    /// The current settings.
    private(set) var settings = CompositorSettings()
    /// The path of the settings file; `nil` without a home directory.
    private let path: String?
    /// Reports changes in the directory of the file; `nil` if the directory cannot be watched.
    private var directoryWatch: DirectoryWatch?
    private let logger: Logger
    /// The largest number of bytes that are read; the rest of a longer file is ignored.
    private static let byteLimit = 65_536

    /// Reads the file and watches its directory.
    init(path: String? = SettingsFile.defaultPath, logger: Logger) {
        self.path = path
        self.logger = logger
        directoryWatch = path.flatMap { Self.watch(directoryOf: $0) }
        settings = read() ?? settings
    }

    /// The default path; `nil` without a home directory.
    static var defaultPath: String? {
        func value(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        return (value("XDG_CONFIG_HOME") ?? value("HOME").map { $0 + "/.config" }).map {
            $0 + "/swiftplay/compositor.conf"
        }
    }

    /// The descriptor to poll; `nil` if the directory cannot be watched.
    var descriptor: Int32? { directoryWatch?.raw }

    /// Watches the directory of the file, because editors replace the file with a new one.
    private static func watch(directoryOf path: String) -> DirectoryWatch? {
        path.lastIndex(of: "/").flatMap { DirectoryWatch(String(path[..<$0]), .contents) }
    }

    /// Reads the settings file again, and watches the directory that has its path now.
    ///
    /// - Returns: Whether a setting changed.
    func refresh() -> Bool {
        // The directory may have been created or replaced. Watch it before reading, so that no change is missed.
        directoryWatch = path.flatMap { Self.watch(directoryOf: $0) }
        let newSettings = read() ?? CompositorSettings()
        defer { settings = newSettings }
        return newSettings != settings
    }

    /// Reads the file and logs its invalid lines; `nil` if the file cannot be read.
    private func read() -> CompositorSettings? {
        guard let path, let file = try? FileDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK) else { return nil }
        var bytes = [UInt8](repeating: 0, count: Self.byteLimit)
        let byteCount = Glibc.read(file.raw, &bytes, bytes.count)
        guard byteCount >= 0 else { return nil }
        var warnings: [String] = []
        let settings = CompositorSettings(
            parsing: String(decoding: bytes[..<byteCount], as: UTF8.self), warnings: &warnings)
        for warning in warnings { logger.warning("\(path): \(warning)") }
        return settings
    }
}
