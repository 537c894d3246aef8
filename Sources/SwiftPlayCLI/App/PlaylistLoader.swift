import MediaPipeline
import SystemCalls

/// Loads the entries of a playlist file or of a folder on another thread.
final class PlaylistLoader: Sendable {
    /// The result of loading.
    enum Result: Sendable, Equatable {
        /// The entries, and the warnings about skipped ones.
        case entries([Playlist.Entry], warnings: [String])
        /// The location is neither a playlist nor a folder.
        case notPlaylist
        /// The playlist or folder cannot be used, for the given reason.
        case failure(String)
    }

    /// The maximum number of playlists that contain one another.
    static let depthLimit = 8

    private let reader: LocationReader

    /// Starts to load.
    ///
    /// - Parameters:
    ///   - entry: The entry whose location may be a playlist or a folder.
    ///   - policy: The settings for network addresses.
    ///   - completionHandler: Receives the result, on another thread. Not called after ``cancel()`` if the file system
    ///     does not respond.
    /// - Throws: ``SystemCallError`` if no thread or descriptor is available.
    init(
        _ entry: Playlist.Entry, policy: OpenPolicy, completionHandler: @escaping @Sendable (Result) -> Void
    ) throws(SystemCallError) {
        // Read one byte more than the limit of a playlist, so that the parser reports the excess.
        let limit = PlaylistFile.Limits().bytes + LocationReader.startByteCount
        reader = try LocationReader(
            location: entry.location, policy: policy, limit: limit,
            isWanted: { entry.isPlaylist || PlaylistFile.isPlaylist(start: $0, location: entry.location) },
            completionHandler: { completionHandler(Self.result(of: $0, entry)) })
    }

    /// Requests that loading ends. Does not wait; idempotent.
    func cancel() { reader.interrupt() }

    /// Returns the entries for the content that was read.
    static func result(
        of reading: Swift.Result<LocationReader.Content?, MediaError>, _ entry: Playlist.Entry
    ) -> Result {
        switch reading {
        case .failure(let error) where error.code == .isDirectory: return folderResult(entry)
        case .failure(let error): return .failure(error.message)
        case .success(nil): return .notPlaylist
        case .success(let content?):
            do throws(PlaylistFileError) {
                let file = try PlaylistFile(
                    bytes: content.bytes, base: content.location, acceptsPlainLines: entry.isPlaylist ? true : nil)
                return playlistResult(file, entry, content.location)
            } catch {
                switch error {
                // A stream is played like any other file.
                case .stream where entry.isPlaylist:
                    var stream = entry
                    stream.isPlaylist = false
                    return .entries([stream], warnings: [])
                case .stream: return .notPlaylist
                case .unknownFormat: return entry.isPlaylist ? .failure(error.description) : .notPlaylist
                case .tooLarge: return .failure(error.description)
                }
            }
        }
    }

    /// Returns the entries of a parsed playlist file, or the reason why the playlist is refused.
    private static func playlistResult(_ file: PlaylistFile, _ entry: Playlist.Entry, _ location: String) -> Result {
        let enclosingPlaylists = entry.origin?.enclosingPlaylists ?? [], identity = identity(of: location)
        guard !enclosingPlaylists.contains(identity) else { return .failure("the playlist contains itself") }
        guard enclosingPlaylists.count < depthLimit else {
            return .failure("playlists are nested more than \(depthLimit) deep")
        }
        let entries = file.entries.map { fileEntry in
            Playlist.Entry(
                location: existingLocation(fileEntry.location), title: fileEntry.title,
                origin: Playlist.Origin(
                    location: entry.location, line: fileEntry.line, enclosingPlaylists: enclosingPlaylists + [identity])
            )
        }
        guard entries.isEmpty else { return .entries(entries, warnings: file.warnings) }
        return .failure(
            file.warnings.first.map { "the playlist has no usable entry: \($0)" } ?? "the playlist is empty")
    }

    /// Returns the media files of a folder as entries.
    private static func folderResult(_ entry: Playlist.Entry) -> Result {
        let limit = PlaylistFile.Limits().entries
        let location = try? OpenPolicy().locate(entry.location)
        // A folder with a downloaded stream is played like a file.
        if case .file(let folder)? = location, PackageFolder.playlist(of: folder) != nil { return .notPlaylist }
        guard case .file(let folder)? = location, let files = MediaFolder.files(in: folder, limit: limit)
        else { return .failure("the folder cannot be read") }
        guard !files.isEmpty else { return .failure("the folder contains no media files") }
        let enclosingPlaylists = entry.origin?.enclosingPlaylists ?? []
        let entries = files.map {
            Playlist.Entry(
                location: MediaLocation.location(of: $0),
                origin: Playlist.Origin(
                    location: entry.location, line: nil, enclosingPlaylists: enclosingPlaylists))
        }
        let warnings = files.count < limit ? [] : ["only the first \(limit) files are used"]
        return .entries(entries, warnings: warnings)
    }

    /// Returns a text that is the same for all locations of one file.
    static func identity(of location: String) -> String {
        guard case .file(let path)? = try? OpenPolicy().locate(location) else { return location }
        return MediaLocation.location(of: path.resolved ?? path)
    }

    /// Returns the location of the file that an entry in Latin-1 denotes. The file's own name may be in Latin-1 or, on
    /// most systems, in UTF-8.
    private static func existingLocation(_ location: String) -> String {
        guard case .file(let path)? = try? OpenPolicy().locate(location), path.text == nil, path.resolved == nil else {
            return location
        }
        let text = String(String.UnicodeScalarView(path.bytes.map { Unicode.Scalar($0) }))
        guard let path = FilePath(text), path.resolved != nil else { return location }
        return MediaLocation.location(of: path)
    }
}
