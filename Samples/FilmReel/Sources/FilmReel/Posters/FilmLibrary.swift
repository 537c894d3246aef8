import Glibc

/// The films and pictures of a folder and its subfolders, sorted by path.
struct FilmLibrary: Sendable {
    let films: [Film]

    private static let filmExtensions: Set<String> = [
        "avi", "flv", "m2ts", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "mts", "ogv", "ts", "webm", "wmv",
    ]
    private static let pictureExtensions: Set<String> = ["bmp", "jpeg", "jpg", "png", "tif", "tiff", "webp"]

    /// The identity of a folder, which does not depend on its path.
    private struct FolderIdentity: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    /// Reads a folder. Files with other extensions are ignored. The paths of the films are absolute.
    ///
    /// - Throws: ``FilmReelError`` if the folder cannot be read, or has no films and pictures.
    init(folder: String) throws {
        var foundFilms: [Film] = [], visited: Set<FolderIdentity> = []
        guard let path = Self.resolvedPath(folder), Self.read(path, visited: &visited, into: &foundFilms) else {
            throw FilmReelError("the folder \(folder) cannot be read: \(String(cString: strerror(errno)))")
        }
        if foundFilms.isEmpty { throw FilmReelError("the folder \(folder) has no films and no pictures") }
        films = foundFilms.sorted { $0.path < $1.path }
    }

    /// Returns the absolute path of a folder without symbolic links; nil if the path cannot be resolved.
    private static func resolvedPath(_ folder: String) -> String? {
        guard let path = realpath(folder, nil) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }

    /// Adds the films and pictures of a folder and its subfolders to `films`.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - visited: The folders that were read before. They are not read again, so that symbolic links in a loop list
    ///     each film once.
    ///   - films: The films and pictures.
    /// - Returns: Whether the folder can be read.
    private static func read(_ folder: String, visited: inout Set<FolderIdentity>, into films: inout [Film]) -> Bool {
        guard let directory = opendir(folder) else { return false }
        defer { closedir(directory) }
        var folderStatus = stat()
        guard fstat(dirfd(directory), &folderStatus) == 0 else { return false }
        let identity = FolderIdentity(device: UInt64(folderStatus.st_dev), inode: UInt64(folderStatus.st_ino))
        guard visited.insert(identity).inserted else { return true }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
                    String(cString: $0)
                }
            }
            if name.hasPrefix(".") { continue }
            let path = folder + "/" + name
            var status = stat()
            // `stat` follows symbolic links. Ignore a file that was removed in the meantime.
            guard stat(path, &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: _ = read(path, visited: &visited, into: &films)
            case S_IFREG:
                if let film = film(at: path, name: name, status) { films.append(film) }
            default: break
            }
        }
        return true
    }

    /// Returns the film or picture of a file; nil if the file is neither.
    private static func film(at path: String, name: String, _ status: stat) -> Film? {
        guard let dot = name.lastIndex(of: ".") else { return nil }
        let suffix = name[name.index(after: dot)...].lowercased(), isPicture = pictureExtensions.contains(suffix)
        guard isPicture || filmExtensions.contains(suffix) else { return nil }
        let modified = status.st_mtim
        let version = "\(modified.tv_sec).\(modified.tv_nsec) \(status.st_size)"
        return Film(path: path, version: version, isPicture: isPicture)
    }
}
