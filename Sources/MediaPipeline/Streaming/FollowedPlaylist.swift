import SystemCalls

/// The media playlist of a variant or rendition, which is reloaded while it is live. Used by the reading thread.
final class FollowedPlaylist {
    /// What the playlist says about a segment.
    enum Lookup {
        case segment(MediaSegment)
        /// The segment is not listed yet; the playlist is to be reloaded.
        case expected
        /// The segment is no longer listed.
        case passed
        /// The stream ended before the segment.
        case ended
    }

    private let address: String
    private let imports: [String: String]
    private let fetcher: PlaylistFetcher
    private(set) var window: SegmentWindow
    /// The host time at which the last load began.
    private var loadTime: Int64
    /// The host time of the last load that brought a new segment.
    private var growthTime: Int64
    private var lastChange: PlaylistChange?
    /// Why the last load failed; nil after a load that succeeded.
    private var loadFailure: MediaError?
    /// The number of successful loads.
    private(set) var loadCount = 1
    /// Whether ``takeWarning()`` has returned that the stream does not continue.
    private var hasWarned = false
    /// The number of reloads in a row that went backwards after which the server counts as restarted.
    private static let restartLimit = 3

    /// Loads the playlist.
    ///
    /// - Parameter other: The window of another variant or rendition of the same item.
    init(
        _ address: String, imports: [String: String], alignedWith other: SegmentWindow?, _ fetcher: PlaylistFetcher
    ) throws(MediaError) {
        (self.address, self.imports, self.fetcher) = (address, imports, fetcher)
        (loadTime, growthTime) = (MonotonicTime.now, MonotonicTime.now)
        let playlist = try Self.load(address, imports, [], fetcher)
        window = other.map { SegmentWindow(playlist, alignedWith: $0) } ?? SegmentWindow(playlist)
    }

    /// Takes over how long `other`, a variant of the same stream, has not continued, unless this playlist has newer
    /// segments: a stream whose server is stuck does not continue in another variant either.
    func inheritSilence(from other: FollowedPlaylist) {
        guard window.end <= other.window.end else { return }
        (growthTime, hasWarned) = (other.growthTime, other.hasWarned)
    }

    /// Uses a playlist that was loaded already.
    init(_ playlist: MediaPlaylist, address: String, _ fetcher: PlaylistFetcher) {
        (self.address, self.fetcher, imports) = (address, fetcher, [:])
        (loadTime, growthTime) = (MonotonicTime.now, MonotonicTime.now)
        window = SegmentWindow(playlist)
    }

    private static func load(
        _ address: String, _ imports: [String: String], _ known: [MediaSegment], _ fetcher: PlaylistFetcher
    ) throws(MediaError) -> MediaPlaylist {
        if let playlist = try fetcher.presentation?.playlist(at: address, known: known, fetcher) { return playlist }
        let text = try fetcher.playlist(address)
        do throws(PlaylistError) {
            return try MediaPlaylist(text.bytes, address: text.address, imports: imports, known: known)
        } catch { throw MediaError(error) }
    }

    /// Returns what the playlist says about a segment.
    func lookup(_ number: Int) -> Lookup {
        if let segment = window.segment(number) { return .segment(segment) }
        if number < window.numbers.lowerBound { return .passed }
        if window.playlist.isEnded || window.playlist.isComplete { return .ended }
        return .expected
    }

    /// The host time of the next load, in nanoseconds; nil if the playlist will not change.
    var reloadTime: Int64? {
        window.playlist.isComplete ? nil : loadTime + window.reloadInterval(after: lastChange)
    }

    /// Whether the playlist was not reloaded for several intervals, as while playback is paused.
    func isOutdated(at now: Int64) -> Bool {
        !window.playlist.isComplete && now - loadTime > 2 * window.reloadInterval(after: nil)
    }

    /// Counts the time without new segments from now on, after the playlist was not followed for a while.
    func resume() { growthTime = MonotonicTime.now }

    /// Returns, once for each pause of the server, a warning that a live stream does not continue.
    func takeWarning() -> MediaError? {
        let silence = loadTime - growthTime
        guard !hasWarned, !window.playlist.isComplete, silence > window.playlist.targetDuration * 2 else { return nil }
        hasWarned = true
        return silenceError(silence)
    }

    /// Describes a live stream that has not continued for `silence` nanoseconds.
    private func silenceError(_ silence: Int64) -> MediaError {
        let reason = (loadFailure ?? fetcher.presentation?.loadFailure).map { ": \($0)" } ?? ""
        return MediaError(.network, "the live stream has not continued for \(silence / 1_000_000_000) s\(reason)")
    }

    /// Loads the playlist again and merges it.
    ///
    /// - Throws: Why it cannot be loaded, or that a live stream has not continued for too long.
    func reload() throws(MediaError) {
        loadTime = MonotonicTime.now
        let new: MediaPlaylist
        do throws(MediaError) {
            new = try Self.load(address, imports, window.segments, fetcher)
            loadFailure = nil
        } catch {
            loadFailure = error
            // While playback has something ahead, the network may be gone for a moment.
            guard error.code == .network, loadTime - growthTime < window.stuckInterval else { throw error }
            return lastChange = .unchanged
        }
        let change = window.update(new)
        (lastChange, loadCount) = (change, loadCount + 1)
        switch change {
        case .advanced(added: 1..., removed: _), .jumped: (growthTime, hasWarned) = (loadTime, false)
        case .reset where window.staleReloadCount >= Self.restartLimit:
            window.restart(with: new)
            (growthTime, hasWarned) = (loadTime, false)
        default: try checkProgress()
        }
    }

    /// - Throws: An error if a live stream has had no new segment for too long.
    func checkProgress() throws(MediaError) {
        guard !window.playlist.isComplete, MonotonicTime.now - growthTime > window.stuckInterval else { return }
        throw silenceError(window.stuckInterval)
    }
}

extension MediaError {
    /// Describes a playlist that cannot be used.
    init(_ error: PlaylistError) {
        let code: Code =
            switch error.reason {
            case .refusedScheme: .refusedByPolicy
            default: .corrupt
            }
        self.init(code, "the playlist cannot be used: \(error)")
    }
}
