import HTTPTransfer
import SystemCalls

/// The bytes of one segment while it is fetched: initialization section, then content, decrypted. Used by the reading
/// thread.
final class SegmentBytes {
    /// Why the bytes ended before the end of the segment.
    enum Stop {
        /// The item was closed or a seek is pending.
        case interrupted
        /// ``checkProgress`` ended the download.
        case abandoned
        case failed(MediaError)
    }

    let segment: MediaSegment
    /// The resource; nil if the content is taken from the store.
    private let file: HTTPFile?
    /// The received content, for the store; nil if it is too large or was taken from the store.
    private var kept: [UInt8]? = []
    private let cipher: SegmentCipher?
    private let fetcher: PlaylistFetcher
    /// Called about every ``checkInterval`` while the segment is loading; returns whether to abandon it.
    private let checkProgress: (SegmentBytes) -> Bool
    /// The bytes that can be read without waiting.
    private var ready: ArraySlice<UInt8>
    /// The number of bytes of content that have arrived.
    private(set) var contentCount = 0
    private var isAtEnd = false
    /// Why the bytes ended early; nil if they did not.
    private(set) var stop: Stop?
    private var nextCheck: Int64
    /// The host time of the request, in nanoseconds.
    let requestTime = MonotonicTime.now
    /// The measured rate of the last second.
    private(set) var rateWindow = DownloadRateWindow()

    private static let checkInterval: Int64 = 100_000_000
    private static let chunkSize = 64 * 1024
    /// The largest segment in bytes.
    private static let sizeLimit = 256 << 20
    /// The number of bytes that wait in the network thread while the packet buffer is full.
    static let queueLimit = 32 << 20

    /// Requests a segment.
    init(
        _ segment: MediaSegment, _ fetcher: PlaylistFetcher, checkProgress: @escaping (SegmentBytes) -> Bool
    ) throws(MediaError) {
        self.segment = segment
        self.checkProgress = checkProgress
        self.fetcher = fetcher
        nextCheck = requestTime + Self.checkInterval
        ready =
            try segment.initialization.map { section throws(MediaError) in try fetcher.section(section) }.map {
                $0[...]
            }
            ?? []
        cipher = try segment.key.map { key throws(MediaError) in
            try SegmentCipher(
                key: fetcher.key(key), vector: key.initializationVector(ofSegment: segment.number))
        }
        if let content = fetcher.store.content(of: segment) {
            (file, kept, isAtEnd) = (nil, nil, true)
            ready += cipher.map { $0.decrypt(content) + $0.finish() } ?? content
            return
        }
        let range = segment.byteRange.map { ByteSpan(start: Int64($0.offset), end: Int64($0.end)) }
        file = HTTPFile(
            segment.address.url, part: range, options: fetcher.options, transfers: fetcher.transfers, cacheLimit: 0,
            queueLimit: Self.queueLimit, retry: .segment)
    }

    /// Reads the next bytes.
    ///
    /// - Returns: The number of bytes; 0 at the end of the segment, or if ``stop`` is set.
    func read(into target: UnsafeMutableRawBufferPointer) -> Int {
        while ready.isEmpty {
            guard !isAtEnd, stop == nil else { return 0 }
            fill()
        }
        let part = ready.prefix(target.count)
        target.copyBytes(from: part)
        ready = ready.dropFirst(part.count)
        return part.count
    }

    /// Returns up to `count` bytes from the start of what can be read, without removing them.
    func peek(_ count: Int) -> [UInt8] {
        while ready.count < count, !isAtEnd, stop == nil { fill() }
        return Array(ready.prefix(count))
    }

    /// Removes bytes that ``peek(_:)`` has returned.
    func skip(_ count: Int) { ready = ready.dropFirst(count) }

    /// Whether the whole segment has arrived.
    var isComplete: Bool { isAtEnd && stop == nil }
    /// The size of the content in bytes; nil if the server does not state it.
    var totalCount: Int64? { file?.size }

    /// The measurement of the download so far; nil if nothing was downloaded.
    func sample() -> TransferSample? {
        guard let file else { return nil }
        let times = file.times
        let first = times.firstByte ?? MonotonicTime.now
        return TransferSample(
            bytes: file.received, latency: max(0, first - times.requested),
            transferTime: max(0, (times.lastByte ?? first) - first), mediaDuration: segment.duration)
    }

    /// The host time at which the first byte arrived, in nanoseconds; nil before that.
    var firstByteTime: Int64? { file?.times.firstByte }
    /// The number of bytes that have arrived, also those that wait in the network thread.
    var received: Int64 { file?.received ?? 0 }

    /// Waits for the next bytes of the content.
    private func fill() {
        guard let file else { return }
        var chunk = [UInt8](repeating: 0, count: Self.chunkSize)
        let result: Result<Int?, HTTPError> = chunk.withUnsafeMutableBytes { target in
            do throws(HTTPError) { return .success(try file.read(into: target, fetcher.waits.until(nextCheck))) } catch
            {
                return .failure(error)
            }
        }
        let now = MonotonicTime.now
        if now >= nextCheck {
            nextCheck = now + Self.checkInterval
            rateWindow.update(bytes: received, at: now)
            if checkProgress(self) { return stop = .abandoned }
        }
        switch result {
        case .failure(let error):
            stop = .failed(MediaError(error, doing: "a segment cannot be fetched", of: file.address))
        case .success(nil): if fetcher.waits.isRequested() { stop = .interrupted }
        case .success(0):
            isAtEnd = true
            if let cipher { ready += cipher.finish() }
            if let content = kept.take() { fetcher.store.insert(content, of: segment) }
        case .success(let count?):
            contentCount += count
            guard contentCount <= Self.sizeLimit else {
                return stop = .failed(MediaError(.input, "a segment is larger than \(Self.sizeLimit) bytes"))
            }
            let bytes = Array(chunk[..<count])
            keep(bytes)
            ready += cipher?.decrypt(bytes) ?? bytes
        }
    }

    /// Adds received bytes to those for the store, unless the segment is too large for it.
    private func keep(_ bytes: [UInt8]) {
        guard let keptCount = kept?.count else { return }
        let limit = fetcher.store.segmentLimit
        guard keptCount + bytes.count <= limit else { return kept = nil }
        // An array that grows by itself may allocate twice of what the segment needs.
        if keptCount == 0, let total = totalCount.flatMap({ Int(exactly: $0) }), total <= limit {
            kept?.reserveCapacity(total)
        }
        kept?.append(contentsOf: bytes)
    }
}
