import Foundation

/// The folder with the downloaded episodes and the pictures of the feeds.
struct MediaFolder: Sendable {
    let path: String

    /// Opens the folder, which is created if it does not exist.
    init(in libraryFolder: String) throws {
        path = libraryFolder + "/media"
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch { throw PodcastsError("the folder \(path) cannot be created: \(error.localizedDescription)") }
    }

    /// The names of all files.
    var names: [String] {
        get throws {
            do { return try FileManager.default.contentsOfDirectory(atPath: path).sorted() } catch {
                throw PodcastsError("the folder \(path) cannot be read: \(error.localizedDescription)")
            }
        }
    }

    /// Returns the path of a file.
    func path(of name: String) -> String { path + "/" + name }

    /// Moves a downloaded file into the folder. The file appears as a whole.
    func take(_ location: URL, as name: String) throws {
        if rename(location.path, path(of: name)) != 0 {
            guard errno == EXDEV else { throw LibraryFile.failure("\(path(of: name)) cannot be written") }
            // The service keeps its files on another file system.
            try copy(location, as: name)
        }
        try LibraryFile.synchronize(folder: path)
    }

    private func copy(_ location: URL, as name: String) throws {
        let temporaryPath = path(of: name + Self.temporarySuffix)
        try? FileManager.default.removeItem(atPath: temporaryPath)
        do {
            try FileManager.default.copyItem(atPath: location.path, toPath: temporaryPath)
            let file = try FileHandle(forWritingTo: URL(filePath: temporaryPath))
            try file.synchronize()
            try file.close()
        } catch { throw PodcastsError("\(temporaryPath) cannot be written: \(error.localizedDescription)") }
        guard rename(temporaryPath, path(of: name)) == 0 else {
            throw LibraryFile.failure("\(path(of: name)) cannot be written")
        }
    }

    /// Writes a small file, which appears as a whole.
    func write(_ data: Data, as name: String) throws {
        let temporaryPath = path(of: name + Self.temporarySuffix)
        do { try data.write(to: URL(filePath: temporaryPath)) } catch {
            throw PodcastsError("\(temporaryPath) cannot be written: \(error.localizedDescription)")
        }
        guard rename(temporaryPath, path(of: name)) == 0 else {
            throw LibraryFile.failure("\(path(of: name)) cannot be written")
        }
    }

    /// Removes a file, if it exists.
    func remove(_ name: String) { unlink(path(of: name)) }

    /// The end of the names of unfinished files.
    static let temporarySuffix = ".new"
}
