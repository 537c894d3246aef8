import MediaPipeline
import SwiftPlayKit

/// The properties of tracks and subtitles.
extension PlayerProperty {
    static let tracks: [PlayerProperty] = selections + lists + subtitles + secondarySubtitles

    private static let selections: [PlayerProperty] = PlayerTarget.trackKinds.sorted { $0.key < $1.key }.map {
        name, kind in
        PlayerProperty(name, .track, isOption: name.hasSuffix("id")) { context in
            .integer(playingTrackNumber(kind, context)) ?? false
        } write: { context, value throws(IPCError) in
            guard let selection = TrackOptions.parseTrackSelection(value.selectionText) else { throw .propertyFormat }
            guard let item = context.item else { throw .propertyUnavailable }
            if case .number(let number) = selection, item.status == .readyToPlay,
                number > item.trackState.tracks.count(where: { $0.kind == kind })
            {
                throw .propertyError
            }
            item.pick(selection, kind)
        }
    }

    /// Returns the number of the selected track, counted from 1 among the tracks of its kind; nil if no track of the
    /// kind is selected.
    static func playingTrackNumber(_ kind: MediaTrack.Kind, _ context: PropertyContext) -> Int? {
        guard let tracks = context.item?.trackState, let id = tracks.playingTracks[kind] else { return nil }
        return tracks.tracks.filter { $0.kind == kind }.firstIndex { $0.id == id }.map { $0 + 1 }
    }

    private static let lists: [PlayerProperty] = [
        PlayerProperty("track-list", .list) {
            .array(trackList($0))
        } readPart: { context, path throws(IPCError) in
            try trackPart(path, in: .array(trackList(context)))
        },
        PlayerProperty("current-tracks", .object) { _ in
            nil
        } readPart: { context, path throws(IPCError) in
            let kinds = ["video": "video", "audio": "audio", "sub": "sub", "sub2": "sub"]
            guard let component = path.first, let kind = kinds[component] else { throw .propertyNotFound }
            let track = trackList(context).first { track in
                guard case .object(let fields) = track else { return false }
                return fields["main-selection"] == (component == "sub2" ? 1 : 0) && fields["type"] == .string(kind)
            }
            guard let track else { throw .propertyUnavailable }
            return try trackPart([component] + path.dropFirst(), in: .object([component: track]))
        },
        PlayerProperty("alang", .list, isOption: true) { .texts($0.state.settings.tracks.choice.audioLanguages) },
        PlayerProperty("slang", .list, isOption: true) { .texts($0.state.settings.tracks.choice.subtitleLanguages) },
    ]

    /// Returns a part of the track list. A field that the track does not state is unavailable.
    private static func trackPart(_ path: ArraySlice<String>, in value: JSONValue) throws(IPCError) -> JSONValue {
        do throws(IPCError) {
            return try PropertyPath.value(at: path, in: value)
        } catch {
            let parentExists = path.count == 2 && (try? PropertyPath.value(at: path.dropLast(), in: value)) != nil
            throw parentExists && path.last.map(optionalTrackFields.contains) == true ? .propertyUnavailable : error
        }
    }

    /// The fields that only some tracks have.
    private static let optionalTrackFields: Set<String> = [
        "title", "lang", "src-id", "ff-index", "external-filename", "decoder-desc", "demux-w", "demux-h", "demux-fps",
        "audio-channels", "demux-channel-count", "demux-channels", "demux-samplerate", "demux-bitrate",
        "main-selection",
    ]

    /// Returns the objects in the value of `track-list`.
    private static func trackList(_ context: PropertyContext) -> [JSONValue] {
        guard let item = context.item else { return [] }
        let state = item.trackState, secondarySubtitles = item.secondarySubtitleTrack
        var counts: [MediaTrack.Kind: Int] = [:]
        return state.tracks.map { track in
            counts[track.kind, default: 0] += 1
            let selection: Int? =
                state.playingTracks[track.kind] == track.id ? 0 : secondarySubtitles == track.id ? 1 : nil
            return .object(trackFields(track, number: counts[track.kind] ?? 0, selection: selection))
        }
    }

