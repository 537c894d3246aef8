/// A track of a presentation in one quality, which is recognised in every period. A pure value.
struct PresentationTrack: Sendable, Equatable {
    /// The adaptation set in the period from which the track was chosen.
    let set: AdaptationSet
    /// The representation in that period.
    let representation: Representation

    /// Returns the representation of the track in a period: the same one if the period has it, otherwise the one of
    /// the most similar set whose bit rate is the closest; nil if the period has no such track.
    func representation(in period: PresentationPeriod) -> Representation? {
        let sets = period.sets.filter { $0.kind == set.kind }
        let same =
            sets.first { $0.id != nil && $0.id == set.id && $0.language == set.language }
            ?? sets.first { $0.continues(set) } ?? sets.first { $0.language == set.language }
        // Other subtitles than the chosen ones are of no use; another sound is better than silence.
        guard let found = same ?? (set.kind == .text ? nil : sets.first) else { return nil }
        let candidates =
            set.kind == .video ? found.ladder(in: period).flatMap(\.representations) : found.representations
        let exact = candidates.first { $0.id == representation.id && $0.codecFamily == representation.codecFamily }
        return exact ?? candidates.min { distance($0) < distance($1) }
    }

    private func distance(_ other: Representation) -> Int {
        let isOtherCodec = other.codecFamily != representation.codecFamily
        return (isOtherCodec ? Int.max / 2 : 0) + abs(other.bandwidth - representation.bandwidth)
    }
}

extension AdaptationSet {
    /// Returns the sets of a period between whose representations a player may switch: this one, those that the author
    /// declares, and those of the same codec and the same roles.
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

    /// The representations that FFmpeg can decode.
    var decodable: [Representation] {
        representations.filter { $0.codecs.map(SampleFormat.init).allSatisfy(\.isDecodable) }
    }
}

/// The tracks of a presentation as variants and renditions of a playlist. A pure value.
struct PresentationTracks: Sendable, Equatable {
    /// The playlist. Its addresses are those of the manifest, with fragments that name the tracks.
    let playlist: MultivariantPlaylist
    /// The tracks by these fragments.
    let tracks: [String: PresentationTrack]

    /// The group of all audio renditions, and of all subtitles.
    private static let group = "dash"
    /// The highest bit rate of audio that is chosen if there is a lower one.
    private static let audioBandwidthLimit = 256_000

    /// Lists the tracks of the period that has the most qualities; the other periods follow it.
    ///
    /// - Parameter address: The address of the manifest.
    /// - Throws: `noMedia`, or an error of the address.
    init(_ presentation: MediaPresentation, address: String) throws(ManifestError) {
        var builder = Builder()
        let periods = presentation.periods.filter { !$0.sets.isEmpty }
        let candidates = presentation.isLive ? periods.suffix(1) : periods[...]
        let best = candidates.max { Self.videoRepresentationCount(in: $0) < Self.videoRepresentationCount(in: $1) }
        guard let period = best else { throw ManifestError(.noMedia) }
        let video = Self.main(of: .video, in: period)?.ladder(in: period) ?? []
        let audio = period.sets.filter { $0.kind == .audio }
        let ladder = video.isEmpty ? [Self.main(of: .audio, in: period)].compactMap { $0 } : video
        do throws(PlaylistError) {
            builder.base = try PlaylistBase(address, limit: PlaylistLimits().addressBytes)
            let lowest = ladder.flatMap(\.representations).map(\.bandwidth).min() ?? 0
            let limit = min(max(lowest, 1), Self.audioBandwidthLimit)
            let sound =
                video.isEmpty
                ? []
                : audio.compactMap { set in
                    Self.best(set, limit).map { PresentationTrack(set: set, representation: $0) }
                }
            let usual = sound.first(where: { $0.set.isMain }) ?? sound.first
            for track in sound { try builder.add(track, .audio, isDefault: track == usual) }
            for set in period.sets where set.kind == .text {
                guard let first = set.representations.first else { continue }
                try builder.add(PresentationTrack(set: set, representation: first), .subtitles, isDefault: false)
            }
            for set in ladder {
                for representation in set.representations {
                    try builder.add(PresentationTrack(set: set, representation: representation), sound: usual)
                }
            }
        } catch { throw ManifestError(.address(error.reason)) }
        guard !builder.variants.isEmpty else { throw presentation.warnings.first ?? ManifestError(.noMedia) }
        playlist = MultivariantPlaylist(variants: builder.variants, renditions: builder.renditions)
        tracks = builder.tracks
    }

