import StreamPlaylists
import SystemCalls

/// Finds the next segment of a playlist and reloads live playlists.
extension RenditionReader {
    /// Returns the next segment. If a live playlist does not list the segment yet, waits until the playlist is due and
    /// reloads it.
    ///
    /// - Returns: nil if no segment follows (``hasEnded``), or if the next segment is still not listed.
    func nextSegment(of playlist: FollowedPlaylist) throws(MediaError) -> MediaSegment? {
        isAwaitingSegment = false
        let isOutdated = playlist.isOutdated(at: MonotonicTime.now)
        if let time = playlist.reloadTime, time <= MonotonicTime.now, isNextSegmentListed(in: playlist) {
            // Keep the window current while listed segments are read. If a reload fails, these segments can still be
            // read; the playlist stores the error for its warning.
            try? playlist.reload()
        }
        // The server has restarted its segment numbers: find the next segment by its position.
        if let number = nextNumber, number > playlist.window.numbers.upperBound { nextNumber = nil }
        guard !playlist.window.hasFallenBehind(nextNumber, nextTime) else {
            handleExpiredSegment(playlist.window, seeksImmediately: isOutdated)
            return nil
        }
        let number = nextNumber ?? number(at: nextTime, in: playlist.window)
        switch playlist.lookup(number) {
        case .segment(let segment):
            nextNumber = number
            return segment
        case .ended: hasEnded = true
        // Only a single segment is missing: continue with the first listed segment.
        case .removed: (nextTime, nextNumber) = (playlist.window.start, nil)
        case .expected:
            let time = playlist.reloadTime ?? MonotonicTime.now
            // If no reload is due yet, a change of the variant has just loaded the playlist: check here whether the
            // stream is stuck in this variant, too.
            if time > MonotonicTime.now { try playlist.checkProgress() }
            guard fetcher.waitInterruption.sleep(until: time) else {
                throw MediaError(.interrupted, "was cancelled")
            }
            try playlist.reload()
            isAwaitingSegment = true
        }
        return nil
    }

    private func isNextSegmentListed(in playlist: FollowedPlaylist) -> Bool {
        let number = nextNumber ?? number(at: nextTime, in: playlist.window)
        return playlist.window.segment(number) != nil
    }

    /// Handles the removal of the next segment from the window. Directly after a seek, reading continues at the
    /// window's rejoin position; otherwise reading ends, and ``rejoin`` states where the player has to seek.
    private func handleExpiredSegment(_ window: SegmentWindow, seeksImmediately: Bool) {
        guard !hasOpenedSegment else {
            (segmentReader, hasEnded) = (nil, true)
            return rejoin = LiveRejoin(time: window.rejoinPosition, isImmediate: seeksImmediately)
        }
        (nextTime, nextNumber) = (window.rejoinPosition, nil)
        readEndTime = nextTime
    }

    /// Reloads a live playlist while no segment is needed, and handles the removal of the next segment. If the reload
    /// fails, the playlist stores the error for its warning.
    func refreshPlaylist() {
        guard let playlist, !hasEnded else { return }
        let isOutdated = playlist.isOutdated(at: MonotonicTime.now)
        try? playlist.reload()
        let followingNumber = segmentReader.map { $0.segment.number + 1 } ?? nextNumber
        if playlist.window.hasFallenBehind(followingNumber, segmentReader?.times.upperBound ?? nextTime) {
            handleExpiredSegment(playlist.window, seeksImmediately: isOutdated)
        }
    }

    /// Returns the number of the segment at a time, in nanoseconds on the item's timeline. Skips a segment of which
    /// less than a quarter is left, because playlists round durations; not directly after a seek.
    private func number(at time: Int64, in window: SegmentWindow) -> Int {
        guard let segment = window.segment(at: max(time, window.start)), let times = window.times(of: segment.number)
        else { return window.numbers.upperBound }
        let isAlmostOver = times.upperBound &- time < (times.upperBound &- times.lowerBound) / 4 && !overlapRule.isEmpty
        return isAlmostOver ? segment.number + 1 : segment.number
    }
}
