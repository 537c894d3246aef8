import SystemCalls

/// How a live stream is followed while the buffer is full, and what the player learns of its window.
extension StreamSource {
    /// The reader whose playlist determines which times can be played.
    private var leader: RenditionReader? { playsVariant ? main : audio }

    /// Whether segments of the variants are fetched: not if only the sound of a rendition is played.
    var playsVariant: Bool { played.video != nil || audio == nil }

    /// The segments that can be played.
    var window: SegmentWindow? { leader?.playlist?.window }

    /// The duration of the stream in nanoseconds; nil while it is live.
    var duration: Int64? {
        guard let window, window.playlist.isComplete else { return nil }
        return window.end - window.start
    }

    /// The reader that is behind; nil if all have ended.
    var nextReader: RenditionReader? {
        let running = [playsVariant ? main : nil, audio].compactMap { $0 }.filter { !$0.hasEnded }
        return running.min { $0.readTime < $1.readTime }
    }

    /// The host time of the next ``refresh()``; nil while the player does not follow the stream, and for others than
    /// live streams.
    var refreshTime: Int64? {
        guard let leader, !leader.hasEnded, demand.reading.followsLiveStream else { return nil }
        return leader.playlist?.reloadTime
    }

    /// Loads a live playlist again.
    ///
    /// - Returns: What the player has to handle; nil if reading continues as before.
    func refresh() -> PacketSourceItem? {
        leader?.refreshPlaylist()
        reportWindow()
        return fallenBehind
    }

    /// Loads a live playlist again that was not loaded for a while, because playback was paused.
    func refreshIfOutdated() -> PacketSourceItem? {
        guard demand.reading.followsLiveStream, leader?.playlist?.isOutdated(at: MonotonicTime.now) == true else {
            return nil
        }
        leader?.playlist?.resume()
        return refresh()
    }

    /// Loads a live playlist that is due for a reload, so that a seek leads into the present window. If that fails, the
    /// seek leads into the known window, and the playlist keeps the reason.
    func loadWindowForSeek() {
        guard let playlist = leader?.playlist, let time = playlist.reloadTime, time <= MonotonicTime.now else { return }
        try? playlist.reload()
        reportWindow()
    }

    /// Reports that playback cannot continue with the next segment; nil if it can.
    var fallenBehind: PacketSourceItem? {
        let readers = [playsVariant ? main : nil, audio].compactMap { $0 }
        return readers.lazy.compactMap(\.rejoin).first.map { .fellBehind($0) }
    }

    /// Reports the segments that can be played, if they have changed.
    func reportWindow() {
        guard let playlist = leader?.playlist else { return }
        let load = PlaylistLoad(playlist: ObjectIdentifier(playlist), count: playlist.loadCount)
        guard load != reportedLoad else { return }
        reportedLoad = load
        demand.report(playlist.window)
        guard playlist.window.start > oldestStart else { return }
        // What the server has removed cannot be sought, and would be kept in vain.
        oldestStart = playlist.window.start
        let windows = [main, audio].compactMap { $0?.playlist?.window }
        fetcher.store.keepOnly(windows.lazy.flatMap(\.segments))
    }

    /// Returns the position at which the first segment is played.
    func initialPosition(_ window: SegmentWindow) -> Int64 {
        let preferred: PlaylistStart? = if case .multivariant(let list) = playlist { list.start } else { nil }
        return window.initialPosition(preferred: preferred, offset: demand.reading.liveOffset)
    }
}

/// The identity of one load of a playlist.
struct PlaylistLoad: Equatable {
    var playlist: ObjectIdentifier
    var count: Int
}
