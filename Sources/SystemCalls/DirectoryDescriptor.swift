import CLinux
import Glibc

/// The device and the inode number of a file, which identify the file as long as it exists, and until the next start of
/// the machine: devices may have other numbers then.
package struct FileIdentity: Sendable, Hashable {
    /// The number of the device that contains the file.
    package let device: UInt64
    /// The number of the file on its device.
    package let inode: UInt64

    /// Creates an identity from its numbers.
    package init(device: UInt64, inode: UInt64) { (self.device, self.inode) = (device, inode) }
}

/// An open directory, in which files are created, renamed and removed by name.
///
/// Every name is a single path component, and no method follows a symbolic link. Therefore no call leaves the
/// directory, even if another process replaces entries or moves the directory at the same time.
package final class DirectoryDescriptor: Sendable {
    /// The descriptor of the directory.
    private let descriptor: FileDescriptor
    /// The descriptor number, valid while this object exists. Do not close it.
    package var raw: Int32 { descriptor.raw }

    /// Opens the directory at `path`; fails if the last component of the path is a symbolic link.
    package init(opening path: String) throws(SystemCallError) {
        descriptor = try FileDescriptor(opening: path, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    }

    /// Takes a directory that another process has passed.
    ///
    /// - Throws: ``SystemCallError`` if the descriptor is not a directory.
    package init(received original: Int32) throws(SystemCallError) {
        // Opening "." gives this process a description of its own, with the right access mode.
        descriptor = FileDescriptor(
            owning: try systemCall("openat") { clinux_openat(original, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
    }

    private init(owning descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

    /// Creates the missing directories of an absolute path with access for this user only, and opens the last one.
    package static func create(_ path: String) throws(SystemCallError) -> DirectoryDescriptor {
        var current = ""
        for component in path.split(separator: "/") {
            current += "/" + component
            if mkdir(current, 0o700) != 0, errno != EEXIST {
                throw SystemCallError(call: "mkdir \(current)", number: errno)
            }
        }
        return try DirectoryDescriptor(opening: path)
    }

    /// Whether `name` is a single path component that can name a file.
    package static func isValidName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && name.utf8.count <= 255
            && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }

    /// The device and the inode number of the directory.
    package func identity() throws(SystemCallError) -> FileIdentity { try descriptor.identity() }

    /// The current path of the directory; nil if the directory was removed or its path is not UTF-8.
    package var path: String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let length = readlink("/proc/self/fd/\(raw)", &buffer, Int(PATH_MAX))
        guard length > 0 else { return nil }
        let path = String(validating: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var status = stat(), openStatus = stat()
        guard let path, lstat(path, &status) == 0, fstat(raw, &openStatus) == 0, status.st_ino == openStatus.st_ino,
            status.st_dev == openStatus.st_dev
        else { return nil }
        return path
    }

    /// Creates a file for reading and writing, with access for this user only.
    ///
    /// - Throws: ``SystemCallError``; its number is `EEXIST` if the name is in use.
    package func create(_ name: String) throws(SystemCallError) -> FileDescriptor {
        try Self.check(name)
        return FileDescriptor(
            owning: try systemCall("openat") {
                clinux_create_at(raw, name, O_RDWR | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            })
    }

    /// Creates a file with a content that is on the disk when this method returns. An error leaves no file.
    ///
    /// - Throws: ``SystemCallError``; its number is `EEXIST` if the name is in use.
    package func create(_ name: String, content: [UInt8]) throws(SystemCallError) {
        let file = try create(name)
        do throws(SystemCallError) {
            try content.withUnsafeBytes { bytes in
                Result { () throws(SystemCallError) in try file.write(bytes, at: 0) }
            }.get()
            try file.synchronize()
        } catch {
            try? remove(name)
            throw error
        }
    }

    /// Opens an existing regular file.
    ///
    /// - Parameter flags: The access mode, such as `O_RDWR`.
    /// - Throws: ``SystemCallError``, also if the name refers to anything but a regular file.
    package func open(_ name: String, flags: Int32) throws(SystemCallError) -> FileDescriptor {
        try Self.check(name)
        // Without O_NONBLOCK the call would wait if the name refers to a named pipe.
        let file = FileDescriptor(
            owning: try systemCall("openat") {
                clinux_openat(raw, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
            })
        guard try file.regularFileSize() != nil else { throw SystemCallError(call: "openat", number: EINVAL) }
        return file
    }

    /// Returns whether a name is in use, by anything.
    package func contains(_ name: String) -> Bool {
        guard Self.isValidName(name) else { return false }
        var status = stat()
        return fstatat(raw, name, &status, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Renames a file within the directory; fails with `EEXIST` if the new name is in use.
    package func rename(_ name: String, to newName: String) throws(SystemCallError) {
        try Self.check(name)
        try Self.check(newName)
        do throws(SystemCallError) {
            try systemCall("renameat2") { clinux_rename_without_replacing(raw, name, newName) }
        } catch {
            // File systems without this flag, such as some network file systems, have hard links instead.
            guard error.number == EINVAL || error.number == ENOSYS else { throw error }
            try systemCall("linkat") { linkat(raw, name, raw, newName, 0) }
            try systemCall("unlinkat") { unlinkat(raw, name, 0) }
        }
    }

    /// Renames an entry. An existing file `name` is replaced in one step, so that the name always refers to the old or
    /// to the new file.
    package func replace(_ name: String, with newName: String) throws(SystemCallError) {
        try Self.check(name)
        try Self.check(newName)
        try systemCall("renameat") { renameat(raw, newName, raw, name) }
    }

    /// Returns the names of the entries that are UTF-8, in no particular order, without `.` and `..`.
    ///
    /// - Parameter limit: The maximum number of names that are read.
    package func entryNames(limit: Int) throws(SystemCallError) -> [String] {
        // A new open file, because a duplicated descriptor would share the position with this one.
        let copy = FileDescriptor(
            owning: try systemCall("openat") { clinux_openat(raw, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
        guard let stream = fdopendir(copy.raw) else { throw SystemCallError(call: "fdopendir", number: errno) }
        // The stream owns the descriptor now.
        _ = copy.release()
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < limit, let entry = readdir(stream) {
            let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            guard let name = String(validating: bytes, as: UTF8.self), name != ".", name != ".." else { continue }
            names.append(name)
        }
        return names
    }

    /// Removes a file. Does nothing if the file does not exist.
    package func remove(_ name: String) throws(SystemCallError) {
        try Self.check(name)
        do throws(SystemCallError) {
            try systemCall("unlinkat") { unlinkat(raw, name, 0) }
        } catch {
            guard error.number == ENOENT else { throw error }
        }
    }

    /// Creates a directory with access for this user only.
    ///
    /// - Throws: ``SystemCallError``; its number is `EEXIST` if the name is in use.
    package func createDirectory(_ name: String) throws(SystemCallError) {
        try Self.check(name)
        try systemCall("mkdirat") { mkdirat(raw, name, 0o700) }
    }

    /// Opens a directory in this directory; fails if the name refers to a symbolic link.
    package func openDirectory(_ name: String) throws(SystemCallError) -> DirectoryDescriptor {
        try Self.check(name)
        return DirectoryDescriptor(
            owning: FileDescriptor(
                owning: try systemCall("openat") {
                    clinux_openat(raw, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                }))
    }

    /// Removes an empty directory.
    package func removeDirectory(_ name: String) throws(SystemCallError) {
        try Self.check(name)
        try systemCall("unlinkat") { unlinkat(raw, name, AT_REMOVEDIR) }
    }

    /// Waits until the entries of the directory are on the disk.
    package func synchronize() throws(SystemCallError) { try systemCall("fsync") { fsync(raw) } }

    /// The number of bytes that this user can still write to the file system, and its size in bytes.
    package func space() throws(SystemCallError) -> (available: Int64, total: Int64) {
        var status = statvfs()
        try systemCall("fstatvfs") { fstatvfs(raw, &status) }
        let unit = Int64(clamping: status.f_frsize)
        let available = Int64(clamping: status.f_bavail).multipliedReportingOverflow(by: unit)
        let total = Int64(clamping: status.f_blocks).multipliedReportingOverflow(by: unit)
        return (available.overflow ? .max : available.partialValue, total.overflow ? .max : total.partialValue)
    }

    /// Throws `EINVAL` unless `name` is a single path component.
    private static func check(_ name: String) throws(SystemCallError) {
        guard isValidName(name) else { throw SystemCallError(call: "file name", number: EINVAL) }
    }
}

extension FileDescriptor {
    /// The device and the inode number of the file.
    package func identity() throws(SystemCallError) -> FileIdentity {
        var status = stat()
        try systemCall("fstat") { fstat(raw, &status) }
        return FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }
}
