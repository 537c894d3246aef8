import HTTPTransfer
import StreamPlaylists
import SystemCalls

/// The packets of a file or address. Recognises, by the first bytes, whether it is a stream of segments
/// (``StreamSource``) or a container (``ContainerSource``).
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
        let recognisedSource: any PacketSource =
            if let stream = try openStream() {
                stream
            } else {
                ContainerSource(
                    location, configuration.tracks, readsOtherTracks: configuration.readsOtherTracks, opener: opener)
            }
        source = recognisedSource
        var contents = try recognisedSource.open()
        if let presentation = (recognisedSource as? StreamSource)?.fetcher.presentation {
            contents.info.container = "dash"
            contents.warnings += presentation.warnings
        }
        return contents
    }

    /// Returns the source of an HLS or DASH stream; nil if the location does not denote a stream.
    private func openStream() throws(MediaError) -> StreamSource? {
        if let package = try openPackage() { return package }
        guard let file = try opener.requestRoot(location), let transfers = opener.transfers else { return nil }
        guard let start = try read(file, limit: Self.playlistStart.count + 3) else { return nil }
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if let stream = try openPresentation(file, start: start, transfers) { return stream }
        guard start.starts(with: Self.playlistStart) || start == byteOrderMark + Self.playlistStart else { return nil }
        let limits = PlaylistLimits()
        guard let bytes = try read(file, limit: limits.bytes + 1) else { return nil }
        do throws(PlaylistError) {
            let playlist = try HLSPlaylist(bytes, address: file.address, limits: limits)
            return makeStream(playlist, address: file.address, transfers)
        } catch {
            // A playlist that lists files without any HLS tag is not a stream.
            if error.reason == .notHLS { return nil }
            throw MediaError(error)
        }
    }

    /// Returns the source of a downloaded stream; nil if the location is not that of a package's folder.
    private func openPackage() throws(MediaError) -> StreamSource? {
        guard case .file(let folder)? = try? configuration.policy.locate(location),
            let path = PackageFolder.playlist(of: folder)
        else { return nil }
        try configuration.policy.check(.file(path: path), from: nil)
        let bytes = try LocalResource.bytes(at: path, limit: PlaylistLimits().bytes, "the playlist cannot be read")
        let transfers: HTTPTransfers
        do throws(SystemCallError) { transfers = try HTTPTransfers.shared() } catch {
            throw MediaError(.input, "cannot be opened: \(error.reason)")
        }
        let address = MediaLocation.fileURL(of: path)
        do throws(PlaylistError) {
            return makeStream(try HLSPlaylist(bytes, address: address), address: address, transfers)
        } catch { throw MediaError(error) }
    }

    private func makeStream(_ playlist: HLSPlaylist, address: String, _ transfers: HTTPTransfers) -> StreamSource {
        opener.releaseRequestedRoot()
        demand.downloads.markRootAsPlaylist()
        return StreamSource(
            playlist, address: address, configuration.tracks, demand: demand, options: configuration.policy.http,
            transfers: transfers, store: SegmentStore(limit: configuration.keptByteLimit ?? SegmentStore.defaultLimit),
            interruption: interruption)
    }

    /// Returns the source of a DASH stream; nil if the network resource is not a DASH manifest.
    private func openPresentation(
        _ file: HTTPFile, start: [UInt8], _ transfers: HTTPTransfers
    ) throws(MediaError) -> StreamSource? {
        let isDeclaredManifest = ManifestRecognition.isManifest(
            type: file.response?.fields["content-type"], address: file.address)
        if !isDeclaredManifest {
            guard ManifestRecognition.mayBeXML(start),
                let startBytes = try read(file, limit: ManifestRecognition.byteCount),
                ManifestRecognition.isManifest(startBytes)
            else { return nil }
        }
        guard let bytes = try read(file, limit: PlaylistLimits().bytes + 1) else { return nil }
        do throws(ManifestError) {
            let state = try PresentationState(
                bytes, address: file.address, date: file.response?.fields["date"].flatMap { HTTPDate.nanoseconds($0) })
            let stream = makeStream(
                .multivariant(state.tracks.playlist), address: file.address, transfers)
            stream.fetcher.presentation = PresentationFollower(state)
            return stream
        } catch { throw MediaError(error) }
    }

    /// Returns up to `limit` bytes from the start of a network resource, and moves back to the start; nil if it is
    /// empty.
    private func read(_ file: HTTPFile, limit: Int) throws(MediaError) -> [UInt8]? {
        var bytes: [UInt8] = [], chunk = [UInt8](repeating: 0, count: 64 * 1024)
        defer { file.seek(to: 0) }
        while bytes.count < limit {
            let length = min(chunk.count, limit - bytes.count)
            let waitInterruption = interruption.forTransfers(stopsForSeek: false)
            let result: Result<Int?, HTTPError> = chunk.withUnsafeMutableBytes { target in
                do throws(HTTPError) {
                    return .success(try file.read(into: .init(rebasing: target[..<length]), waitInterruption))
                } catch { return .failure(error) }
            }
            switch result {
            case .failure(let error): throw MediaError(error, doing: "cannot be fetched")
            case .success(nil): throw MediaError(.interrupted, "was cancelled")
            case .success(0): return bytes.isEmpty ? nil : bytes
            case .success(let count?): bytes += chunk[..<count]
            }
        }
        return bytes
    }

    func select(_ tracks: PlayedTracks) { source?.select(tracks) }

    func read() throws(MediaError) -> PacketSourceItem {
        try source?.read() ?? .end(length: nil, failure: MediaError(.input, "is not open"))
    }

    func seek(to time: Int64) throws(MediaError) {
        demand.downloads.seek(to: time)
        try source?.seek(to: time)
    }

    func advanceToKeyframe(after time: Int64, upTo limit: Int64) throws(MediaError) -> KeyframeMoveResult {
        try source?.advanceToKeyframe(after: time, upTo: limit) ?? .notFound
    }

    func earlierSubtitle(of track: Int, before time: Int64) -> SubtitleStart? {
        source?.earlierSubtitle(of: track, before: time)
    }

    var refreshTime: Int64? { source?.refreshTime }
    func refresh() -> PacketSourceItem? { source?.refresh() }

    func setKeptByteLimit(_ limit: Int) -> [DroppedBytes] {
        opener.setKeptByteLimit(limit) + (source?.setKeptByteLimit(limit) ?? [])
    }

    func close() {
        source?.close()
        source = nil
    }

    func interrupt() { interruption.interrupt() }
    func setSeekIsPending(_ isPending: Bool) { interruption.setSeekIsPending(isPending) }
}
