import MediaPipeline
import SwiftPlayKit

/// The selection of tracks by mpv's JSON IPC and by keys.
extension PlayerTarget {
    /// The kind of track that each of mpv's property and command names selects, such as `aid` for audio.
    static let trackKinds: [String: MediaTrack.Kind] = [
        "vid": .video, "aid": .audio, "sid": .subtitle, "video": .video, "audio": .audio, "sub": .subtitle,
    ]

    /// Selects the track of a kind that is `step` positions after the selected one, and returns the selection. After
    /// the last track, no track is selected. The track of the secondary subtitles is skipped.
    @discardableResult
    func cycleTrack(_ kind: MediaTrack.Kind, by step: Int) -> TrackChoice.Selection {
        guard let item = player.currentItem else { return .off }
        let selection = Self.nextTrackSelection(
            after: PlayerProperty.playingTrackNumber(kind, PropertyContext(target: self)),
            of: item.trackState.tracks.filter { $0.kind == kind }.map {
                $0.isPlayable && $0.id != item.secondarySubtitleTrack
            },
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

    /// Selects the track of a separate file that was added before.
    ///
    /// - Returns: False if the item has no track of this file.
    func selectExternalTrack(_ kind: MediaTrack.Kind, at location: String) -> Bool {
        guard let item = player.currentItem,
            let track = item.trackState.tracks.first(where: { $0.kind == kind && $0.location == location })
        else { return false }
        item.pick(.id(track.id), kind)
        return true
    }

    /// Removes a track of a separate file: the track whose number is the first argument, or else the selected track.
    ///
    /// - Throws: `.commandFailed` if there is no such track, or if it is in the media file.
    func removeExternalTrack(_ kind: MediaTrack.Kind, _ arguments: CommandArguments) throws(IPCError) -> JSONValue? {
        let selectedNumber = PlayerProperty.playingTrackNumber(kind, PropertyContext(target: self)) ?? 0
        let number = try arguments.integer(0, default: selectedNumber)
        guard let item = player.currentItem else { throw .commandFailed }
        let tracks = item.trackState.tracks.filter { $0.kind == kind }
        guard tracks.indices.contains(number - 1), item.removeExternalTrack(tracks[number - 1].id) else {
            throw .commandFailed
        }
        return nil
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
