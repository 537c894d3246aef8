import CompositorProtocol
import Glibc
import SystemCalls

/// The directory with the pictures of all programs. Each file appears, changes and disappears as a whole.
final class SnapshotFolder: Sendable {
    /// The most pictures that are kept. The oldest is deleted when another program gets a picture.
    static let fileLimit = 64
    /// The most entries that are read: other programs of the user may have added files.
    private static let nameLimit = 4096
    /// The ends of the names of unfinished files, and of the empty files that mark pictures that are deleted when their
    /// programs start.
    private static let temporarySuffix = ".new", markSuffix = ".once"

    private let directory: DirectoryDescriptor

    /// Opens the directory, which is created if necessary, and deletes old and unfinished files.
    init(path: String) throws(SystemCallError) {
        directory = try DirectoryDescriptor.create(path)
        let now = Int64(time(nil))
        for file in files() {
            let isOld = now - file.writingTime >= SnapshotFile.lifetime
            if isOld || file.name.hasSuffix(Self.temporarySuffix) { try? directory.remove(file.name) }
        }
    }

    /// Whether there is a picture with this file name.
    func contains(_ name: String) -> Bool { directory.contains(name) }

    /// Whether the picture is marked to be deleted when its program starts.
    func isMarked(_ name: String) -> Bool { directory.contains(name + Self.markSuffix) }

    /// Marks a picture to be deleted when its program starts, or removes the mark.
    func setMarked(_ name: String, _ isMarked: Bool) throws(SystemCallError) {
        guard isMarked != self.isMarked(name) else { return }
        if isMarked {
            guard files().count < 2 * Self.fileLimit else {
                throw SystemCallError(call: "too many pictures", number: ENOSPC)
            }
            _ = try directory.create(name + Self.markSuffix)
        } else {
            try directory.remove(name + Self.markSuffix)
        }
    }

    /// Deletes a picture.
    func remove(_ name: String) throws(SystemCallError) { try directory.remove(name) }

    /// Writes the bytes of a picture into a file that has no final name yet.
    func write(_ bytes: [UInt8], for name: String) throws(SystemCallError) {
        let temporaryName = name + Self.temporarySuffix
        try directory.remove(temporaryName)
        let file = try directory.create(temporaryName)
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(SystemCallError) in try file.write(buffer, at: 0) }
        }
        try result.get()
    }

    /// Replaces a picture with the bytes that ``write(_:for:)`` has written.
    func publish(_ name: String) throws(SystemCallError) {
        if !contains(name) { removeOldestIfFull() }
        try directory.replace(name, with: name + Self.temporarySuffix)
    }

    /// Removes the bytes that ``write(_:for:)`` has written.
    func discard(_ name: String) { try? directory.remove(name + Self.temporarySuffix) }

    /// Deletes the oldest pictures until one more may be written.
    private func removeOldestIfFull() {
        let pictures = files().filter { $0.name.hasSuffix(SnapshotFile.suffix) }
        let excess = pictures.count - Self.fileLimit + 1
        guard excess > 0 else { return }
        for file in pictures.sorted(by: { $0.writingTime < $1.writingTime }).prefix(excess) {
            try? directory.remove(file.name)
        }
    }

    /// Returns the names of all files, and when they were written, in seconds since 1970.
    private func files() -> [(name: String, writingTime: Int64)] {
        // A directory that cannot be read is like an empty one: writing the next picture reports the failure.
        let names = (try? directory.entryNames(limit: Self.nameLimit)) ?? []
        return names.compactMap { name in
            var status = stat()
            guard fstatat(directory.raw, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG
            else { return nil }
            return (name, Int64(status.st_mtim.tv_sec))
        }
    }
}
