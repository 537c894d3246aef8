import Glibc
import MediaPipeline

extension Playlist {
    /// One entry of a playlist.
    struct Entry: Sendable, Equatable {
        /// The path or address.
        var location: String
        /// The title that a playlist file states; nil if there is none.
        var title: String?
        /// Whether the location is a playlist whose entries replace this entry. If false, the program still replaces
        /// an entry that turns out to be a playlist or a folder.
        var isPlaylist = false
        /// The playlist file or the folder that contains the entry; nil for an entry from the user.
        var origin: Origin?

        /// The path or address as text for people, with its place in a playlist file: `a.mp4 (line 3 of list.m3u)`.
        var description: String {
            let name = MediaLocation.displayed(location)
            guard let origin, let line = origin.line else { return name }
            return "\(name) (line \(line) of \(MediaLocation.displayed(origin.location)))"
        }
    }

    /// The place of an entry in a playlist file.
    struct Origin: Sendable, Equatable {
        /// The location of the playlist file or folder.
        var location: String
        /// The number of the entry's line, from 1; nil for a file in a folder.
        var line: Int?
        /// The playlist file and the playlists that contain it, outermost first, each as
        /// ``PlaylistLoader/identity(of:)`` returns it.
        var enclosingPlaylists: [String]
    }
}

extension Playlist.Entry {
    /// Whether the location is an address, a regular file or a folder.
    var canBeRead: Bool {
        guard case .file(let path)? = try? OpenPolicy().locate(location) else { return true }
        var status = stat()
        guard path.withCString({ stat($0, &status) }) == 0 else { return false }
        return [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }
}
