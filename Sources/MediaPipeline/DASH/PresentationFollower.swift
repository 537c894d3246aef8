import HTTPTransfer
import SystemCalls

/// The manifest of a DASH stream, which is loaded again while it is live, and the playlists of its tracks. Used by the
/// thread that uses the fetcher.
final class PresentationFollower {
    private(set) var state: PresentationState
    /// Why the last load of the manifest failed; nil after a load that succeeded.
    private(set) var loadFailure: MediaError?

    /// The least time between two loads of the manifest, in nanoseconds.
    private static let minimumInterval: Int64 = 500_000_000

    init(_ state: PresentationState) { self.state = state }

    /// What was wrong with the manifest, or is not supported, in words.
    var warnings: [String] { state.presentation.warnings.map { "\($0)" } }

    /// Returns the playlist of a track.
    ///
    /// - Parameters:
    ///   - address: An address of ``PresentationTracks/playlist``.
    ///   - known: The segments of the track that the last call returned.
    /// - Returns: nil if the address is not that of a track.
    func playlist(
        at address: String, known: [MediaSegment], _ fetcher: PlaylistFetcher
    ) throws(MediaError) -> MediaPlaylist? {
        guard let fragment = URIReference(address).fragment, let track = state.tracks.tracks[String(fragment)] else {
            return nil
        }
        if state.presentation.isLive {
            if known.isEmpty { synchronizeClock(fetcher) }
            try reload(fetcher)
        }
        for section in state.missingIndexes(of: track) {
            let bytes = try fetcher.section(section)
            do throws(ManifestError) { state.add(try SegmentIndex(bytes), at: section) } catch {
                throw MediaError(error)
            }
        }
        do throws(ManifestError) {
            return try state.playlist(track, known: known, hostTime: MonotonicTime.now)
        } catch { throw MediaError(error) }
    }

    /// Loads the manifest again if it may have changed. If this fails, the old one is used and ``loadFailure`` says
    /// why: a live stream that does not continue is recognised by its segments.
    private func reload(_ fetcher: PlaylistFetcher) throws(MediaError) {
        guard let period = state.presentation.minimumUpdatePeriod,
            MonotonicTime.now - state.loadTime >= max(period, Self.minimumInterval)
        else { return }
        state.loadTime = MonotonicTime.now
        do throws(MediaError) {
            let text = try fetcher.playlist(state.address)
            loadFailure = nil
            do throws(ManifestError) { try state.update(text.bytes, address: text.address) } catch {
                loadFailure = MediaError(error)
            }
        } catch  where error.code != .interrupted && error.code != .untrustedServer { loadFailure = error }
    }

    /// Learns the time of the server from the first source that works: the manifest's sources, the date of the
    /// manifest's response, or the clock of this machine.
    private func synchronizeClock(_ fetcher: PlaylistFetcher) {
        for source in state.presentation.clockSources {
            let date: Int64? =
                switch source {
                case .direct(let date): date.clampedSum(MonotonicTime.now - state.loadTime)
                case .head(let address): fetcher.serverDate(address.url)
                case .content(let address):
                    (try? fetcher.playlist(address.url)).flatMap { text in
                        ISO8601Date.nanoseconds(text.bytes.filter { $0 > 0x20 })
                    }
                }
            if let date { return state.clockOffset = date.clampedDifference(MonotonicTime.now) }
        }
        if state.clockOffset == nil { state.clockOffset = MonotonicTime.wallClock - MonotonicTime.now }
    }
}

extension PlaylistFetcher {
    /// Returns the date of the response for an address, in nanoseconds since 1970; nil if there is none. The content is
    /// not received.
    func serverDate(_ address: String) -> Int64? {
        let transfer = try? transfers.start(HTTPRequest(address, options: options))
        guard let response = try? transfer?.waitForResponse(waits) else { return nil }
        return response.fields["date"].flatMap { HTTPDate.nanoseconds($0) }
    }
}

/// Reads dates of HTTP header fields.
enum HTTPDate {
    /// Reads a date such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
    ///
    /// - Returns: Nanoseconds since 1970; nil for other forms, which servers no longer send.
    static func nanoseconds(_ text: String) -> Int64? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: String(parts[2])) else {
            return nil
        }
        let number = month + 1 < 10 ? "0\(month + 1)" : "\(month + 1)"
        return ISO8601Date.nanoseconds("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z".utf8)
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
