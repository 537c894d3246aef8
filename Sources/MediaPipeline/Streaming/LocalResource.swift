import Glibc
import StreamPlaylists
import SystemCalls

/// A resource of a stream that is a local file: a part of a downloaded stream (``PackageFolder``).
enum LocalResource {
    /// Returns the path of a `file:` address; nil for other addresses.
    static func path(of address: String) -> FilePath? {
        guard address.utf8.starts(with: "file:".utf8), case .file(let path)? = try? OpenPolicy().locate(address) else {
            return nil
        }
        return path
    }

    /// Reads a file or a part of it.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes.
    ///   - action: What cannot be done if the file cannot be read, such as "a key cannot be read".
    /// - Throws: `notFound`, `notPermitted` or `input`, also if the file or the part of it is longer than `limit`.
    static func bytes(
        at path: FilePath, _ range: ByteRange? = nil, limit: Int, _ action: String
    ) throws(MediaError) -> [UInt8] {
        let name = String(decoding: path.name, as: UTF8.self)
        do throws(SystemCallError) {
            let file = try FileDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK)
            guard let size = try file.regularFileSize() else { throw SystemCallError(call: "open", number: EINVAL) }
            let start = min(range?.offset ?? 0, size), end = min(range?.end ?? size, size)
            guard end - start <= limit else { throw SystemCallError(call: "read", number: EFBIG) }
            return try file.bytes(at: start, count: end - start)
        } catch {
            let code: MediaError.Code =
                error.number == ENOENT ? .notFound : error.number == EACCES ? .notPermitted : .input
            throw MediaError(code, "\(action): \(name): \(error.reason)")
        }
    }
}
