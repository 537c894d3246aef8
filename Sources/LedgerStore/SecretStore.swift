import Glibc
import SystemCalls

/// The files with the header fields of requests, which may contain passwords. The files are outside the database, so
/// that a copy of the database contains no secret. Used by one thread.
package final class SecretStore {
    /// The maximum size of a secret, in bytes.
    package static let sizeLimit = 64 << 10
    /// The directory of the files.
    private let directory: DirectoryDescriptor
    /// The path of the directory.
    private let path: String

    /// Opens or creates the directory.
    init(directory path: String) throws(SystemCallError) {
        directory = try DirectoryDescriptor.create(path)
        self.path = path
        try systemCall("fchmod") { [raw = directory.raw] in fchmod(raw, 0o700) }
    }

    /// Saves a secret durably under a name, such as the bytes that identify a transfer. The old secret of this name is
    /// replaced in one step: a crash and a full disk leave the old or the new one.
    package func save(_ secret: [UInt8], name: String) throws(SystemCallError) {
        let temporaryName = Self.temporaryPrefix + name
        try directory.remove(temporaryName)
        do throws(SystemCallError) {
            try directory.create(temporaryName, content: secret)
            try directory.replace(name, with: temporaryName)
        } catch {
            remove(name: temporaryName)
            throw error
        }
        try directory.synchronize()
    }

    /// The prefix of a secret that is not complete. ``removeAll(except:)`` removes what a crash has left.
    private static let temporaryPrefix = ".new-"

    /// Returns a secret; nil if there is none under this name, or it is damaged.
    ///
    /// - Throws: `SystemCallError` if the secret may exist, but cannot be read now.
    package func secret(name: String) throws(SystemCallError) -> [UInt8]? {
        do throws(SystemCallError) {
            let file = try directory.open(name, flags: O_RDONLY)
            guard let size = try file.regularFileSize(), size <= Self.sizeLimit else { return nil }
            var bytes = [UInt8](repeating: 0, count: size)
            let count = bytes.withUnsafeMutableBytes { buffer in
                Result { () throws(SystemCallError) in try file.read(into: buffer, at: 0) }
            }
            return try count.get() == size ? bytes : nil
        } catch {
            guard [ENOENT, ELOOP].contains(error.number) else { throw error }
            return nil
        }
    }

    /// Removes a secret, if it exists.
    package func remove(name: String) { try? directory.remove(name) }

    /// Removes the secrets whose names are not in `names`: a crash left them between two steps.
    package func removeAll(except names: Set<String>) {
        for bytes in FilePath(path)?.entryNames(limit: 100_000) ?? [] {
            let name = String(decoding: bytes, as: UTF8.self)
            if !names.contains(name) { remove(name: name) }
        }
    }
}
