import StreamPlaylists

extension SegmentWindow {
    /// Merges a reloaded playlist by media sequence numbers (RFC 8216, section 6.3.4).
    ///
    /// - Returns: The change. ``PlaylistChange/wentBackwards(by:)`` and ``PlaylistChange/reset`` leave the window
    ///   unchanged.
    package mutating func update(_ reloaded: MediaPlaylist) -> PlaylistChange {
        let oldNumbers = numbers
        guard let firstSegment = reloaded.segments.first, let lastSegment = reloaded.segments.last else {
            // Reject an empty playlist, which a restarting server may send for a moment.
            guard oldNumbers.isEmpty else { return reject(.wentBackwards(by: oldNumbers.count)) }
            replace(reloaded, firstSegmentStart: start)
            return .unchanged
        }
        let newNumbers = firstSegment.number..<lastSegment.number + 1
        if oldNumbers.isEmpty {
            replace(reloaded, firstSegmentStart: start)
            return .advanced(added: newNumbers.count, removed: 0)
        }
        if newNumbers.upperBound <= oldNumbers.lowerBound { return reject(.reset) }
        if newNumbers.upperBound < oldNumbers.upperBound {
            return reject(.wentBackwards(by: oldNumbers.upperBound - newNumbers.upperBound))
        }
        guard newNumbers.lowerBound < oldNumbers.upperBound else {
            let missingCount = newNumbers.lowerBound - oldNumbers.upperBound
            append(reloaded, missing: missingCount)
            return missingCount > 0
                ? .jumped(missing: missingCount) : .advanced(added: newNumbers.count, removed: oldNumbers.count)
        }
        merge(reloaded, newNumbers, oldNumbers)
        let addedCount = newNumbers.upperBound - oldNumbers.upperBound
        let removedCount = max(newNumbers.lowerBound - oldNumbers.lowerBound, 0)
        return addedCount == 0 && removedCount == 0 ? .unchanged : .advanced(added: addedCount, removed: removedCount)
    }

    /// Replaces the window by a playlist whose media sequence numbers started again. The first segment of the playlist
    /// follows the window's end.
    package mutating func restart(with reloaded: MediaPlaylist) {
        var reloaded = reloaded
        // The timestamps of the new segments use another clock, so the segments need a higher discontinuity number.
        shiftDiscontinuities(&reloaded, toAtLeast: Self.successor(segments.last?.discontinuity ?? 0))
        replace(reloaded, firstSegmentStart: end)
    }

    /// Counts a reload whose playlist is rejected, and returns `change`.
    private mutating func reject(_ change: PlaylistChange) -> PlaylistChange {
        countStaleReload()
        return change
    }

    /// Accepts a playlist that has segments in common with the window.
    private mutating func merge(_ reloaded: MediaPlaylist, _ newNumbers: Range<Int>, _ oldNumbers: Range<Int>) {
        var reloaded = reloaded
        let commonNumbers = max(newNumbers.lowerBound, oldNumbers.lowerBound)..<oldNumbers.upperBound
        if let knownSegment = segment(commonNumbers.lowerBound) {
            // Some servers omit EXT-X-DISCONTINUITY-SEQUENCE, so that the discontinuity numbers shrink when segments
            // are removed.
            let reloadedSegment = reloaded.segments[commonNumbers.lowerBound - newNumbers.lowerBound]
            let (distance, hasOverflowed) = knownSegment.discontinuity.subtractingReportingOverflow(
                reloadedSegment.discontinuity)
            shiftDiscontinuities(&reloaded, by: hasOverflowed ? 0 : distance)
        }
        for number in commonNumbers {
            guard let knownSegment = segment(number) else { continue }
            reloaded.segments[number - newNumbers.lowerBound].duration = knownSegment.duration
        }
        let precedingSegments = reloaded.segments.prefix(commonNumbers.lowerBound - newNumbers.lowerBound)
        let origin = times(of: commonNumbers.lowerBound)?.lowerBound ?? start
        replace(reloaded, firstSegmentStart: precedingSegments.reduce(origin) { Self.saturatingSum($0, -$1.duration) })
    }

    /// Accepts a playlist whose first segment follows the window after a number of unknown segments.
    private mutating func append(_ reloaded: MediaPlaylist, missing: Int) {
        var reloaded = reloaded
        let gap = missing > 0 ? gapDuration(before: reloaded, missing: missing) : 0
        shiftDiscontinuities(&reloaded, toAtLeast: segments.last?.discontinuity ?? 0)
        replace(reloaded, firstSegmentStart: Self.saturatingSum(end, gap))
    }

    /// Returns the duration of the missing segments: by dates if both playlists state them, else by the mean duration
    /// of the reloaded segments.
    private func gapDuration(before reloaded: MediaPlaylist, missing: Int) -> Int64 {
        if let date = reloaded.segments.first?.date, let windowDate = self.date(at: end) {
            let (gap, hasOverflowed) = date.subtractingReportingOverflow(windowDate)
            if !hasOverflowed, gap >= 0, gap <= Int64.max / 8 { return gap }
        }
        let totalDuration = reloaded.segments.reduce(Int64(0)) { Self.saturatingSum($0, $1.duration) }
        let mean = totalDuration / Int64(max(reloaded.segments.count, 1))
        let (product, hasOverflowed) = mean.multipliedReportingOverflow(by: Int64(missing))
        return hasOverflowed ? .max / 8 : min(product, .max / 8)
    }

    /// Raises the discontinuity numbers of all segments, so that the first number is at least `number`.
    private func shiftDiscontinuities(_ reloaded: inout MediaPlaylist, toAtLeast number: Int) {
        guard let firstSegment = reloaded.segments.first, firstSegment.discontinuity < number else { return }
        let (distance, hasOverflowed) = number.subtractingReportingOverflow(firstSegment.discontinuity)
        shiftDiscontinuities(&reloaded, by: hasOverflowed ? 0 : distance)
    }

    /// Adds `distance` to the discontinuity numbers of all segments.
    private func shiftDiscontinuities(_ reloaded: inout MediaPlaylist, by distance: Int) {
        guard distance != 0 else { return }
        for index in reloaded.segments.indices {
            let (sum, hasOverflowed) = reloaded.segments[index].discontinuity.addingReportingOverflow(distance)
            reloaded.segments[index].discontinuity = hasOverflowed ? (distance < 0 ? .min : .max) : sum
        }
    }

    /// Returns `number` + 1, or `number` if it is the largest integer.
    private static func successor(_ number: Int) -> Int { number == .max ? number : number + 1 }
}
