import CompositorProtocol
import Glibc
import MediaPipeline
import SystemCalls

/// A file with the cover of an item, which the desktop reads. The file is removed when this object is released.
final class ArtworkFile {
    let artwork: Artwork
    /// The path of the file; nil if it could not be written.
    let path: String?

    /// Writes a cover into the user's directory of SwiftPlay's files.
    ///
    /// - Parameter number: A number that no other file of this process has.
    init(_ artwork: Artwork, number: UInt64) {
        self.artwork = artwork
        let newPath = (try? CompositorAddress.directory()).map { directory in
            "\(directory)/cover-\(getpid())-\(number).\(artwork.format.rawValue)"
        }
        path = newPath.flatMap { Self.write(artwork.bytes, to: $0) ? $0 : nil }
    }

    deinit { if let path { unlink(path) } }

    /// The file's URL; nil if it could not be written.
    var address: String? { path.flatMap(NowPlayingState.address(of:)) }

    /// Writes a new file that only this user can read; returns false, without a file, if that fails.
    private static func write(_ bytes: [UInt8], to path: String) -> Bool {
        // A crashed process may have left a file of this name.
        unlink(path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        let file = FileDescriptor(owning: descriptor)
        var remainingBytes = bytes[...]
        while !remainingBytes.isEmpty {
            let count = remainingBytes.withUnsafeBytes { Glibc.write(file.raw, $0.baseAddress, $0.count) }
            guard count > 0 else {
                unlink(path)
                return false
            }
            remainingBytes = remainingBytes.dropFirst(count)
        }
        return true
    }
}
