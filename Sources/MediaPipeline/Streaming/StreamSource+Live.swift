import StreamPlaylists
import SystemCalls

/// Reloads a live stream while the buffer is full, and reports the playable segments to the player.
extension StreamSource {
    /// The reader whose playlist determines the range of playable times.
    private var timelineReader: RenditionReader? { playsVariant ? variantReader : audioRenditionReader }

    /// Whether segments of the variants are fetched; false if only the audio of a rendition is played.
    var playsVariant: Bool { playedTracks.video != nil || audioRenditionReader == nil }

    /// The segments that can be played now.
    var window: SegmentWindow? { timelineReader?.playlist?.window }

    /// The duration of the stream in nanoseconds; nil while it is live.
    var duration: Int64? {
        guard let window, window.playlist.isComplete else { return nil }
        return window.end - window.start
    }

    /// The reader that has read the least far; nil if all readers have ended.
    var nextReader: RenditionReader? {
        let readers = [playsVariant ? variantReader : nil, audioRenditionReader].compactMap { $0 }
        return readers.filter { !$0.hasEnded }.min { $0.readEndTime < $1.readEndTime }
    }

    /// The host time, in nanoseconds, of the next ``refresh()``; nil if the player does not follow the live stream, or
    /// if the stream is not live.
    var refreshTime: Int64? {
        guard let timelineReader, !timelineReader.hasEnded, demand.currentReadingDemand.followsLiveStream else {
            return nil
        }
        return timelineReader.playlist?.reloadTime
    }

    /// Reloads a live playlist.
    ///
    /// - Returns: An item for the player, if playback has fallen behind the window; nil if reading continues as before.
    func refresh() -> PacketSourceItem? {
        timelineReader?.refreshPlaylist()
        reportWindow()
        return fellBehindItem
    }

    /// Reloads a live playlist that was not reloaded for a while, because playback was paused.
    func refreshIfOutdated() -> PacketSourceItem? {
        guard demand.currentReadingDemand.followsLiveStream, let playlist = timelineReader?.playlist,
            playlist.isOutdated(at: MonotonicTime.now)
        else { return nil }
        playlist.resetStuckTimer()
        return refresh()
    }

    /// Reloads a live playlist that is due, so that a seek uses the current window. If the reload fails, the seek uses
    /// the known window, and the playlist stores the error.
    func loadWindowForSeek() {
        guard let playlist = timelineReader?.playlist, let time = playlist.reloadTime, time <= MonotonicTime.now else {
            return
        }
        try? playlist.reload()
        reportWindow()
    }

    /// The item that reports that playback has fallen behind the window of a live stream; nil if it has not.
    var fellBehindItem: PacketSourceItem? {
        let readers = [playsVariant ? variantReader : nil, audioRenditionReader].compactMap { $0 }
        return readers.lazy.compactMap(\.rejoin).first.map { .fellBehind($0) }
    }

    /// Reports the playable segments to the player, if they have changed.
    func reportWindow() {
        guard let playlist = timelineReader?.playlist else { return }
        let load = PlaylistLoad(playlist: ObjectIdentifier(playlist), count: playlist.loadCount)
        guard load != reportedLoad else { return }
        reportedLoad = load
        demand.report(playlist.window)
        guard playlist.window.start > oldestStart else { return }
        // Drop stored segments that the server has removed, because seeks to them are impossible.
        oldestStart = playlist.window.start
        let windows = [variantReader, audioRenditionReader].compactMap { $0?.playlist?.window }
        fetcher.store.keepOnly(windows.lazy.flatMap(\.segments))
    }

    /// Returns the position at which playback starts, in nanoseconds on the item's timeline.
    func initialPosition(_ window: SegmentWindow) -> Int64 {
        let preferredStart: PlaylistStart? = if case .multivariant(let list) = playlist { list.start } else { nil }
        return window.initialPosition(preferred: preferredStart, offset: demand.currentReadingDemand.liveOffset)
    }
}

/// Identifies one load of a playlist, so that reloads are detected.
struct PlaylistLoad: Equatable {
    var playlist: ObjectIdentifier
    /// The number of successful loads so far (``FollowedPlaylist/loadCount``).
    var count: Int
}
