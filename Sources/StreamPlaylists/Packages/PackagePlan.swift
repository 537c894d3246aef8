/// What follows from one playlist of a stream that is downloaded: the playlist of the local copy, and the resources to
/// which it refers. A pure value.
///
/// All names are made from numbers; no part of a name comes from the server.
package struct PackagePlan: Sendable, Equatable {
    /// A resource of the server.
    package struct Resource: Sendable, Equatable {
        /// The use of a resource.
        package enum Kind: UInt8, Sendable, CaseIterable {
            /// A playlist of segments, which needs a plan of its own.
            case playlist = 1
            /// A key, an initialization section, or a segment.
            case media
        }

        /// The use of the resource.
        package var kind: Kind
        /// The absolute address.
        package var address: String
        /// The name of the local copy.
        package var name: String
        /// The start of the first segment in the resource, in nanoseconds from the start of the stream.
        package var start: Int64
        /// The duration of the segments in the resource, in nanoseconds. Only the resources of the main playlist have a
        /// duration.
        package var duration: Int64

        package init(kind: Kind, address: String, name: String, start: Int64 = 0, duration: Int64 = 0) {
            (self.kind, self.address, self.name) = (kind, address, name)
            (self.start, self.duration) = (start, duration)
        }
    }

    /// The limits of a plan, which bound the memory and the disk space that a hostile server can cost.
    package struct Limits: Sendable, Equatable {
        /// The limits of the playlist. One address fits into a message between the processes.
        package var playlist = PlaylistLimits()
        /// The maximum number of resources of one playlist.
        package var resources = 20_000
        /// The maximum length of all addresses together, in bytes.
        package var addressBytes = 16 << 20

        package init() {
            playlist.segments = 50_000
            playlist.addressBytes = 8 << 10
        }
    }

    /// The text of the local playlist.
    package private(set) var text: String
    /// The resources, in the order in which the playlist refers to them.
    package private(set) var resources: [Resource] = []
    /// The names of the resources by their addresses.
    private var names: [String: String] = [:]
    /// The indices in ``resources`` by the addresses.
    private var indices: [String: Int] = [:]
    /// The length of all addresses.
    private var addressBytes = 0
    private let limits: Limits

    /// Plans the download of a stream whose address a user or a program has chosen.
    ///
    /// - Parameters:
    ///   - address: The address from which the playlist came, after all redirects.
    ///   - preferences: The parts of the stream.
    /// - Throws: ``PackageError``.
    package init(
        streamAt address: String, _ bytes: [UInt8], _ preferences: PackagePreferences, limits: Limits = Limits()
    ) throws(PackageError) {
        switch try Self.parse(bytes, address, limits) {
        case .multivariant(let playlist):
            self.init(limits)
            try add(playlist, PackageSelection(playlist, preferences))
        case .media(let playlist):
            self.init(limits)
            try add(playlist, prefix: "media", isMain: true)
        }
    }

    /// Plans the download of the segments of one playlist of a stream.
    ///
    /// - Parameters:
    ///   - address: The address from which the playlist came, after all redirects.
    ///   - prefix: The start of the names of the resources.
    ///   - isMain: Whether the segments count for the progress. Of several playlists that are played together, one is.
    package init(
        segmentsAt address: String, _ bytes: [UInt8], prefix: String, isMain: Bool, limits: Limits = Limits()
    ) throws(PackageError) {
        guard case .media(let playlist) = try Self.parse(bytes, address, limits) else { throw .nested }
        self.init(limits)
        try add(playlist, prefix: prefix, isMain: isMain)
    }

    private init(_ limits: Limits) { (self.limits, text) = (limits, "") }

    private static func parse(
        _ bytes: [UInt8], _ address: String, _ limits: Limits
    ) throws(PackageError) -> HLSPlaylist {
        do throws(PlaylistError) {
            return try HLSPlaylist(bytes, address: address, limits: limits.playlist)
        } catch { throw .playlist(error) }
    }

    /// Adds the playlists of a selection, and creates the local playlist.
    private mutating func add(
        _ playlist: MultivariantPlaylist, _ selection: PackageSelection
    ) throws(PackageError) {
        let main = try add(.playlist, selection.variant.address, name: "video.m3u8")
        var writer = MasterPlaylistWriter(selection.variant, isIndependent: playlist.isIndependent)
        for (kind, renditions) in [("audio", selection.audio), ("subtitles", selection.subtitles)] {
            for (index, rendition) in renditions.enumerated() {
                var name: String?
                if let address = rendition.address {
                    name = try add(.playlist, address, name: "\(kind)-\(index + 1).m3u8")
                }
                writer.add(rendition, name: name, isDefault: index == 0 && kind == "audio")
            }
        }
        text = writer.text(variantName: main)
    }

    /// Adds the segments of a playlist, and creates the local playlist.
    private mutating func add(_ playlist: MediaPlaylist, prefix: String, isMain: Bool) throws(PackageError) {
        guard playlist.isComplete else { throw .live }
        guard playlist.segments.contains(where: { !$0.isGap }) else { throw .empty }
        var writer = MediaPlaylistWriter(playlist)
        var start: Int64 = 0
        for (number, segment) in playlist.segments.enumerated() {
            var parts = MediaPlaylistWriter.Parts()
            for key in [segment.initialization?.key, segment.key].compactMap({ $0 }) where !segment.isGap {
                guard let address = key.address else { throw .protected }
                parts.keys[key] = try add(.media, address, name: "\(prefix)-key-\(resources.count).key", start: start)
            }
            if let section = segment.initialization, !segment.isGap {
                let name = "\(prefix)-init-\(number)\(Self.suffix(of: section.address, fallback: ".mp4"))"
                parts.initialization = try add(.media, section.address, name: name, start: start)
            }
            if !segment.isGap {
                let name = "\(prefix)-\(number)\(Self.suffix(of: segment.address, fallback: ".ts"))"
                parts.segment = try add(.media, segment.address, name: name, start: start)
                if isMain, let index = indices[segment.address.url] { resources[index].duration += segment.duration }
            }
            writer.add(segment, parts)
            start += segment.duration
        }
        text = writer.text
    }

    /// Adds a resource, unless it was added before, and returns its name.
    private mutating func add(
        _ kind: Resource.Kind, _ address: PlaylistAddress, name: String, start: Int64 = 0
    ) throws(PackageError) -> String {
        let url = address.url
        if let known = names[url] { return known }
        guard !url.utf8.starts(with: "data:".utf8) else { throw .embeddedData }
        guard resources.count < limits.resources else { throw .tooManyResources(limit: limits.resources) }
        addressBytes += url.utf8.count
        guard addressBytes <= limits.addressBytes else { throw .addressesTooLong(limit: limits.addressBytes) }
        names[url] = name
        indices[url] = resources.count
        resources.append(Resource(kind: kind, address: url, name: name, start: start))
        return name
    }

    /// The suffixes that a local name keeps. Players choose the format of a segment by its content.
    private static let suffixes: Set = [
        ".ts", ".m4s", ".mp4", ".m4v", ".m4a", ".aac", ".ac3", ".ec3", ".mp3", ".vtt", ".cmfv", ".cmfa", ".cmft",
    ]

    /// Returns the suffix of a name: that of the address, if it is a known one.
    private static func suffix(of address: PlaylistAddress, fallback: String) -> String {
        let path = URIReference(address.referenceText).path
        guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return fallback }
        let suffix = path[dot...].lowercased()
        return suffixes.contains(suffix) ? suffix : suffix == ".webvtt" ? ".vtt" : fallback
    }
}
