import HTTPTransfer
import SystemCalls

/// The packets of what a location denotes: a container (``ContainerSource``), or a stream of segments
/// (``StreamSource``), which is recognised by the start of its playlist.
///
/// `@unchecked Sendable`: `source` and `opener` belong to the reading thread, and `interruption`, which other threads
/// use, is Sendable.
final class ItemSource: PacketSource, @unchecked Sendable {
    private let location: String
    private let configuration: MediaSourceConfiguration
    private let demand: StreamDemand
    private let interruption: ReadingInterruption
    private let opener: MediaOpener
    /// The recognised source; nil before ``open()``.
    private var source: (any PacketSource)?

    /// The start of every HLS playlist (RFC 8216, section 4.3.1.1).
    private static let playlistStart = Array("#EXTM3U".utf8)

    init(
        _ location: String, _ configuration: MediaSourceConfiguration, demand: StreamDemand
    ) throws(SystemCallError) {
        (self.location, self.configuration, self.demand) = (location, configuration, demand)
        interruption = try ReadingInterruption()
        opener = try MediaOpener(
            policy: configuration.policy, interruption: interruption, keptByteLimit: configuration.keptByteLimit)
    }

    func open() throws(MediaError) -> PacketSourceContents {
        let found: any PacketSource =
            if let stream = try openStream() {
                stream
            } else {
                ContainerSource(
                    location, configuration.tracks, readsOtherTracks: configuration.readsOtherTracks, opener: opener)
            }
        source = found
        return try found.open()
    }

    /// Returns the source of a stream; nil if the location does not denote one.
    private func openStream() throws(MediaError) -> StreamSource? {
        guard let file = try opener.requestRoot(location), let transfers = opener.transfers else { return nil }
        guard let start = try read(file, limit: Self.playlistStart.count + 3) else { return nil }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        guard start.starts(with: Self.playlistStart) || start == mark + Self.playlistStart else { return nil }
        let limits = PlaylistLimits()
        guard let bytes = try read(file, limit: limits.bytes + 1) else { return nil }
        do throws(PlaylistError) {
            let playlist = try HLSPlaylist(bytes, address: file.address, limits: limits)
            return StreamSource(
                playlist, address: file.address, configuration.tracks, demand: demand,
                options: configuration.policy.http, transfers: transfers, interruption: interruption)
        } catch {
            // A list of files is not a stream.
            if error.reason == .notStreaming { return nil }
            throw MediaError(error)
        }
    }

    /// Reads the start of a resource, and moves back to its start. Nil if there is nothing to read.
    private func read(_ file: HTTPFile, limit: Int) throws(MediaError) -> [UInt8]? {
        var all: [UInt8] = [], chunk = [UInt8](repeating: 0, count: 64 * 1024)
        defer { file.seek(to: 0) }
        while all.count < limit {
            let length = min(chunk.count, limit - all.count)
            let waits = interruption.forTransfers(seekEnds: false)
            let result: Result<Int?, HTTPError> = chunk.withUnsafeMutableBytes { target in
                do throws(HTTPError) {
                    return .success(try file.read(into: .init(rebasing: target[..<length]), waits))
                } catch { return .failure(error) }
            }
            switch result {
            case .failure(let error): throw MediaError(error, doing: "cannot be fetched")
            case .success(nil): throw MediaError(.interrupted, "was cancelled")
            case .success(0): return all.isEmpty ? nil : all
            case .success(let count?): all += chunk[..<count]
            }
        }
        return all
    }

    func select(_ tracks: PlayedTracks) { source?.select(tracks) }

    func read() throws(MediaError) -> PacketSourceItem {
        try source?.read() ?? .end(length: nil, failure: MediaError(.input, "is not open"))
    }

    func seek(to time: Int64) throws(MediaError) { try source?.seek(to: time) }

    func advanceToKeyframe(after time: Int64, upTo limit: Int64) throws(MediaError) -> KeyframeOutcome {
        try source?.advanceToKeyframe(after: time, upTo: limit) ?? .none
    }

    func earlierSubtitle(of track: Int, before time: Int64) -> SubtitleStart? {
        source?.earlierSubtitle(of: track, before: time)
    }

    func close() {
        source?.close()
        source = nil
    }

    func interrupt() { interruption.interrupt() }
    func setSeekIsPending(_ isPending: Bool) { interruption.setSeekIsPending(isPending) }
}
