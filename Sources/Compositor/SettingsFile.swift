import CLinux
import Glibc
import Logging
import SystemCalls

/// The file of the user's settings, read at the start and after each change (inotify). Without it the defaults hold.
///
/// Its path is `$XDG_CONFIG_HOME/swiftplay/compositor.conf`, or `~/.config/swiftplay/compositor.conf`. Used by the
/// compositor's main thread.
final class SettingsFile {
    private(set) var settings = CompositorSettings()
    private let path: String?
    private let watch: SharedDescriptor?
    private let logger: Logger
    private static let byteLimit = 65_536

    init(path: String? = SettingsFile.usualPath, logger: Logger) {
        self.path = path
        self.logger = logger
        watch = path.flatMap { try? Self.watch(directoryOf: $0) }
        settings = read() ?? settings
    }

    /// The default path; `nil` without a home directory.
    static var usualPath: String? {
        func value(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        return (value("XDG_CONFIG_HOME") ?? value("HOME").map { $0 + "/.config" }).map {
            $0 + "/swiftplay/compositor.conf"
        }
    }

    /// The inotify descriptor to poll; `nil` if the directory cannot be watched.
    var descriptor: Int32? { watch?.raw }

    /// Watches the directory instead of the file, because editors replace the file with a new one.
    private static func watch(directoryOf path: String) throws(SystemCallError) -> SharedDescriptor? {
        guard let slash = path.lastIndex(of: "/") else { return nil }
        let made = SharedDescriptor(
            FileDescriptor(owning: try systemCall("inotify_init1") { inotify_init1(Int32(O_NONBLOCK | O_CLOEXEC)) }))
        let events = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
        let directory = String(path[..<slash])
        guard inotify_add_watch(made.raw, directory, events) >= 0 else { return nil }
        return made
    }

    /// Reads the file again.
    ///
    /// - Returns: Whether a setting changed.
    func refresh() -> Bool {
        if let watch {
            var events = [UInt8](repeating: 0, count: 4096)
            while Glibc.read(watch.raw, &events, events.count) > 0 {}
        }
        let new = read() ?? CompositorSettings()
        defer { settings = new }
        return new != settings
    }

    private func read() -> CompositorSettings? {
        guard let path, let file = try? FileDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK) else { return nil }
        var bytes = [UInt8](repeating: 0, count: Self.byteLimit)
        let count = Glibc.read(file.raw, &bytes, bytes.count)
        guard count >= 0 else { return nil }
        var complaints: [String] = []
        let settings = CompositorSettings(
            parsing: String(decoding: bytes[..<count], as: UTF8.self), complaints: &complaints)
        for complaint in complaints { logger.warning("\(path): \(complaint)") }
        return settings
    }
}
