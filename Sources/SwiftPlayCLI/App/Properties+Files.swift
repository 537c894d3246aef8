import Glibc
import MediaPipeline
import SwiftPlayKit

/// The properties of the current file and of the playlist.
extension PlayerProperty {
    static let files: [PlayerProperty] = currentFile + tags + playlist

    private static let currentFile: [PlayerProperty] = [
        PlayerProperty("path", .text) { location($0) },
        PlayerProperty("stream-path", .text) { location($0) },
        PlayerProperty("stream-open-filename", .text) { location($0) },
        PlayerProperty("filename", .text) {
            .text($0.item?.displayedName)
        } readPart: { context, path throws(IPCError) in
            guard path.elementsEqual(["no-ext"]) else { throw .propertyNotFound }
            guard let name = context.item?.displayedName else { throw .propertyUnavailable }
            // As in mpv, a dot at the beginning does not begin an extension.
            guard let dotIndex = name.lastIndex(of: "."), dotIndex > name.startIndex else { return .string(name) }
            return .string(String(name[..<dotIndex]))
        },
        PlayerProperty("media-title", .text) { context in
            .text(context.item?.title ?? context.item?.displayedName)
        },
        PlayerProperty("file-size", .bytes) { .integer($0.item.flatMap { fileSize($0.location) }) },
        PlayerProperty("stream-end", .bytes) { .integer($0.item.flatMap { fileSize($0.location) }) },
        PlayerProperty("file-format", .text) { .text($0.openItem?.containerInfo?.container) },
        PlayerProperty("current-demuxer", .text) { $0.openItem == nil ? nil : "lavf" },
        PlayerProperty("demuxer-via-network", .flag) { $0.openItem?.bufferingState.map { .bool($0.isRemote) } },
        PlayerProperty("demuxer-start-time", .time) { $0.openItem == nil ? nil : 0.0 },
    ]

    /// Returns the path or address of the current item; nil without an item.
    private static func location(_ context: PropertyContext) -> JSONValue? {
        .text(context.item.map { MediaLocation.exported($0.location) })
    }

    /// Returns the size of a regular file in bytes; nil for any other file and for addresses.
    private static func fileSize(_ location: String) -> Int? {
        guard case .file(let path)? = try? OpenPolicy().locate(location) else { return nil }
        var status = stat()
        guard path.withCString({ stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    private static let tags: [PlayerProperty] = [
        tagList("metadata") { _ in true },
        // The tags that mpv shows when a file begins.
        tagList("filtered-metadata") { shownTags.contains($0.lowercased()) },
    ]

    /// The keys of the tags in `filtered-metadata`: the default of mpv's option `--display-tags`.
    private static let shownTags: Set<String> = [
        "artist", "album", "album_artist", "comment", "composer", "date", "description", "genre", "performer",
        "rating", "series", "title", "track", "icy-title", "service_name", "uploader", "channel_url",
    ]

    /// Returns the property for the tags of the file whose keys meet a condition.
    private static func tagList(_ name: String, where isIncluded: @escaping @Sendable (String) -> Bool)
        -> PlayerProperty
    {
        let tags: @Sendable (PropertyContext) -> [(key: String, value: String)]? = { context in
            context.openItem?.metadata.compactMap { tag in
                tag.stringValue.flatMap { isIncluded(tag.key) ? (tag.key, $0) : nil }
            }
        }
        return PlayerProperty(name, .object) { context in
            tags(context).flatMap { try? PropertyPath.tagValue(at: [], in: $0) }
        } readPart: { context, path throws(IPCError) in
            guard let tags = tags(context) else { throw .propertyUnavailable }
            return try PropertyPath.tagValue(at: path, in: tags)
        }
    }

    private static let playlist: [PlayerProperty] = [
        PlayerProperty("playlist", .list) {
            .array(playlistEntries($0))
        } readPart: { context, path throws(IPCError) in
            do throws(IPCError) {
                return try PropertyPath.value(at: path, in: .array(playlistEntries(context)))
            } catch {
                // Only the current entry has the members `current` and `playing`.
                let last = path.last
                throw path.count == 2 && (last == "current" || last == "playing") ? .propertyUnavailable : error
            }
        },
        PlayerProperty("playlist-count", .integer()) { .integer($0.state.entries.count) },
        playlistPosition("playlist-pos", firstNumber: 0), playlistPosition("playlist-pos-1", firstNumber: 1),
        PlayerProperty("playlist-current-pos", .integer()) { .integer($0.state.playlistPosition) },
        PlayerProperty("playlist-playing-pos", .integer()) {
            .integer($0.item == nil ? -1 : $0.state.playlistPosition)
        },
        PlayerProperty("shuffle", .flag, isOption: true) {
            .bool($0.state.isShuffled)
        } write: { context, value throws(IPCError) in
            let isShuffled = try value.propertyFlag()
            context.target.runOnMainQueue { $0.setIsShuffled(isShuffled) }
        },
    ]

    /// Returns the objects in the value of `playlist`.
    private static func playlistEntries(_ context: PropertyContext) -> [JSONValue] {
        let state = context.state
        return state.entries.enumerated().map { index, entry in
            var object: [String: JSONValue] = [
                "filename": .string(MediaLocation.exported(entry.location)), "id": .int(Int64(index + 1)),
            ]
            if let title = entry.title { object["title"] = .string(title) }
            if index == state.playlistPosition { (object["current"], object["playing"]) = (true, true) }
            return .object(object)
        }
    }

    /// Returns the property for the position in the playlist, counted from `firstNumber`.
    private static func playlistPosition(_ name: String, firstNumber: Int) -> PlayerProperty {
        PlayerProperty(name, .integer()) {
            .integer($0.state.playlistPosition + firstNumber)
        } write: { context, value throws(IPCError) in
            let index = Int(try value.propertyNumber(in: 0...1e6)) - firstNumber
            guard context.state.entries.indices.contains(index) else { throw .propertyFormat }
            context.target.runOnMainQueue { app in if app.playlist.go(to: index) { app.playCurrentFile() } }
        }
    }
}
