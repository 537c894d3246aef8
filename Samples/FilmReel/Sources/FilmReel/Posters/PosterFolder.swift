import Foundation

/// The folder that contains the stores of the posters.
struct PosterFolder {
    /// The path of the store for a size of posters.
    let storePath: String
    /// The largest size of a store: 3,971 posters of 300x450 pixels.
    static let byteLimit = 2 << 30

    /// Creates the folder if it does not exist.
    ///
    /// - Parameters:
    ///   - folder: The folder; nil for the user's cache folder.
    ///   - tile: The size of the posters.
    /// - Throws: The error of the file system.
    init(_ folder: String?, tile: PixelSize) throws {
        let folder = folder ?? Self.defaultFolder(environment: ProcessInfo.processInfo.environment)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        storePath = folder + "/posters-\(tile.width)x\(tile.height)"
    }

    /// Returns the folder `film-reel` in the user's cache folder.
    ///
    /// - Parameter environment: The environment variables. `XDG_CACHE_HOME` is ignored unless its path is absolute, as
    ///   the XDG Base Directory Specification requires.
    static func defaultFolder(environment: [String: String]) -> String {
        let caches = environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (caches ?? NSHomeDirectory() + "/.cache") + "/film-reel"
    }

    /// Removes the store's file, if it exists.
    func removeStore() throws {
        if FileManager.default.fileExists(atPath: storePath) { try FileManager.default.removeItem(atPath: storePath) }
    }
}
