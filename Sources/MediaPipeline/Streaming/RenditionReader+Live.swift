import SystemCalls

/// The next segment of a playlist, and how a live playlist is followed.
extension RenditionReader {
    /// Returns the next segment. If a live playlist does not list it yet, waits for the next load and loads it.
    ///
    /// - Returns: nil if no segment follows (``hasEnded``), or if the next one is not listed yet.
    func nextSegment(of playlist: FollowedPlaylist) throws(MediaError) -> MediaSegment? {
        isAwaitingSegment = false
        let isOutdated = playlist.isOutdated(at: MonotonicTime.now)
        if let time = playlist.reloadTime, time <= MonotonicTime.now, isListed(in: playlist) {
            // The window is kept up to date while older segments are read. If that fails, they can still be read, and
            // the playlist keeps the reason for its warning.
            try? playlist.reload()
        }
        // After a server has started its numbers again, the position determines the next segment.
        if let number = nextNumber, number > playlist.window.numbers.upperBound { nextNumber = nil }
        guard !playlist.window.isBehind(nextNumber, nextTime) else {
            handleExpiredSegment(playlist.window, seeksImmediately: isOutdated)
            return nil
        }
        let number = nextNumber ?? number(at: nextTime, in: playlist.window)
        switch playlist.lookup(number) {
        case .segment(let segment):
            nextNumber = number
            return segment
        case .ended: hasEnded = true
        // A single missing segment is passed over.
        case .passed: (nextTime, nextNumber) = (playlist.window.start, nil)
        case .expected:
            let time = playlist.reloadTime ?? MonotonicTime.now
            // Another variant of a stuck stream was just loaded, and has nothing new either.
            if time > MonotonicTime.now { try playlist.checkProgress() }
            guard fetcher.waits.sleep(until: time) else {
                throw MediaError(.interrupted, "was cancelled")
            }
            try playlist.reload()
            isAwaitingSegment = true
        }
        return nil
    }

    private func isListed(in playlist: FollowedPlaylist) -> Bool {
        let number = nextNumber ?? number(at: nextTime, in: playlist.window)
        return playlist.window.segment(number) != nil
    }

    /// Handles the removal of the next segment from the window. After a seek, reading continues where the window
    /// permits it; otherwise it ends, because the player has to seek.
    private func handleExpiredSegment(_ window: SegmentWindow, seeksImmediately: Bool) {
        guard !hasOpenedSegment else {
            (current, hasEnded) = (nil, true)
            return rejoin = LiveRejoin(time: window.rejoinPosition, isImmediate: seeksImmediately)
        }
        (nextTime, nextNumber) = (window.rejoinPosition, nil)
        readTime = nextTime
    }

    /// Loads a live playlist again while no segment is needed, and handles the removal of the next segment. If that
    /// fails, the playlist keeps the reason for its warning.
    func refreshPlaylist() {
        guard let playlist, !hasEnded else { return }
        let isOutdated = playlist.isOutdated(at: MonotonicTime.now)
        try? playlist.reload()
        let next = current.map { $0.segment.number + 1 } ?? nextNumber
        if playlist.window.isBehind(next, current?.times.upperBound ?? nextTime) {
            handleExpiredSegment(playlist.window, seeksImmediately: isOutdated)
        }
    }

    /// Returns the number of the segment at a time: the one that contains it, or the next one if it contains almost
    /// nothing behind it, because the durations in a playlist are rounded.
    private func number(at time: Int64, in window: SegmentWindow) -> Int {
        guard let segment = window.segment(at: max(time, window.start)), let times = window.times(of: segment.number)
        else { return window.numbers.upperBound }
        let isAlmostOver = times.upperBound &- time < (times.upperBound &- times.lowerBound) / 4 && !seam.isEmpty
        return isAlmostOver ? segment.number + 1 : segment.number
    }
}
