import Glibc
import SystemCalls

/// A folder with a downloaded stream (`swiftplay download`), which is played like a file.
package enum PackageFolder {
    /// The names of the playlist of a package: the first one if the package is complete, the second one while it is
    /// downloaded.
    private static let playlistNames = ["master.m3u8", "incomplete.m3u8"]

    /// Returns the playlist of a package; nil if the path is not that of a folder with a package.
    package static func playlist(of folder: FilePath) -> FilePath? {
        guard isKind(S_IFDIR, folder) else { return nil }
        let separator: [UInt8] = folder.bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
        for name in playlistNames {
            if let path = FilePath(bytes: folder.bytes + separator + Array(name.utf8)), isKind(S_IFREG, path) {
                return path
            }
        }
        return nil
    }

    /// Returns whether a path leads to a file of a kind.
    private static func isKind(_ kind: mode_t, _ path: FilePath) -> Bool {
        var status = stat()
        return path.withCString { stat($0, &status) } == 0 && status.st_mode & S_IFMT == kind
    }
}
