import MediaPipeline
import SwiftPlayKit

/// The properties and commands of mpv's JSON IPC for tracks and subtitles.
extension PlayerTarget {
    /// The kind of track that each of mpv's property and command names selects, such as `aid` for audio.
    static let trackKinds: [String: MediaTrack.Kind] = [
        "vid": .video, "aid": .audio, "sid": .subtitle, "video": .video, "audio": .audio, "sub": .subtitle,
    ]

    /// Returns the value of a property of tracks or subtitles; nil if `name` is another property.
    func trackProperty(_ name: String) throws(IPCError) -> JSONValue? {
        if let kind = Self.trackKinds[name] {
            guard let number = playingTrackNumber(kind) else { return .bool(false) }
            return .int(Int64(number))
        }
        switch name {
        case "sub-delay": return .double(player.subtitleDelay.seconds)
        case "sub-scale": return .double(player.subtitleScale)
        case "sub-visibility": return .bool(player.showsSubtitles)
        case "sub-text":
            guard let text = player.subtitleText else { throw .propertyUnavailable }
            return .string(text)
        default: break
        }
        guard name == "track-list" || name.hasPrefix("track-list/") else { return nil }
        let list = trackList
        let parts = name.split(separator: "/").dropFirst().map(String.init)
        guard let firstPart = parts.first else { return .array(list) }
        if firstPart == "count", parts.count == 1 { return .int(Int64(list.count)) }
        guard let index = Int(firstPart), list.indices.contains(index), parts.count <= 2 else {
            throw .propertyUnavailable
        }
        guard parts.count == 2 else { return list[index] }
        guard case .object(let fields) = list[index], let value = fields[parts[1]] else { throw .propertyUnavailable }
        return value
    }

    /// Returns the number of the selected track, counted from 1 among the tracks of its kind; nil if no track of the
    /// kind is selected.
    private func playingTrackNumber(_ kind: MediaTrack.Kind) -> Int? {
        guard let tracks = player.currentItem?.trackState, let id = tracks.playingTracks[kind] else { return nil }
        return tracks.tracks.filter { $0.kind == kind }.firstIndex { $0.id == id }.map { $0 + 1 }
    }

    /// The value of mpv's property `track-list`.
    private var trackList: [JSONValue] {
        guard let tracks = player.currentItem?.trackState else { return [] }
        var counts: [MediaTrack.Kind: Int] = [:]
        return tracks.tracks.map { track in
            counts[track.kind, default: 0] += 1
            var entry: [String: JSONValue] = [
                "id": .int(Int64(counts[track.kind] ?? 0)),
                "type": .string(track.kind == .subtitle ? "sub" : track.kind.rawValue),
                "codec": .string(track.codec), "default": .bool(track.isDefault), "forced": .bool(track.isForced),
                "hearing-impaired": .bool(track.isForHearingImpaired),
                "visual-impaired": .bool(track.isForVisualImpaired),
                "albumart": .bool(track.isAttachedPicture), "image": .bool(track.isAttachedPicture),
                "external": .bool(track.isExternal), "selected": .bool(tracks.playingTracks[track.kind] == track.id),
            ]
            if !track.isExternal {
                entry["src-id"] = .int(Int64(track.id))
                entry["ff-index"] = .int(Int64(track.id))
            }
            if let language = track.language { entry["lang"] = .string(language) }
            if let title = track.title { entry["title"] = .string(title) }
            if let location = track.location { entry["external-filename"] = .string(location) }
            if track.width > 0 {
                entry["demux-w"] = .int(Int64(track.width))
                entry["demux-h"] = .int(Int64(track.height))
            }
            if track.frameRate > 0 { entry["demux-fps"] = .double(track.frameRate) }
            if track.channels > 0 {
                entry["audio-channels"] = .int(Int64(track.channels))
                entry["demux-channel-count"] = .int(Int64(track.channels))
            }
            if track.sampleRate > 0 { entry["demux-samplerate"] = .int(Int64(track.sampleRate)) }
            if track.bitRate > 0 { entry["demux-bitrate"] = .int(track.bitRate) }
            return .object(entry)
        }
    }

