import CLinux
import Glibc
import SystemCalls

/// A file that occupies disk space, and is removed if a transaction would fail because the disk is full.
final class DiskReserve {
    /// The size of the file, in bytes: more than any transaction adds to the write-ahead log.
    static let size = 1 << 20
    /// The name of the file.
    static let name = "reserve"
    /// The directory of the file.
    private let directory: DirectoryDescriptor
    /// Whether the file exists with its full size.
    private(set) var isHeld = false

    /// Creates an object for the file in `directory`, without creating the file.
    init(directory: DirectoryDescriptor) { self.directory = directory }

    /// Creates the file, unless it exists with its full size. If there is too little space, no file remains.
    func restore() {
        guard !isHeld else { return }
        if let file = try? directory.open(Self.name, flags: O_RDONLY), (try? file.regularFileSize()) == Self.size {
            isHeld = true
            return
        }
        try? directory.remove(Self.name)
        guard let file = try? directory.create(Self.name) else { return }
        isHeld = posix_fallocate(file.raw, 0, off_t(Self.size)) == 0
        if !isHeld { try? directory.remove(Self.name) }
    }

    /// Removes the file.
    ///
    /// - Returns: False if there was no file, so that no space was gained.
    func release() -> Bool {
        guard isHeld else { return false }
        isHeld = false
        return (try? directory.remove(Self.name)) != nil
    }
}
