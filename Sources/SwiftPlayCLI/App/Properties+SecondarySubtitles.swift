import SwiftPlayKit

/// The properties of the secondary subtitles.
extension PlayerProperty {
    static let secondarySubtitles: [PlayerProperty] = [
        PlayerProperty("secondary-sid", .track, isOption: true) { context in
            .integer(secondarySubtitleNumber(context)) ?? false
        } write: { context, value throws(IPCError) in
            guard let selection = TrackOptions.parseTrackSelection(value.selectionText) else { throw .propertyFormat }
            guard let item = context.item else { throw .propertyUnavailable }
            if case .number(let number) = selection, item.status == .readyToPlay,
                number > item.trackState.tracks.count(where: { $0.kind == .subtitle })
            {
                throw .propertyError
            }
            item.pickSecondarySubtitles(selection)
        },
        PlayerProperty("secondary-sub-visibility", .flag, isOption: true) {
            .bool($0.player.showsSecondarySubtitles)
        } write: { context, value throws(IPCError) in
            context.player.showsSecondarySubtitles = try value.propertyFlag()
        },
        PlayerProperty("secondary-sub-text", .text, changes: .withPlayback) { .text($0.player.secondarySubtitleText) },
        PlayerProperty("secondary-sub-start", .time, changes: .withPlayback) {
            .finite($0.player.secondarySubtitleTimes?.start.seconds)
        },
        PlayerProperty("secondary-sub-end", .time, changes: .withPlayback) {
            .finite($0.player.secondarySubtitleTimes?.end?.seconds)
        },
    ]

    /// Returns the number of the secondary subtitle track, counted from 1; nil if none is selected.
    static func secondarySubtitleNumber(_ context: PropertyContext) -> Int? {
        guard let item = context.item, let id = item.secondarySubtitleTrack else { return nil }
        return item.trackState.tracks.filter { $0.kind == .subtitle }.firstIndex { $0.id == id }.map { $0 + 1 }
    }
}

extension PlayerTarget {
    /// Selects, as secondary subtitles, the track that is `step` positions after the present one. Skips the track of
    /// the primary subtitles.
    func cycleSecondarySubtitles(by step: Int) {
        guard let item = player.currentItem else { return }
        let state = item.trackState
        item.pickSecondarySubtitles(
            Self.nextTrackSelection(
                after: PlayerProperty.secondarySubtitleNumber(PropertyContext(target: self)),
                of: state.tracks.filter { $0.kind == .subtitle }.map { track in
                    track.isPlayable && track.id != state.playingTracks[.subtitle]
                }, by: step))
    }
}
