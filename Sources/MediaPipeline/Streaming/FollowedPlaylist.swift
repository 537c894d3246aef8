import StreamPlaylists
import SystemCalls

/// The media playlist of a variant or rendition, reloaded while the stream is live. Used by the reading thread.
final class FollowedPlaylist {
    /// The state of a segment in the playlist.
    enum LookupResult {
        case segment(MediaSegment)
        /// The segment is not listed yet; reload the playlist.
        case expected
        /// The segment was removed from the playlist.
        case removed
        /// The stream ended before the segment.
        case ended
    }

    private let address: String
    /// The variables of the multivariant playlist, by name, which the tag `EXT-X-DEFINE` can import.
    private let imports: [String: String]
    private let fetcher: PlaylistFetcher
    private(set) var window: SegmentWindow
    /// The host time, in nanoseconds, at which the last load of the playlist began.
    private var loadTime: Int64
    /// The host time, in nanoseconds, of the last load that brought a new segment.
    private var lastNewSegmentTime: Int64
    private var lastChange: PlaylistChange?
    /// The error of the last load of the playlist; nil after a load that succeeded.
    private var loadFailure: MediaError?
    /// The number of successful loads of the playlist.
    private(set) var loadCount = 1
    /// Whether ``takeWarning()`` has already returned the warning that the stream does not continue.
    private var hasWarned = false
    /// The number of consecutive reloads with only older segments after which the server is assumed to have restarted.
    private static let restartLimit = 3

    /// Loads a playlist from the network.
    ///
    /// - Parameter other: The window of another variant or rendition of the same item, to whose timeline the playlist
    ///   is aligned.
    init(
        _ address: String, imports: [String: String], alignedWith other: SegmentWindow?, _ fetcher: PlaylistFetcher
    ) throws(MediaError) {
        (self.address, self.imports, self.fetcher) = (address, imports, fetcher)
        (loadTime, lastNewSegmentTime) = (MonotonicTime.now, MonotonicTime.now)
        let playlist = try Self.load(address, imports, [], fetcher)
        window = other.map { SegmentWindow(playlist, alignedWith: $0) } ?? SegmentWindow(playlist)
    }

    /// Copies the time of the last new segment from `other`, the playlist of another variant, unless this playlist has
    /// newer segments: if the server is stuck, loading another variant must not restart the measurement.
    func inheritStallTime(from other: FollowedPlaylist) {
        guard window.end <= other.window.end else { return }
        (lastNewSegmentTime, hasWarned) = (other.lastNewSegmentTime, other.hasWarned)
    }

    /// Creates the object for a playlist that is already loaded.
    init(_ playlist: MediaPlaylist, address: String, _ fetcher: PlaylistFetcher) {
        (self.address, self.fetcher, imports) = (address, fetcher, [:])
        (loadTime, lastNewSegmentTime) = (MonotonicTime.now, MonotonicTime.now)
        window = SegmentWindow(playlist)
    }

    /// Loads the playlist, or builds it from the manifest if the stream is a DASH stream.
    private static func load(
        _ address: String, _ imports: [String: String], _ knownSegments: [MediaSegment], _ fetcher: PlaylistFetcher
    ) throws(MediaError) -> MediaPlaylist {
        if let playlist = try fetcher.presentation?.playlist(at: address, knownSegments: knownSegments, fetcher) {
            return playlist
        }
        let response = try fetcher.playlist(address)
        do throws(PlaylistError) {
            return try MediaPlaylist(
                response.bytes, address: response.address, imports: imports, knownSegments: knownSegments)
        } catch { throw MediaError(error) }
    }

    /// Returns the state of the segment with a media sequence number.
    func lookup(_ number: Int) -> LookupResult {
        if let segment = window.segment(number) { return .segment(segment) }
        if number < window.numbers.lowerBound { return .removed }
        if window.playlist.isEnded || window.playlist.isComplete { return .ended }
        return .expected
    }

    /// The host time, in nanoseconds, at which to reload the playlist; nil if the playlist will not change.
    var reloadTime: Int64? {
        window.playlist.isComplete ? nil : loadTime + window.reloadInterval(after: lastChange)
    }

    /// Whether more than one reload of the playlist was missed, for example while playback was paused.
    func isOutdated(at now: Int64) -> Bool {
        !window.playlist.isComplete && now - loadTime > 2 * window.reloadInterval(after: nil)
    }

    /// Restarts the measurement of the time without new segments, after the playlist was not reloaded for a while.
    func resetStuckTimer() { lastNewSegmentTime = MonotonicTime.now }

    /// Returns the warning that the live stream does not continue, once for each time that the server is stuck;
    /// otherwise nil.
    func takeWarning() -> MediaError? {
        let stuckTime = loadTime - lastNewSegmentTime
        guard !hasWarned, !window.playlist.isComplete, stuckTime > window.playlist.targetDuration * 2 else {
            return nil
        }
        hasWarned = true
        return stuckStreamError(stuckTime)
    }

    /// Creates the error that a live stream has had no new segment for `stuckTime` nanoseconds.
    private func stuckStreamError(_ stuckTime: Int64) -> MediaError {
        let reason = (loadFailure ?? fetcher.presentation?.loadFailure).map { ": \($0)" } ?? ""
        return MediaError(.network, "the live stream has not continued for \(stuckTime / 1_000_000_000) s\(reason)")
    }

    /// Reloads the playlist and merges it into ``window``.
    ///
    /// - Throws: The error of the load, or the error that a live stream has had no new segment for too long.
    func reload() throws(MediaError) {
        loadTime = MonotonicTime.now
        let reloadedPlaylist: MediaPlaylist
        do throws(MediaError) {
            reloadedPlaylist = try Self.load(address, imports, window.segments, fetcher)
            loadFailure = nil
        } catch {
            loadFailure = error
            // Ignore a short failure of the network: playback continues from the buffer meanwhile.
            guard error.code == .network, loadTime - lastNewSegmentTime < window.stuckInterval else { throw error }
            return lastChange = .unchanged
        }
        let change = window.update(reloadedPlaylist)
        (lastChange, loadCount) = (change, loadCount + 1)
        switch change {
        case .advanced(added: 1..., removed: _), .jumped: (lastNewSegmentTime, hasWarned) = (loadTime, false)
        case .reset where window.staleReloadCount >= Self.restartLimit:
            window.restart(with: reloadedPlaylist)
            (lastNewSegmentTime, hasWarned) = (loadTime, false)
        default: try checkProgress()
        }
    }

    /// Throws an error if a live stream has had no new segment for too long.
    func checkProgress() throws(MediaError) {
        guard !window.playlist.isComplete, MonotonicTime.now - lastNewSegmentTime > window.stuckInterval else { return }
        throw stuckStreamError(window.stuckInterval)
    }
}

extension MediaError {
    /// Creates the error that an HLS playlist cannot be used.
    init(_ error: PlaylistError) {
        let code: Code =
            switch error.reason {
            case .refusedScheme: .refusedByPolicy
            default: .corrupt
            }
        self.init(code, "the playlist cannot be used: \(error)")
    }
}
