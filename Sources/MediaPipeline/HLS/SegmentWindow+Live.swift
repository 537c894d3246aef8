extension SegmentWindow {
    /// The smallest distance from the end at which a live playlist is played, in nanoseconds (RFC 8216, section 6.3.3;
    /// draft-pantos-hls-rfc8216bis, section 4.4.3.8); 0 for a complete playlist.
    package var holdBack: Int64 {
        if playlist.isComplete { return 0 }
        return playlist.serverControl?.holdBack ?? playlist.targetDuration * 3
    }

    /// The positions that can be played, in nanoseconds: from the window's start to ``holdBack`` before its end.
    package var seekableRange: Range<Int64> {
        let edge = Self.saturatingSum(end, -holdBack)
        return start..<max(start, edge)
    }

    /// Returns the position in nanoseconds at which playback starts (RFC 8216, sections 4.3.5.2 and 6.3.3).
    ///
    /// - Parameter preferred: The start that the multivariant playlist prefers; the media playlist's own start takes
    ///   precedence.
    package func initialPosition(preferred: PlaylistStart? = nil) -> Int64 {
        let range = seekableRange
        guard let wish = playlist.start ?? preferred else {
            return playlist.isComplete ? start : segmentStart(at: range.upperBound)
        }
        let origin = wish.offset < 0 ? end : start
        let position = min(max(Self.saturatingSum(origin, wish.offset), range.lowerBound), range.upperBound)
        return wish.isPrecise ? position : segmentStart(at: position)
    }

    /// Returns the start of the segment at a position; for positions outside the window, the start of the nearest
    /// segment.
    private func segmentStart(at position: Int64) -> Int64 {
        if position < end { return segment(at: position).flatMap { times(of: $0.number) }?.lowerBound ?? start }
        return positions.dropLast().last ?? start
    }

    /// Returns the time between the starts of two loads of the playlist, in nanoseconds (RFC 8216, section 6.3.4): the
    /// target duration, or half of it if the last load brought no new segment.
    package func reloadInterval(after change: PlaylistChange?) -> Int64 {
        switch change {
        case nil, .advanced(added: 1..., removed: _), .jumped: max(playlist.targetDuration, Self.minimumReloadInterval)
        default: max(playlist.targetDuration / 2, Self.minimumReloadInterval)
        }
    }

    /// The time without a new segment after which a live playlist counts as stuck, in nanoseconds: 3.5 target
    /// durations.
    package var stuckInterval: Int64 {
        let target = max(playlist.targetDuration, Self.minimumReloadInterval)
        return target * 3 + target / 2
    }

    /// The least time between two loads of the playlist, in nanoseconds; a hostile playlist could state a target
    /// duration of 0.
    private static let minimumReloadInterval: Int64 = 500_000_000

    /// Creates the window of another rendition of the same item, on the same timeline.
    ///
    /// The two playlists are aligned by their dates; without dates, by segments with equal discontinuity and media
    /// sequence numbers; otherwise by their ends if one is live, or by their starts if both are complete (RFC 8216,
    /// section 6.2.4).
    package init(_ playlist: MediaPlaylist, alignedWith other: SegmentWindow) {
        self.init(playlist, anchor: Self.anchor(of: playlist, alignedWith: other))
    }

    /// Returns the position in nanoseconds at which the first segment of `playlist` starts on the timeline of `other`.
    private static func anchor(of playlist: MediaPlaylist, alignedWith other: SegmentWindow) -> Int64 {
        if playlist.isComplete, other.playlist.isComplete { return other.start }
        guard let first = playlist.segments.first else { return other.start }
        if let date = first.date, let otherDate = other.segments.first?.date {
            let (distance, hasOverflown) = date.subtractingReportingOverflow(otherDate)
            if !hasOverflown, distance.magnitude <= PlaylistLimits.duration.magnitude {
                return saturatingSum(other.start, distance)
            }
        }
        let positions = SegmentWindow.positions(of: playlist.segments, anchor: 0)
        let common = playlist.segments.enumerated().first { other.segment($0.element.number) != nil }
        if let common, let own = other.segment(common.element.number), let times = other.times(of: own.number),
            own.discontinuity == common.element.discontinuity
        {
            return saturatingSum(times.lowerBound, -positions[common.offset])
        }
        return saturatingSum(other.end, -(positions.last ?? 0))
    }
}
