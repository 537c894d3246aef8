import HTTPTransfer
import StreamPlaylists
import SystemCalls

/// Fetches the bytes of one segment: first the initialization section, then the decrypted content. Used by the reading
/// thread.
final class SegmentBytes {
    /// The reason why the bytes ended before the end of the segment.
    enum EarlyEnd {
        /// The item was closed or a seek is pending.
        case interrupted
        /// ``shouldAbandon`` has ended the download.
        case abandoned
        case failed(MediaError)
    }

    let segment: MediaSegment
    /// The network resource of the segment; nil if the content is taken from the ``SegmentStore``.
    private let file: HTTPFile?
    /// The received content, for the ``SegmentStore``; nil if it is too large or was taken from the store.
    private var keptContent: [UInt8]? = []
    private let cipher: SegmentCipher?
    private let fetcher: PlaylistFetcher
    /// Decides whether to abandon the download; called about once per ``checkInterval`` while the segment is loading.
    private let shouldAbandon: (SegmentBytes) -> Bool
    /// The bytes that can be read without waiting.
    private var readyBytes: ArraySlice<UInt8>
    /// The number of bytes of the segment's content that were read from the network.
    private(set) var contentByteCount = 0
    private var isAtEnd = false
    /// The reason why the bytes ended early; nil if they did not.
    private(set) var earlyEnd: EarlyEnd?
    private var nextCheckTime: Int64
    /// The host time of the request, in nanoseconds.
    let requestTime = MonotonicTime.now
    /// The measured download rate of the last second.
    private(set) var rateWindow = DownloadRateWindow()

    private static let checkInterval: Int64 = 100_000_000
    private static let chunkSize = 64 * 1024
    /// The maximum size of a segment in bytes.
    private static let sizeLimit = 256 << 20
    /// The maximum number of received bytes that have not been read yet, while the packet buffer is full.
    static let queueLimit = 32 << 20

    /// Starts to fetch a segment; takes its content from the ``SegmentStore`` if it is kept there.
    init(
        _ segment: MediaSegment, _ fetcher: PlaylistFetcher, shouldAbandon: @escaping (SegmentBytes) -> Bool
    ) throws(MediaError) {
        self.segment = segment
        self.shouldAbandon = shouldAbandon
        self.fetcher = fetcher
        nextCheckTime = requestTime + Self.checkInterval
        readyBytes =
            try segment.initialization.map { section throws(MediaError) in try fetcher.section(section) }.map {
                $0[...]
            }
            ?? []
        cipher = try segment.key.map { key throws(MediaError) in
            try SegmentCipher(
                key: fetcher.key(key), vector: key.initializationVector(ofSegment: segment.number))
        }
        if let content = try Self.localContent(of: segment) ?? fetcher.store.content(of: segment) {
            (file, keptContent, isAtEnd) = (nil, nil, true)
            readyBytes += cipher.map { $0.decrypt(content) + $0.finish() } ?? content
            return
        }
        let range = segment.byteRange.map { ByteSpan(start: Int64($0.offset), end: Int64($0.end)) }
        file = HTTPFile(
            segment.address.url, part: range, options: fetcher.options, transfers: fetcher.transfers, cacheLimit: 0,
            queueLimit: Self.queueLimit, retry: .segment)
    }

    /// Returns the content of a segment that is a local file; nil for an address on the network.
    private static func localContent(of segment: MediaSegment) throws(MediaError) -> [UInt8]? {
        guard let path = LocalResource.path(of: segment.address.url) else { return nil }
        return try LocalResource.bytes(at: path, segment.byteRange, limit: sizeLimit, "a segment cannot be read")
    }

    /// Copies the next bytes to `target`; waits for them if necessary.
    ///
    /// - Returns: The number of bytes; 0 at the end of the segment, or if ``earlyEnd`` is set.
    func read(into target: UnsafeMutableRawBufferPointer) -> Int {
        while readyBytes.isEmpty {
            guard !isAtEnd, earlyEnd == nil else { return 0 }
            fill()
        }
        let part = readyBytes.prefix(target.count)
        target.copyBytes(from: part)
        readyBytes = readyBytes.dropFirst(part.count)
        return part.count
    }

