import StreamPlaylists

extension SegmentWindow {
    /// The smallest distance from the end at which a live playlist is played, in nanoseconds (RFC 8216, section 6.3.3;
    /// draft-pantos-hls-rfc8216bis, section 4.4.3.8); 0 for a complete playlist.
    package var holdBack: Int64 {
        if playlist.isComplete { return 0 }
        return playlist.serverControl?.holdBack ?? playlist.targetDuration * 3
    }

    /// The positions that can be played, in nanoseconds: from the window's start to ``holdBack`` before its end.
    package var seekableRange: Range<Int64> {
        let latestStart = Self.saturatingSum(end, -holdBack)
        return start..<max(start, latestStart)
    }

    /// Returns the position in nanoseconds at which playback starts (RFC 8216, sections 4.3.5.2 and 6.3.3).
    ///
    /// - Parameters:
    ///   - preferred: The start that the multivariant playlist prefers; the media playlist's own start takes
    ///     precedence.
    ///   - offset: The distance from the end of a live playlist that the program prefers, in nanoseconds; it takes
    ///     precedence over the preferences of both playlists. Nil without a preference.
    package func initialPosition(preferred: PlaylistStart? = nil, offset: Int64? = nil) -> Int64 {
        let range = seekableRange
        if offset != nil, !playlist.isComplete { return segmentStart(at: livePosition(offset: offset)) }
        guard let preferredStart = playlist.start ?? preferred else {
            return playlist.isComplete ? start : segmentStart(at: range.upperBound)
        }
        let origin = preferredStart.offset < 0 ? end : start
        let position = min(max(Self.saturatingSum(origin, preferredStart.offset), range.lowerBound), range.upperBound)
        return preferredStart.isPrecise ? position : segmentStart(at: position)
    }

    /// Returns the newest position at which a live playlist is played, in nanoseconds; the end of a complete playlist.
    ///
    /// - Parameter offset: The distance from the end that the program prefers to ``holdBack``, in nanoseconds.
    package func livePosition(offset: Int64? = nil) -> Int64 {
        guard let offset, !playlist.isComplete else { return seekableRange.upperBound }
        return min(max(Self.saturatingSum(end, -max(offset, 0)), start), end)
    }

    /// The position, in nanoseconds, at which playback continues after it fell behind the window.
    ///
    /// This position lies ``holdBack`` after the window's start, because the server would remove a segment at the start
    /// before the player fetches it. In a short window, it is the newest position that may be played.
    package var rejoinPosition: Int64 {
        segmentStart(at: min(Self.saturatingSum(start, holdBack), seekableRange.upperBound))
    }

    /// Returns whether playback has fallen behind the window: the segment after the position `time` was removed.
    ///
    /// - Parameters:
    ///   - number: The media sequence number of the segment after `time`; nil if it is unknown.
    ///   - time: A position in nanoseconds. If only one segment is missing after it, playback skips that segment, and
    ///     the result is false.
    package func hasFallenBehind(_ number: Int?, _ time: Int64) -> Bool {
        guard !segments.isEmpty else { return false }
        if let number, number >= numbers.lowerBound { return false }
        return Self.saturatingSum(time, playlist.targetDuration) < start
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
        let targetDuration = max(playlist.targetDuration, Self.minimumReloadInterval)
        return targetDuration * 3 + targetDuration / 2
    }

    /// The least time between two loads of the playlist, in nanoseconds; a hostile playlist could state a target
    /// duration of 0.
    private static let minimumReloadInterval: Int64 = 500_000_000

    /// Creates the window of another rendition of the same item, on the same timeline.
    ///
    /// Two complete playlists are aligned by their starts. Other playlists are aligned by their dates; without dates,
    /// by segments with equal discontinuity and media sequence numbers; otherwise by their ends (RFC 8216, section
    /// 6.2.4).
    package init(_ playlist: MediaPlaylist, alignedWith other: SegmentWindow) {
        self.init(playlist, firstSegmentStart: Self.firstSegmentStart(of: playlist, alignedWith: other))
    }

    /// Returns the position in nanoseconds at which the first segment of `playlist` starts on the timeline of `other`.
    private static func firstSegmentStart(of playlist: MediaPlaylist, alignedWith other: SegmentWindow) -> Int64 {
        if playlist.isComplete, other.playlist.isComplete { return other.start }
        guard let firstSegment = playlist.segments.first else { return other.start }
        if let date = firstSegment.date, let otherDate = other.segments.first?.date {
            let (distance, hasOverflowed) = date.subtractingReportingOverflow(otherDate)
            if !hasOverflowed, distance.magnitude <= PlaylistLimits.duration.magnitude {
                return saturatingSum(other.start, distance)
            }
        }
        let positions = SegmentWindow.positions(of: playlist.segments, firstSegmentStart: 0)
        let commonSegment = playlist.segments.enumerated().first { other.segment($0.element.number) != nil }
        if let commonSegment, let otherSegment = other.segment(commonSegment.element.number),
            let times = other.times(of: otherSegment.number),
            otherSegment.discontinuity == commonSegment.element.discontinuity
        {
            return saturatingSum(times.lowerBound, -positions[commonSegment.offset])
        }
        return saturatingSum(other.end, -(positions.last ?? 0))
    }
}
