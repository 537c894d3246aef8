import HTTPTransfer
import StreamPlaylists
import SystemCalls

/// The manifest of a DASH stream, which is reloaded while the stream is live, and the playlists built from it. Used by
/// the thread that uses the ``PlaylistFetcher``.
final class PresentationFollower {
    private(set) var state: PresentationState
    /// The error of the last load of the manifest; nil after a load that succeeded.
    private(set) var loadFailure: MediaError?

    /// The shortest time between two loads of the manifest, in nanoseconds.
    private static let minimumInterval: Int64 = 500_000_000

    init(_ state: PresentationState) { self.state = state }

    /// Descriptions of the mistakes in the manifest and of its unsupported parts.
    var warnings: [String] { state.presentation.warnings.map { "\($0)" } }

    /// Returns the media playlist of a track; reloads the manifest first if it is live and due for a reload.
    ///
    /// - Parameters:
    ///   - address: The track's address in ``PresentationTracks/playlist``.
    ///   - knownSegments: The segments of the track that the last call returned.
    /// - Returns: nil if the address is not that of a track.
    func playlist(
        at address: String, knownSegments: [MediaSegment], _ fetcher: PlaylistFetcher
    ) throws(MediaError) -> MediaPlaylist? {
        guard let fragment = URIReference(address).fragment, let track = state.tracks.tracks[String(fragment)] else {
            return nil
        }
        if state.presentation.isLive {
            if knownSegments.isEmpty { synchronizeClock(fetcher) }
            try reload(fetcher)
        }
        for section in state.missingIndexes(of: track) {
            let bytes = try fetcher.section(section)
            do throws(ManifestError) { state.add(try SegmentIndex(bytes), at: section) } catch {
                throw MediaError(error)
            }
        }
        do throws(ManifestError) {
            return try state.playlist(track, knownSegments: knownSegments, hostTime: MonotonicTime.now)
        } catch { throw MediaError(error) }
    }

    /// Reloads the manifest if it may have changed. After a failed load the old manifest stays in use, and
    /// ``loadFailure`` states the error: a live stream that stops is recognised by its lack of new segments.
    private func reload(_ fetcher: PlaylistFetcher) throws(MediaError) {
        guard let period = state.presentation.minimumUpdatePeriod,
            MonotonicTime.now - state.loadTime >= max(period, Self.minimumInterval)
        else { return }
        state.loadTime = MonotonicTime.now
        do throws(MediaError) {
            let response = try fetcher.playlist(state.address)
            loadFailure = nil
            do throws(ManifestError) { try state.update(response.bytes, address: response.address) } catch {
                loadFailure = MediaError(error)
            }
        } catch  where error.code != .interrupted && error.code != .untrustedServer { loadFailure = error }
    }

    /// Obtains the server's time from the first source that works: the sources that the manifest names, the date of the
    /// manifest's response, or the clock of this machine.
    private func synchronizeClock(_ fetcher: PlaylistFetcher) {
        for source in state.presentation.clockSources {
            let date: Int64? =
                switch source {
                case .direct(let date): date.clampedSum(MonotonicTime.now - state.loadTime)
                case .head(let address): fetcher.serverDate(address.url)
                case .content(let address):
                    (try? fetcher.playlist(address.url)).flatMap { response in
                        ISO8601Date.nanoseconds(response.bytes.filter { $0 > 0x20 })
                    }
                }
            if let date { return state.clockOffset = date.clampedDifference(MonotonicTime.now) }
        }
        if state.clockOffset == nil { state.clockOffset = MonotonicTime.wallClock - MonotonicTime.now }
    }
}

extension PlaylistFetcher {
    /// Returns the `Date` field of the HTTP response for an address, in nanoseconds since 1970; nil if the response has
    /// no such field. Does not receive the content.
    func serverDate(_ address: String) -> Int64? {
        let transfer = try? transfers.start(HTTPRequest(address, options: options))
        guard let response = try? transfer?.waitForResponse(waitInterruption) else { return nil }
        return response.fields["date"].flatMap { HTTPDate.nanoseconds($0) }
    }
}

/// Reads dates of HTTP header fields.
enum HTTPDate {
    /// Reads a date such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
    ///
    /// - Returns: Nanoseconds since 1970; nil for other forms, which servers no longer send.
    static func nanoseconds(_ text: String) -> Int64? {
        let dateFields = text.split(separator: " ")
        guard dateFields.count == 6, dateFields[5] == "GMT", let month = months.firstIndex(of: String(dateFields[2]))
        else {
            return nil
        }
        let monthText = month + 1 < 10 ? "0\(month + 1)" : "\(month + 1)"
        return ISO8601Date.nanoseconds("\(dateFields[3])-\(monthText)-\(dateFields[1])T\(dateFields[4])Z".utf8)
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