    /// Returns up to `count` bytes from the read position without removing them; waits for them if necessary.
    func peek(_ count: Int) -> [UInt8] {
        while readyBytes.count < count, !isAtEnd, earlyEnd == nil { fill() }
        return Array(readyBytes.prefix(count))
    }

    /// Removes `count` bytes that ``peek(_:)`` has returned.
    func skip(_ count: Int) { readyBytes = readyBytes.dropFirst(count) }

    /// Whether the whole segment was received.
    var isComplete: Bool { isAtEnd && earlyEnd == nil }
    /// The size of the segment's content in bytes; nil if the server does not state it.
    var totalByteCount: Int64? { file?.size }

    /// Returns the measurement of the download so far; nil if the content was taken from the store.
    func sample() -> TransferSample? {
        guard let file else { return nil }
        let times = file.times
        let firstByteTime = times.firstByte ?? MonotonicTime.now
        return TransferSample(
            bytes: file.receivedByteCount, latency: max(0, firstByteTime - times.requested),
            transferTime: max(0, (times.lastByte ?? firstByteTime) - firstByteTime), mediaDuration: segment.duration)
    }

    /// The host time at which the first byte arrived, in nanoseconds; nil before that time.
    var firstByteTime: Int64? { file?.times.firstByte }
    /// The number of bytes that have arrived, including bytes that have not been read yet.
    var receivedByteCount: Int64 { file?.receivedByteCount ?? 0 }

    /// Waits for the next bytes of the content, and checks the progress of the download.
    private func fill() {
        guard let file else { return }
        var chunk = [UInt8](repeating: 0, count: Self.chunkSize)
        let result: Result<Int?, HTTPError> = chunk.withUnsafeMutableBytes { target in
            do throws(HTTPError) {
                return .success(try file.read(into: target, fetcher.waitInterruption.until(nextCheckTime)))
            } catch { return .failure(error) }
        }
        let now = MonotonicTime.now
        if now >= nextCheckTime {
            nextCheckTime = now + Self.checkInterval
            rateWindow.update(bytes: receivedByteCount, at: now)
            if shouldAbandon(self) { return earlyEnd = .abandoned }
        }
        switch result {
        case .failure(let error):
            earlyEnd = .failed(MediaError(error, doing: "a segment cannot be fetched", of: file.address))
        case .success(nil): if fetcher.waitInterruption.isRequested() { earlyEnd = .interrupted }
        case .success(0):
            isAtEnd = true
            if let cipher { readyBytes += cipher.finish() }
            if let content = keptContent.take() { fetcher.store.insert(content, of: segment) }
        case .success(let count?):
            contentByteCount += count
            guard contentByteCount <= Self.sizeLimit else {
                return earlyEnd = .failed(MediaError(.input, "a segment is larger than \(Self.sizeLimit) bytes"))
            }
            let bytes = Array(chunk[..<count])
            keep(bytes)
            readyBytes += cipher?.decrypt(bytes) ?? bytes
        }
    }

    /// Appends received bytes to the content for the ``SegmentStore``, unless the segment is too large for the store.
    private func keep(_ bytes: [UInt8]) {
        guard let keptCount = keptContent?.count else { return }
        let limit = fetcher.store.segmentLimit
        guard keptCount + bytes.count <= limit else { return keptContent = nil }
        // Reserve the exact size: an array that grows by itself may allocate twice as much as the segment needs.
        if keptCount == 0, let totalCount = totalByteCount.flatMap({ Int(exactly: $0) }), totalCount <= limit {
            keptContent?.reserveCapacity(totalCount)
        }
        keptContent?.append(contentsOf: bytes)
    }
}
