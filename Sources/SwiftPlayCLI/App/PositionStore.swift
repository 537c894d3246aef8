import Glibc
import MediaPipeline
import SystemCalls

/// The remembered positions and settings of media files, in one file for each media file. The file is named after the
/// MD5 of the path or address.
struct PositionStore: Sendable {
    /// The folder of the positions; nil without a home directory.
    let directory: String?

    /// Finds the folder of the positions.
    ///
    /// - Parameters:
    ///   - directory: The folder; nil for the default, `$XDG_STATE_HOME/swiftplay/watch_later`.
    ///   - environment: Returns the value of an environment variable.
    init(
        directory: String?, environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) {
        func folder(_ name: String) -> String? { environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let state = folder("XDG_STATE_HOME") ?? folder("HOME").map { $0 + "/.local/state" }
        self.directory = directory ?? state.map { $0 + "/swiftplay/watch_later" }
    }

    /// Returns the path of the file with the position of a media file; nil if the position cannot be remembered.
    private func path(of location: String) -> String? {
        guard let directory, location != "-" else { return nil }
        return directory + "/" + Digest.md5(Self.absolute(location)).uppercased()
    }

    /// Returns the absolute path of a file; addresses stay unchanged.
    private static func absolute(_ location: String) -> String {
        guard !location.hasPrefix("/"), !location.contains("://"), let folder = getcwd(nil, 0) else { return location }
        defer { free(folder) }
        return String(cString: folder) + "/" + location
    }

    /// Returns the remembered position and settings of a media file; nil if there are none.
    func playback(of location: String) -> RememberedPlayback? {
        guard let path = path(of: location), let text = try? ConfigurationFiles.content(path) else { return nil }
        return RememberedPlayback(ConfigurationFile(parsing: text))
    }

    /// Remembers the position and the settings of a media file.
    func save(_ playback: RememberedPlayback, of location: String) throws(SystemCallError) {
        guard let directory, let path = path(of: location), playback.position.isFinite else { return }
        var end = directory.startIndex
        while end != directory.endIndex {
            end = directory[directory.index(after: end)...].firstIndex(of: "/") ?? directory.endIndex
            mkdir(String(directory[..<end]), 0o700)
        }
        let name = Self.absolute(location).map { $0.isNewline ? " " : String($0) }.joined()
        let bytes = Array("# \(name)\n\(playback.text)".utf8)
        let temporaryPath = path + ".new"
        let file = try FileDescriptor(opening: temporaryPath, flags: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
        var failure: SystemCallError?
        bytes.withUnsafeBytes { buffer in
            do throws(SystemCallError) { try file.write(buffer, at: 0) } catch { failure = error }
        }
        if let failure { throw failure }
        try DirectoryEntry.rename(temporaryPath, to: path)
    }

    /// Removes the remembered position and settings of a media file.
    func remove(_ location: String) {
        if let path = path(of: location) { try? DirectoryEntry.remove(path) }
    }
}