    /// Returns the number of video representations of a period; 0 without video.
    private static func videoRepresentationCount(in period: PresentationPeriod) -> Int {
        main(of: .video, in: period)?.ladder(in: period).reduce(0) { $0 + $1.representations.count } ?? 0
    }

    /// Returns the set that is played: among those that can be decoded, the one that the author marked, or the first.
    private static func main(of kind: AdaptationSet.Kind, in period: PresentationPeriod) -> AdaptationSet? {
        let all = period.sets.filter { $0.kind == kind }
        let sets = all.filter { !$0.decodable.isEmpty }
        return sets.first { $0.isMain } ?? sets.first { $0.roles.isEmpty } ?? sets.first ?? all.first
    }

    /// Returns the quality of a set that is played beside video: the best one up to a bit rate, or the lowest.
    private static func best(_ set: AdaptationSet, _ limit: Int) -> Representation? {
        let usable = set.decodable.isEmpty ? set.representations : set.decodable
        let sorted = usable.sorted { $0.bandwidth < $1.bandwidth }
        return sorted.last { $0.bandwidth <= limit } ?? sorted.first
    }

    /// Collects variants and renditions.
    private struct Builder {
        var base: PlaylistBase?
        var variants: [VariantStream] = []
        var renditions: [Rendition] = []
        var tracks: [String: PresentationTrack] = [:]

        private mutating func address(_ track: PresentationTrack) throws(PlaylistError) -> PlaylistAddress {
            guard let base else { throw PlaylistError(.invalidAddress("")) }
            let limit = PlaylistLimits().streams
            guard tracks.count < limit else { throw PlaylistError(.tooManyStreams(limit: limit)) }
            let fragment = "track-\(tracks.count)"
            tracks[fragment] = track
            return try PlaylistAddress("#\(fragment)".utf8, in: base, line: track.representation.line)
        }

        mutating func add(
            _ track: PresentationTrack, _ kind: Rendition.Kind, isDefault: Bool
        ) throws(PlaylistError) {
            renditions.append(
                Rendition(track, kind, group: group, address: try address(track), isDefault: isDefault))
        }

        mutating func add(_ track: PresentationTrack, sound: PresentationTrack?) throws(PlaylistError) {
            let hasText = renditions.contains { $0.kind == .subtitles }
            let groups = RenditionGroups(audio: sound == nil ? nil : group, subtitles: hasText ? group : nil)
            variants.append(
                VariantStream(track.representation, sound?.representation, address: try address(track), groups: groups))
        }
    }
}

extension MultivariantPlaylist {
    /// Creates the playlist of a presentation.
    init(variants: [VariantStream], renditions: [Rendition]) {
        (self.variants, self.renditions) = (variants, renditions)
        (iFrameStreams, sessionKeys, isIndependent, start, variables, warnings) = ([], [], true, nil, [:], [])
    }
}

extension RenditionGroups {
    init(audio: String?, subtitles: String?) {
        (self.audio, self.subtitles, video, closedCaptions) = (audio, subtitles, nil, nil)
    }
}

extension VariantStream {
    /// Describes a representation of video, and the sound that is played with it.
    init(
        _ own: Representation, _ sound: Representation?, address: PlaylistAddress, groups: RenditionGroups
    ) {
        (self.address, self.groups) = (address, groups)
        bandwidth = own.bandwidth + (sound?.bandwidth ?? 0)
        codecs = own.codecs + (sound?.codecs ?? [])
        video = own.video
        line = own.line
        (averageBandwidth, score, name, pathwayID) = (nil, nil, nil, nil)
    }
}

extension Rendition {
    /// Describes a track beside the video.
    init(_ track: PresentationTrack, _ kind: Kind, group: String, address: PlaylistAddress, isDefault: Bool) {
        let set = track.set, roles = set.roles
        (self.kind, groupID, self.address, language) = (kind, group, address, set.language)
        let role = roles.subtracting(["main", "alternate"]).min()
        let words = [set.language, role].compactMap { $0 }
        name = set.label ?? (words.isEmpty ? track.representation.id : words.joined(separator: " "))
        var flags: Flags = isDefault ? [.isDefault, .isAutoselect] : [.isAutoselect]
        if kind == .subtitles, !roles.isDisjoint(with: ["forced-subtitle", "forced_subtitle"]) {
            flags.insert(.isForced)
        }
        self.flags = flags
        var characteristics: [String] = []
        if set.describesVideo { characteristics.append("public.accessibility.describes-video") }
        if roles.contains("caption") { characteristics.append("public.accessibility.transcribes-spoken-dialog") }
        self.characteristics = characteristics
        channels = track.representation.channels.map { String($0) }
        line = track.representation.line
        (associatedLanguage, instreamID) = (nil, nil)
    }
}
