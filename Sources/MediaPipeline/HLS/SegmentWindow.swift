import StreamPlaylists

/// The segments of a media playlist across its reloads, placed on the item's timeline. A pure value.
///
/// The position of a segment is the sum of the durations before it, counted from the first segment of the first load,
/// in nanoseconds. A segment keeps its position and its duration when the playlist is reloaded, even if the server
/// states another duration later.
package struct SegmentWindow: Sendable, Equatable {
    /// The playlist as last accepted. Its segments have stable durations and discontinuity numbers.
    package private(set) var playlist: MediaPlaylist
    /// The position of each segment's start, and of the last segment's end, in nanoseconds; in ascending order and
    /// never empty.
    private(set) var positions: [Int64]
    /// The number of consecutive reloads that were older than the window. If this number keeps growing, the server has
    /// restarted its numbering.
    package private(set) var staleReloadCount = 0

    /// Creates the window of a playlist that is loaded for the first time. The window starts at 0.
    package init(_ playlist: MediaPlaylist) {
        self.init(playlist, firstSegmentStart: 0)
    }

    /// Creates a window whose first segment starts at the position `firstSegmentStart`, in nanoseconds.
    init(_ playlist: MediaPlaylist, firstSegmentStart: Int64) {
        self.playlist = playlist
        positions = Self.positions(of: playlist.segments, firstSegmentStart: firstSegmentStart)
    }

    /// The segments of the window, in order.
    package var segments: [MediaSegment] { playlist.segments }

    /// The media sequence numbers of the window.
    package var numbers: Range<Int> {
        guard let firstSegment = segments.first, let lastSegment = segments.last else { return 0..<0 }
        return firstSegment.number..<lastSegment.number + 1
    }

    /// The position of the start of the first segment, in nanoseconds.
    package var start: Int64 { positions.first ?? 0 }
    /// The position of the end of the last segment, in nanoseconds.
    package var end: Int64 { positions.last ?? 0 }

    /// Returns the segment with a media sequence number; nil outside the window.
    package func segment(_ number: Int) -> MediaSegment? {
        index(of: number).map { segments[$0] }
    }

    /// Returns the positions of a segment's start and end, in nanoseconds; nil outside the window.
    package func times(of number: Int) -> Range<Int64>? {
        index(of: number).map { positions[$0]..<positions[$0 + 1] }
    }

    /// Returns the segment that is played at a position: the last segment that starts at or before the position.
    ///
    /// - Returns: nil before the window, and at its end or after it.
    package func segment(at position: Int64) -> MediaSegment? {
        guard position >= start, position < end else { return nil }
        // Binary search: `low` becomes the index after the last segment that starts at or before the position.
        var low = 0, high = segments.count
        while low < high {
            let middle = low + (high - low) / 2
            if positions[middle] <= position { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? segments[low - 1] : nil
    }

    /// Returns the wall-clock time of a position, in nanoseconds since 1970; nil if the playlist states no dates.
    package func date(at position: Int64) -> Int64? {
        guard let segment = segment(at: position) ?? (position == end ? segments.last : nil),
            let times = times(of: segment.number), let date = segment.date
        else { return nil }
        let (sum, hasOverflowed) = date.addingReportingOverflow(position - times.lowerBound)
        return hasOverflowed ? nil : sum
    }

    /// Returns the first position at the wall-clock time `date` (nanoseconds since 1970); nil outside the window.
    package func position(ofDate date: Int64) -> Int64? {
        for (index, segment) in segments.enumerated() {
            guard let start = segment.date, date >= start else { continue }
            let (offset, hasOverflowed) = date.subtractingReportingOverflow(start)
            if !hasOverflowed, offset < segment.duration { return Self.saturatingSum(positions[index], offset) }
        }
        return nil
    }

    /// Returns the index of a segment in ``segments``; nil outside the window.
    private func index(of number: Int) -> Int? { numbers.contains(number) ? number - numbers.lowerBound : nil }

    /// Returns the start of each segment and the end of the last one. The first segment starts at `firstSegmentStart`.
    static func positions(of segments: [MediaSegment], firstSegmentStart: Int64) -> [Int64] {
        var positions = [firstSegmentStart]
        positions.reserveCapacity(segments.count + 1)
        var end = firstSegmentStart
        for segment in segments {
            end = saturatingSum(end, segment.duration)
            positions.append(end)
        }
        return positions
    }

    /// Returns the sum of two times; clamps it to the type's range.
    static func saturatingSum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, hasOverflowed) = left.addingReportingOverflow(right)
        return hasOverflowed ? (right < 0 ? .min : .max) : sum
    }

    /// Replaces the playlist by a newer one, whose segments already have this window's stable durations and
    /// discontinuity numbers. The first segment of the new playlist starts at `firstSegmentStart`, in nanoseconds.
    mutating func replace(_ playlist: MediaPlaylist, firstSegmentStart: Int64) {
        self.playlist = playlist
        positions = Self.positions(of: playlist.segments, firstSegmentStart: firstSegmentStart)
        staleReloadCount = 0
    }

    /// Counts a reload that was older than the window.
    mutating func countStaleReload() { staleReloadCount += 1 }
}