    /// Returns the members of a track's object.
    ///
    /// - Parameter selection: 1 for secondary subtitles, 0 for another selected track, nil for a track that is not
    ///   selected.
    private static func trackFields(_ track: MediaTrack, number: Int, selection: Int?) -> [String: JSONValue] {
        var fields: [String: JSONValue] = [
            "id": .int(Int64(number)),
            "type": .string(track.kind == .subtitle ? "sub" : track.kind.rawValue), "codec": .string(track.codec),
            "default": .bool(track.isDefault), "forced": .bool(track.isForced), "dependent": false,
            "hearing-impaired": .bool(track.isForHearingImpaired),
            "visual-impaired": .bool(track.isForVisualImpaired), "albumart": .bool(track.isAttachedPicture),
            "image": .bool(track.isAttachedPicture), "external": .bool(track.isExternal),
            "selected": .bool(selection != nil),
        ]
        if !track.isExternal {
            fields["src-id"] = .int(Int64(track.id))
            fields["ff-index"] = .int(Int64(track.id))
        }
        if let selection {
            fields["main-selection"] = .int(Int64(selection))
            fields["decoder-desc"] = .string(track.codecText)
        }
        if let language = track.language { fields["lang"] = .string(language) }
        if let title = track.title { fields["title"] = .string(title) }
        if let location = track.location { fields["external-filename"] = .string(MediaLocation.exported(location)) }
        if track.width > 0, track.kind == .video {
            fields["demux-w"] = .int(Int64(track.width))
            fields["demux-h"] = .int(Int64(track.height))
        }
        if track.frameRate > 0 { fields["demux-fps"] = .double(track.frameRate) }
        if track.channels > 0 {
            fields["audio-channels"] = .int(Int64(track.channels))
            fields["demux-channel-count"] = .int(Int64(track.channels))
            fields["demux-channels"] = .string(channelText(track.channelLayout, count: track.channels))
        }
        if track.sampleRate > 0 { fields["demux-samplerate"] = .int(Int64(track.sampleRate)) }
        if track.bitRate > 0 { fields["demux-bitrate"] = .int(track.bitRate) }
        return fields
    }

    private static let subtitles: [PlayerProperty] = [
        PlayerProperty("sub-delay", .delay, isOption: true) {
            .double($0.player.subtitleDelay.seconds)
        } write: { context, value throws(IPCError) in
            context.player.subtitleDelay = MediaTime(seconds: try value.propertyNumber(in: -1e6...1e6))
        },
        PlayerProperty("sub-scale", .number(0.1...10), isOption: true) {
            .double($0.player.subtitleScale)
        } write: { context, value throws(IPCError) in
            context.player.subtitleScale = try value.propertyNumber(in: 0.1...10)
        },
        PlayerProperty("sub-visibility", .flag, isOption: true) {
            .bool($0.player.showsSubtitles)
        } write: { context, value throws(IPCError) in
            context.player.showsSubtitles = try value.propertyFlag()
        },
        PlayerProperty("sub-text", .text, changes: .withPlayback) { .text($0.player.subtitleText) },
        PlayerProperty("sub-text-ass", .text, changes: .withPlayback) { .text($0.player.taggedSubtitleText) },
        PlayerProperty("sub-start", .time, changes: .withPlayback) { .finite($0.player.subtitleTimes?.start.seconds) },
        PlayerProperty("sub-end", .time, changes: .withPlayback) { .finite($0.player.subtitleTimes?.end?.seconds) },
        PlayerProperty("sub-bitrate", .bytes) { bitRate(.subtitle, $0) },
        PlayerProperty("sub-auto", .choice(["no", "exact", "fuzzy", "all"]), isOption: true) { context in
            let rule = context.state.settings.tracks.subtitleSearch
            return rule == .no ? false : .string(rule.rawValue)
        },
        PlayerProperty("sub-codepage", .text, isOption: true) {
            .string(TrackOptions.text(of: $0.state.settings.tracks.subtitleCharacterSet))
        } write: { context, value throws(IPCError) in
            let characterSet = TrackOptions.characterSet(value.propertyString)
            guard characterSet.isSupported else { throw .propertyFormat }
            context.target.changeSettings { $0.tracks.subtitleCharacterSet = characterSet }
        },
    ]
}
