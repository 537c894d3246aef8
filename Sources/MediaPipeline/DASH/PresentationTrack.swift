import StreamPlaylists

/// One quality of a track of a DASH presentation, with the rule that finds the same track in other periods. A pure
/// value.
struct PresentationTrack: Sendable, Equatable {
    /// The adaptation set in the period from which the track was chosen.
    let set: AdaptationSet
    /// The representation in the period from which the track was chosen.
    let representation: Representation

    /// Returns the track's representation in a period: the same representation if it exists there, otherwise the
    /// closest in bit rate from the most similar adaptation set; nil if the period has no such set.
    func representation(in period: PresentationPeriod) -> Representation? {
        let sets = period.sets.filter { $0.kind == set.kind }
        let matchingSet =
            sets.first { $0.id != nil && $0.id == set.id && $0.language == set.language }
            ?? sets.first { $0.continues(set) } ?? sets.first { $0.language == set.language }
        // Subtitles in another language do not help the user, but other audio is better than silence.
        guard let chosenSet = matchingSet ?? (set.kind == .text ? nil : sets.first) else { return nil }
        let candidates =
            set.kind == .video ? chosenSet.ladder(in: period).flatMap(\.representations) : chosenSet.representations
        let exactMatch = candidates.first { $0.id == representation.id && $0.codecFamily == representation.codecFamily }
        return exactMatch ?? candidates.min { dissimilarity(to: $0) < dissimilarity(to: $1) }
    }

    /// Returns the difference in bit rate between the chosen representation and `other`, plus a large number if the
    /// codecs differ.
    private func dissimilarity(to other: Representation) -> Int {
        let isOtherCodec = other.codecFamily != representation.codecFamily
        return (isOtherCodec ? Int.max / 2 : 0) + abs(other.bandwidth - representation.bandwidth)
    }
}

extension AdaptationSet {
    /// Returns the bit rate ladder of this set: the adaptation sets of a period between which a player may switch.
    /// The ladder has this set, the sets that the author declares switchable, and the sets of the same codec, roles and
    /// language.
    func ladder(in period: PresentationPeriod) -> [AdaptationSet] {
        let family = representations.first?.codecFamily
        return period.sets.filter { other in
            guard other.kind == kind else { return false }
            if other == self { return true }
            if let id = other.id, switchableSets.contains(id) { return true }
            return other.representations.first?.codecFamily == family && other.roles == roles
                && other.language == language
        }
    }

    /// The representations whose codecs FFmpeg can decode.
    var decodableRepresentations: [Representation] {
        representations.filter { $0.codecs.map(CodecString.init).allSatisfy(\.isDecodable) }
    }
}

/// The tracks of a DASH presentation as the variants and renditions of a multivariant playlist. A pure value.
struct PresentationTracks: Sendable, Equatable {
    /// The multivariant playlist. Its addresses are the manifest's address with fragments that name the tracks.
    let playlist: MultivariantPlaylist
    /// The tracks, by the fragments of their addresses in ``playlist``.
    let tracks: [String: PresentationTrack]

    /// The identifier of the group of all audio renditions, and of the group of all subtitle renditions.
    private static let groupID = "dash"
    /// The highest bit rate, in bits per second, of the audio that is played with video, unless all audio
    /// has a higher one.
    private static let audioBandwidthLimit = 256_000

    /// Lists the tracks of one period: the last period if the presentation is live, otherwise the period with the most
    /// video representations. In the other periods, the most similar tracks continue these tracks.
    ///
    /// - Parameter address: The address of the manifest, after all redirects.
    /// - Throws: `noMedia` or the manifest's first warning if there is nothing to play; `address` if the address is
    ///   invalid.
    init(_ presentation: MediaPresentation, address: String) throws(ManifestError) {
        var builder = Builder()
        let periods = presentation.periods.filter { !$0.sets.isEmpty }
        let candidates = presentation.isLive ? periods.suffix(1) : periods[...]
        let richestPeriod = candidates.max {
            Self.videoRepresentationCount(in: $0) < Self.videoRepresentationCount(in: $1)
        }
        guard let period = richestPeriod else { throw ManifestError(.noMedia) }
        let video = Self.mainSet(of: .video, in: period)?.ladder(in: period) ?? []
        let audio = period.sets.filter { $0.kind == .audio }
        let ladder = video.isEmpty ? [Self.mainSet(of: .audio, in: period)].compactMap { $0 } : video
        do throws(PlaylistError) {
            builder.base = try PlaylistBase(address, limit: PlaylistLimits().addressBytes)
            let lowestBandwidth = ladder.flatMap(\.representations).map(\.bandwidth).min() ?? 0
            let limit = min(max(lowestBandwidth, 1), Self.audioBandwidthLimit)
            let audioTracks =
                video.isEmpty
                ? []
                : audio.compactMap { set in
                    Self.bestAudio(set, limit: limit).map { PresentationTrack(set: set, representation: $0) }
                }
            let defaultAudio = audioTracks.first(where: { $0.set.isMain }) ?? audioTracks.first
            for track in audioTracks { try builder.add(track, .audio, isDefault: track == defaultAudio) }
            for set in period.sets where set.kind == .text {
                guard let firstRepresentation = set.representations.first else { continue }
                try builder.add(
                    PresentationTrack(set: set, representation: firstRepresentation), .subtitles, isDefault: false)
            }
            for set in ladder {
                for representation in set.representations {
                    try builder.add(PresentationTrack(set: set, representation: representation), audio: defaultAudio)
                }
            }
        } catch { throw ManifestError(.address(error.reason)) }
        guard !builder.variants.isEmpty else { throw presentation.warnings.first ?? ManifestError(.noMedia) }
        playlist = MultivariantPlaylist(variants: builder.variants, renditions: builder.renditions)
        tracks = builder.tracks
    }

