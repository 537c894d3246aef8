import CFFmpeg
import HTTPTransfer
import StreamPlaylists
import SystemCalls

/// Fetches playlists, keys and initialization sections of a stream. Used by the reading thread.
final class PlaylistFetcher {
    let options: HTTPOptions
    let transfers: HTTPTransfers
    /// The store of the segments that were fetched last.
    let store: SegmentStore
    private let interruption: ReadingInterruption
    /// Whether a pending seek interrupts waits for the network. False while the item is opened, because a seek needs
    /// the open item.
    var seekEndsWaits = false
    /// The manifest of a DASH stream, from which the stream's media playlists are built; nil for HLS.
    var presentation: PresentationFollower?
    /// The cached decryption keys, by address.
    private var keys: [PlaylistAddress: [UInt8]] = [:]
    /// The cached initialization sections.
    private var sections: [InitializationSection: [UInt8]] = [:]

    private static let keySize = 16
    private static let initializationSectionByteLimit = 4 << 20
    /// The maximum number of cached keys, and of cached initialization sections.
    private static let cacheEntryLimit = 256

    init(
        options: HTTPOptions, transfers: HTTPTransfers, store: SegmentStore, interruption: ReadingInterruption
    ) {
        (self.options, self.transfers, self.interruption) = (options, transfers, interruption)
        self.store = store
    }

    /// The text of a playlist and the address from which it was loaded, after all redirects.
    struct LoadedPlaylist {
        var bytes: [UInt8]
        var address: String
    }

    /// Fetches a playlist; repeats failed requests.
    func playlist(_ address: String) throws(MediaError) -> LoadedPlaylist {
        if let path = LocalResource.path(of: address) {
            let bytes = try LocalResource.bytes(at: path, limit: PlaylistLimits().bytes, "a playlist cannot be read")
            return LoadedPlaylist(bytes: bytes, address: address)
        }
        var retry = RetryRule.segment
        while true {
            var request = HTTPRequest(address, options: options)
            (request.allowsCompression, request.isMedia) = (true, false)
            var retryAfter: Int64?
            do throws(HTTPError) {
                let transfer = try transfers.start(request)
                defer { retryAfter = transfer.response?.retryAfter }
                guard let response = try transfer.waitForResponse(waitInterruption) else {
                    throw Self.cancellationError(address)
                }
                let bytes = try readAll(transfer, limit: PlaylistLimits().bytes)
                return LoadedPlaylist(bytes: bytes, address: response.address)
            } catch {
                guard let delay = retry.delay(after: error, hasStarted: false, retryAfter: retryAfter) else {
                    throw MediaError(error, doing: "a playlist cannot be fetched", of: address)
                }
                guard waitInterruption.sleep(until: MonotonicTime.now + delay) else {
                    throw MediaError(
                        Self.cancellationError(address), doing: "a playlist cannot be fetched", of: address)
                }
            }
        }
    }

    /// Returns the decryption key of segments; fetches it if it is not cached.
    func key(_ key: EncryptionKey) throws(MediaError) -> [UInt8] {
        guard let address = key.address else {
            throw MediaError(.unsupportedFormat, "is encrypted with a method that is not supported")
        }
        if let cachedKey = keys[address] { return cachedKey }
        let bytes = try resource(address, nil, limit: Self.keySize + 1, "a key cannot be fetched")
        guard bytes.count == Self.keySize else {
            throw MediaError(.input, "a key has \(bytes.count) bytes instead of \(Self.keySize)")
        }
        if keys.count >= Self.cacheEntryLimit { keys = [:] }
        keys[address] = bytes
        return bytes
    }

    /// Returns an initialization section, decrypted if necessary; fetches it if it is not cached.
    func section(_ section: InitializationSection) throws(MediaError) -> [UInt8] {
        if let cachedSection = sections[section] { return cachedSection }
        var bytes = try resource(
            section.address, section.byteRange, limit: Self.initializationSectionByteLimit,
            "an initialization section cannot be fetched")
        if let key = section.key {
            let cipher = try SegmentCipher(key: self.key(key), vector: key.initializationVector(ofSegment: 0))
            bytes = cipher.decrypt(bytes) + cipher.finish()
        }
        if sections.count >= Self.cacheEntryLimit { sections = [:] }
        sections[section] = bytes
        return bytes
    }

    /// Fetches a resource or a part of it, or decodes it from a `data:` address.
    private func resource(
        _ address: PlaylistAddress, _ range: ByteRange?, limit: Int, _ action: String
    ) throws(MediaError) -> [UInt8] {
        let url = address.url
        if url.lowercased().hasPrefix("data:") {
            guard let bytes = DataURL.bytes(of: url) else {
                throw MediaError(.input, "\(action): data: is malformed")
            }
            return bytes
        }
        if let path = LocalResource.path(of: url) {
            return try LocalResource.bytes(at: path, range, limit: limit, action)
        }
        let file = HTTPFile(
            url, part: range.map { ByteSpan(start: Int64($0.offset), end: Int64($0.end)) }, options: options,
            transfers: transfers, cacheLimit: 0, retry: .segment, isMedia: false)
        do throws(HTTPError) {
            var allBytes: [UInt8] = [], chunk = [UInt8](repeating: 0, count: 64 * 1024)
            while allBytes.count < limit {
                let result: Result<Int?, HTTPError> = chunk.withUnsafeMutableBytes { target in
                    do throws(HTTPError) { return .success(try file.read(into: target, waitInterruption)) } catch {
                        return .failure(error)
                    }
                }
                guard let count = try result.get() else { throw Self.cancellationError(url) }
                if count == 0 { return allBytes }
                allBytes += chunk[..<count]
            }
            return Array(allBytes.prefix(limit))
        } catch { throw MediaError(error, doing: action, of: url) }
    }

    /// The interruption that ends waits for the network when the item is closed or, after opening, when a seek is
    /// pending.
    var waitInterruption: TransferInterruption { interruption.forTransfers(stopsForSeek: seekEndsWaits) }

    private static func cancellationError(_ address: String) -> HTTPError {
        HTTPError(.cancelled, address, "was cancelled")
    }

    private func readAll(_ transfer: HTTPTransfer, limit: Int) throws(HTTPError) -> [UInt8] {
        var allBytes: [UInt8] = []
        while let part = try transfer.next(64 * 1024, waitInterruption) {
            guard case .bytes(let bytes) = part else { return allBytes }
            allBytes += bytes
            guard allBytes.count <= limit else {
                throw HTTPError(.tooLarge, transfer.request.address, "is larger than \(limit) bytes")
            }
        }
        throw Self.cancellationError(transfer.request.address)
    }
}

/// Decodes `data:` addresses (RFC 2397).
enum DataURL {
    /// Returns the bytes that a `data:` address contains; nil if it is malformed.
    static func bytes(of address: String) -> [UInt8]? {
        guard let commaIndex = address.firstIndex(of: ",") else { return nil }
        let bytes = PercentEncoding.decodedBytes(String(address[address.index(after: commaIndex)...]))
        guard address[..<commaIndex].lowercased().hasSuffix(";base64") else { return bytes }
        var decodedBytes = [UInt8](repeating: 0, count: bytes.count * 3 / 4 + 4)
        let count = av_base64_decode(
            &decodedBytes, String(decoding: bytes, as: UTF8.self), Int32(clamping: decodedBytes.count))
        return count >= 0 ? Array(decodedBytes[..<Int(count)]) : nil
    }
}
