import FoundationEssentials
import Glibc
import PushEncryption
import SystemCalls

/// The file of a program's ``RemoteNotificationKeys``. Several processes may read and create it at the same time.
struct KeyFile {
    private let directory: DirectoryDescriptor
    private let name: String
    /// The path, for errors.
    private let path: String

    /// Opens the folder of a file, or creates it with access for the user only.
    init(_ file: URL) throws(RemoteNotificationError) {
        (name, path) = (file.lastPathComponent, file.path)
        let folder = file.deletingLastPathComponent().path
        do throws(SystemCallError) {
            // The folder itself may be a symbolic link; the file may not.
            directory = try DirectoryDescriptor.create(FilePath(folder)?.resolved?.text ?? folder)
        } catch {
            throw Self.unusable("the folder of \(path) cannot be used: \(error); make it accessible to the user")
        }
    }

    /// Returns the keys of the file, which is created with new keys if it does not exist.
    func keys() throws(RemoteNotificationError) -> PushKeys {
        if let keys = try storedKeys() { return keys }
        let bytes: [UInt8]
        do throws(PushEncryptionError) { bytes = try PushKeys().stored() } catch {
            throw Self.unusable("no keys of notifications can be created: \(error)")
        }
        do throws(SystemCallError) { try create(bytes) } catch {
            throw Self.unusable("\(path) cannot be created: \(error); make its folder writable, or name another file")
        }
        // The keys of another process count if it has created the file first.
        guard let keys = try storedKeys() else {
            throw Self.unusable("\(path) was removed while it was created; start the program again")
        }
        return keys
    }

    /// Returns the keys of the file; nil if it does not exist.
    private func storedKeys() throws(RemoteNotificationError) -> PushKeys? {
        let bytes: [UInt8]
        do throws(SystemCallError) {
            let file = try directory.open(name, flags: O_RDONLY)
            // One more byte, so that a longer file counts as damaged.
            bytes = try file.bytes(at: 0, count: PushKeys.storedBytes + 1)
        } catch {
            if error.number == ENOENT { return nil }
            throw Self.unusable("\(path) cannot be read: \(error); make it readable, or name another file")
        }
        do throws(PushEncryptionError) { return try PushKeys(stored: bytes) } catch {
            throw Self.unusable(
                "\(path): \(error). To create new keys, remove the file, and send them to the server")
        }
    }

    /// Creates the file with a content, unless another process has created it. A crash leaves the whole file or none.
    private func create(_ bytes: [UInt8]) throws(SystemCallError) {
        let prefix = ".\(name).new-"
        let temporaryName = prefix + "\(UInt64.random(in: 0 ... .max))"
        do throws(SystemCallError) {
            try directory.create(temporaryName, content: bytes)
            try directory.rename(temporaryName, to: name)
        } catch {
            try? directory.remove(temporaryName)
            // A process that has created the file first removes what others have begun.
            guard directory.contains(name) else { throw error }
        }
        try directory.synchronize()
        // A process that was killed in this method has left its temporary file.
        for other in try directory.entryNames(limit: 10_000) where other.hasPrefix(prefix) {
            try directory.remove(other)
        }
    }

    private static func unusable(_ description: String) -> RemoteNotificationError {
        RemoteNotificationError(code: .unusableKeys, description: description)
    }
}