    /// Returns the number of video representations of a period; 0 without video.
    private static func videoRepresentationCount(in period: PresentationPeriod) -> Int {
        mainSet(of: .video, in: period)?.ladder(in: period).reduce(0) { $0 + $1.representations.count } ?? 0
    }

    /// Returns the adaptation set that is played: a set that the author marked as main, otherwise a set without a role,
    /// otherwise the first set. Considers only sets that can be decoded, if there are any.
    private static func mainSet(of kind: AdaptationSet.Kind, in period: PresentationPeriod) -> AdaptationSet? {
        let setsOfKind = period.sets.filter { $0.kind == kind }
        let sets = setsOfKind.filter { !$0.decodableRepresentations.isEmpty }
        return sets.first { $0.isMain } ?? sets.first { $0.roles.isEmpty } ?? sets.first ?? setsOfKind.first
    }

    /// Returns the representation of an audio set that is played with video: the best one up to `limit` bits per
    /// second, or the lowest.
    private static func bestAudio(_ set: AdaptationSet, limit: Int) -> Representation? {
        let candidates = set.decodableRepresentations.isEmpty ? set.representations : set.decodableRepresentations
        let sortedRepresentations = candidates.sorted { $0.bandwidth < $1.bandwidth }
        return sortedRepresentations.last { $0.bandwidth <= limit } ?? sortedRepresentations.first
    }

    /// Collects the variants and renditions of the multivariant playlist.
    private struct Builder {
        var base: PlaylistBase?
        var variants: [VariantStream] = []
        var renditions: [Rendition] = []
        var tracks: [String: PresentationTrack] = [:]

        /// Stores a track and returns the address by which the playlist names it.
        private mutating func address(_ track: PresentationTrack) throws(PlaylistError) -> PlaylistAddress {
            guard let base else { throw PlaylistError(.invalidAddress("")) }
            let limit = PlaylistLimits().streams
            guard tracks.count < limit else { throw PlaylistError(.tooManyStreams(limit: limit)) }
            let fragment = "track-\(tracks.count)"
            tracks[fragment] = track
            return try PlaylistAddress("#\(fragment)".utf8, in: base, line: track.representation.line)
        }

        /// Adds an audio or subtitle track as a rendition.
        mutating func add(
            _ track: PresentationTrack, _ kind: Rendition.Kind, isDefault: Bool
        ) throws(PlaylistError) {
            renditions.append(
                Rendition(track, kind, group: groupID, address: try address(track), isDefault: isDefault))
        }

        /// Adds a track as a variant, with the audio that is played with it.
        mutating func add(_ track: PresentationTrack, audio: PresentationTrack?) throws(PlaylistError) {
            let hasText = renditions.contains { $0.kind == .subtitles }
            let groups = RenditionGroups(audio: audio == nil ? nil : groupID, subtitles: hasText ? groupID : nil)
            variants.append(
                VariantStream(track.representation, audio?.representation, address: try address(track), groups: groups))
        }
    }
}

extension VariantStream {
    /// Describes a representation, and the audio that is played with it, as a variant.
    init(
        _ representation: Representation, _ audio: Representation?, address: PlaylistAddress, groups: RenditionGroups
    ) {
        self.init(
            address: address, bandwidth: representation.bandwidth + (audio?.bandwidth ?? 0),
            codecs: representation.codecs + (audio?.codecs ?? []), video: representation.video, groups: groups,
            line: representation.line)
    }
}

extension Rendition {
    /// Describes an audio or subtitle track of a DASH presentation as a rendition.
    init(_ track: PresentationTrack, _ kind: Kind, group: String, address: PlaylistAddress, isDefault: Bool) {
        let set = track.set, roles = set.roles
        let role = roles.subtracting(["main", "alternate"]).min()
        let nameParts = [set.language, role].compactMap { $0 }
        let name = set.label ?? (nameParts.isEmpty ? track.representation.id : nameParts.joined(separator: " "))
        var flags: Flags = isDefault ? [.isDefault, .isAutoselect] : [.isAutoselect]
        if kind == .subtitles, !roles.isDisjoint(with: ["forced-subtitle", "forced_subtitle"]) {
            flags.insert(.isForced)
        }
        var characteristics: [String] = []
        if set.describesVideo { characteristics.append("public.accessibility.describes-video") }
        if roles.contains("caption") { characteristics.append("public.accessibility.transcribes-spoken-dialog") }
        self.init(
            kind, group: group, name: name, address: address, language: set.language, flags: flags,
            characteristics: characteristics, channels: track.representation.channels.map { String($0) },
            line: track.representation.line)
    }
}
