import Foundation

/// The library on the disk, which several processes of the program share.
///
/// A change reads the file, and replaces it as a whole, under a lock: after a crash at any moment, the file holds the
/// library before or after the change.
struct LibraryFile: Sendable {
    /// The folder of the program.
    let folder: String
    /// The time for which a change waits for another process, in tries of 10 ms.
    private static let lockTries = 1000
    private static let sizeLimit = 64 << 20

    /// Opens the folder, which is created if it does not exist.
    init(folder: String) throws {
        self.folder = folder
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch { throw PodcastsError("the folder \(folder) cannot be created: \(error.localizedDescription)") }
    }

    private var path: String { folder + "/library.json" }

    /// Returns the stored library; an empty one if none was stored.
    func read() throws -> Library {
        guard FileManager.default.fileExists(atPath: path) else { return Library() }
        guard let data = FileManager.default.contents(atPath: path), data.count <= Self.sizeLimit else {
            throw PodcastsError("\(path) cannot be read")
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        // A damaged library is never replaced by an empty one.
        guard let library = try? decoder.decode(Library.self, from: data) else {
            throw PodcastsError("\(path) is damaged; move it away to begin with an empty library")
        }
        guard library.version <= Library.newestVersion else {
            throw PodcastsError("\(path) was written by a newer version of podcasts")
        }
        return library
    }

    /// Changes the library, and returns when the change is on the disk.
    ///
    /// - Throws: The error of `body`, or ``PodcastsError`` if the file cannot be replaced. Nothing has changed then.
    @discardableResult
    func change<Result>(_ body: (inout Library) throws -> Result) throws -> Result {
        let lock = try lock()
        defer { close(lock) }
        let old = try read()
        var library = old
        let result = try body(&library)
        if library != old || !FileManager.default.fileExists(atPath: path) { try replace(with: library) }
        return result
    }

    /// Takes the lock, which ends when the descriptor is closed or the process exits.
    private func lock() throws -> Int32 {
        let descriptor = open(folder + "/library.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("\(folder)/library.lock cannot be opened") }
        for _ in 0..<Self.lockTries {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
            usleep(10_000)
        }
        close(descriptor)
        throw PodcastsError("another process of podcasts uses \(path)")
    }

    private func replace(with library: Library) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        let data = try encoder.encode(library), newPath = path + ".new"
        guard FileManager.default.createFile(atPath: newPath, contents: nil, attributes: [.posixPermissions: 0o600]),
            let file = FileHandle(forWritingAtPath: newPath)
        else { throw Self.failure("\(newPath) cannot be written") }
        do {
            try file.write(contentsOf: data)
            // Without this, the name could reach the disk before the content.
            try file.synchronize()
            try file.close()
        } catch { throw PodcastsError("\(newPath) cannot be written: \(error.localizedDescription)") }
        guard rename(newPath, path) == 0 else { throw Self.failure("\(path) cannot be replaced") }
        try Self.synchronize(folder: folder)
    }

    /// Returns when the names in a folder are on the disk.
    static func synchronize(folder: String) throws {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("\(folder) cannot be opened") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("\(folder) cannot be written") }
    }

    /// Returns an error with the reason of the last system call.
    static func failure(_ text: String) -> PodcastsError {
        PodcastsError("\(text): \(String(cString: strerror(errno)))")
    }
}
