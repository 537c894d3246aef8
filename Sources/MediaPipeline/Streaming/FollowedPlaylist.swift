import SystemCalls

/// The media playlist of a variant or rendition, which is reloaded while it is live. Used by the reading thread.
final class FollowedPlaylist {
    /// What the playlist says about a segment.
    enum Lookup {
        case segment(MediaSegment)
        /// The segment is not listed yet; the playlist is to be reloaded at a host time in nanoseconds.
        case expected(reloadAt: Int64)
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

    /// Uses a playlist that was loaded already.
    init(_ playlist: MediaPlaylist, address: String, _ fetcher: PlaylistFetcher) {
        (self.address, self.fetcher, imports) = (address, fetcher, [:])
        (loadTime, growthTime) = (MonotonicTime.now, MonotonicTime.now)
        window = SegmentWindow(playlist)
    }

    private static func load(
        _ address: String, _ imports: [String: String], _ known: [MediaSegment], _ fetcher: PlaylistFetcher
    ) throws(MediaError) -> MediaPlaylist {
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
        return .expected(reloadAt: loadTime + window.reloadInterval(after: lastChange))
    }

    /// Loads the playlist again and merges it.
    ///
    /// - Throws: Why it cannot be loaded, or that a live stream has not continued for too long.
    func reload() throws(MediaError) {
        loadTime = MonotonicTime.now
        let new: MediaPlaylist
        do throws(MediaError) { new = try Self.load(address, imports, window.segments, fetcher) } catch {
            // While playback has something ahead, the network may be gone for a moment.
            guard error.code == .network, loadTime - growthTime < window.stuckInterval else { throw error }
            return lastChange = .unchanged
        }
        let change = window.update(new)
        lastChange = change
        switch change {
        case .advanced(added: 1..., removed: _), .jumped: growthTime = loadTime
        case .reset where window.staleReloadCount >= Self.restartLimit:
            window.restart(with: new)
            growthTime = loadTime
        default:
            if !window.playlist.isComplete, MonotonicTime.now - growthTime > window.stuckInterval {
                throw MediaError(
                    .network, "the live stream has not continued for \(window.stuckInterval / 1_000_000_000) s")
            }
        }
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