    /// Sets a property of tracks or subtitles; returns false if `name` is another property.
    func setTrackProperty(_ name: String, _ value: JSONValue) throws(IPCError) -> Bool {
        if let kind = Self.trackKinds[name] {
            let text: String =
                switch value {
                case .bool(false): "no"
                case .int(let number): String(number)
                case .double(let number): String(Int64(clamping: Int(exactly: number.rounded()) ?? 0))
                case .string(let text): text
                default: ""
                }
            guard let selection = TrackOptions.parseTrackSelection(text) else { throw .propertyFormat }
            guard let item = player.currentItem else { throw .propertyUnavailable }
            if case .number(let number) = selection, item.status == .readyToPlay,
                number > item.trackState.tracks.count(where: { $0.kind == kind })
            {
                throw .propertyError
            }
            item.pick(selection, kind)
            return true
        }
        switch name {
        case "sub-delay": player.subtitleDelay = MediaTime(seconds: try value.propertyNumber(in: -1e6...1e6))
        case "sub-scale": player.subtitleScale = try value.propertyNumber(in: 0.1...10)
        case "sub-visibility": player.showsSubtitles = try value.propertyFlag()
        default: return false
        }
        return true
    }

    /// Executes a command for tracks or subtitles; returns false if `command` is another command.
    func runTrackCommand(_ command: String, _ arguments: [JSONValue]) throws(IPCError) -> Bool {
        switch command {
        case "cycle":
            let isBackward = arguments.count > 1 && arguments[1] == .string("down")
            guard let name = try arguments.first?.argumentString() else { return false }
            if name == "variant" {
                player.cycleVariant(by: isBackward ? -1 : 1)
                break
            }
            guard let kind = Self.trackKinds[name] else { return false }
            cycleTrack(kind, by: isBackward ? -1 : 1)
        case "sub-add":
            guard let path = try arguments.first?.argumentString() else { throw .invalidParameter }
            let flag = arguments.count > 1 && arguments[1] != .null ? try arguments[1].argumentString() : "select"
            guard ["select", "auto", "cached"].contains(flag) else { throw .invalidParameter }
            guard let item = player.currentItem else { throw .commandFailed }
            item.addSubtitles(location: path, selecting: flag != "auto")
        default: return false
        }
        return true
    }

    /// Selects the track of a kind that is `step` positions after the selected one, and returns the selection. After
    /// the last track, no track is selected.
    @discardableResult
    func cycleTrack(_ kind: MediaTrack.Kind, by step: Int) -> TrackChoice.Selection {
        guard let item = player.currentItem else { return .off }
        let selection = Self.nextTrackSelection(
            after: playingTrackNumber(kind), of: item.trackState.tracks.filter { $0.kind == kind }.map(\.isPlayable),
            by: step)
        item.pick(selection, kind)
        return selection
    }

    /// Returns the track to select when the user cycles through the tracks of a kind.
    ///
    /// - Parameters:
    ///   - number: The number of the selected track, counted from 1; nil if no track is selected.
    ///   - playableFlags: Whether each track can be selected.
    ///   - step: The number of positions to move; negative to move back.
    static func nextTrackSelection(after number: Int?, of playableFlags: [Bool], by step: Int) -> TrackChoice.Selection
    {
        var position = number ?? 0
        for _ in 0...playableFlags.count {
            position = (position + step + playableFlags.count + 1) % (playableFlags.count + 1)
            if position == 0 { return .off }
            if playableFlags[position - 1] { return .number(position) }
        }
        return .off
    }

    /// Returns a description of the selected track, such as `2 (deu, Commentary)`.
    func trackDescription(_ kind: MediaTrack.Kind, _ selection: TrackChoice.Selection) -> String {
        guard case .number(let number) = selection,
            let tracks = player.currentItem?.trackState.tracks.filter({ $0.kind == kind }),
            tracks.indices.contains(number - 1)
        else { return "no" }
        let details = [tracks[number - 1].language, tracks[number - 1].title].compactMap { $0 }.joined(separator: ", ")
        return "\(number)" + (details.isEmpty ? "" : " (\(details))")
    }
}
