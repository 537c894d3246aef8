import SystemCalls

/// A resource on a server that is read like a file: sequentially, or from any offset if the server supports byte
/// ranges.
///
/// If a connection breaks, ``RetryRule`` decides when the rest is requested again. Received bytes are cached, so that
/// seeking back needs no request. Used by one thread at a time.
package final class HTTPFile {
    private let options: HTTPOptions
    private let transfers: HTTPTransfers
    /// The requested address, before redirects.
    private let requestedAddress: String
    /// The byte range of the resource that this file reads; nil for the whole resource.
    private let part: ByteSpan?
    /// The maximum number of received bytes that wait for the reader.
    private let queueLimit: Int
    /// Whether the resource is media, not a playlist or a key.
    private let isMedia: Bool
    /// The cache of received bytes.
    private var cache: ByteCache
    /// The running transfers, the most recently used last. A container that stores audio and video far apart needs two.
    private var connections: [HTTPFileConnection] = []
    /// The started transfer whose response head has not arrived yet; nil if there is none. Its content starts at
    /// ``offset``.
    private var pendingTransfer: HTTPTransfer?
    /// The head of the first response; nil before it has arrived.
    package private(set) var response: HTTPResponse?
    /// The offset of the next byte to read, counted from the start of the resource.
    private var offset: Int64
    private var retryRule: RetryRule
    /// The host time at which a failed request is repeated, in nanoseconds; nil if no request has failed.
    private var retryTime: Int64?
    /// The offset at which the content ended, if the server does not state the size; nil until the end is reached.
    private var observedEnd: Int64?

    /// The default limit, in bytes, of the cache for played and read-ahead data.
    package static let defaultCacheLimit = 114 << 20
    /// The maximum number of bytes that are received and skipped to avoid another request.
    private static let skipLimit: Int64 = 512 * 1024
    private static let connectionLimit = 2
    private static let chunkSize = 64 * 1024

    package init(
        _ address: String, part: ByteSpan? = nil, options: HTTPOptions, transfers: HTTPTransfers,
        cacheLimit: Int = HTTPFile.defaultCacheLimit, queueLimit: Int = 4 << 20, retry: RetryRule = RetryRule(),
        isMedia: Bool = true
    ) {
        (requestedAddress, self.part, self.options, self.transfers) = (address, part, options, transfers)
        (self.queueLimit, self.retryRule, self.isMedia) = (queueLimit, retry, isMedia)
        cache = ByteCache(limit: cacheLimit)
        offset = part?.start ?? 0
    }

    // MARK: Properties

    /// The address of the resource after redirects; the requested address before the first response.
    package var address: String { response?.address ?? requestedAddress }
    /// The offset of this file's first byte, counted from the start of the resource.
    private var start: Int64 { part?.start ?? 0 }
    /// The offset after this file's last byte, counted from the start of the resource; nil if it is unknown.
    private var end: Int64? {
        guard let size = response?.resourceSize ?? observedEnd else { return part?.end }
        return min(size, part?.end ?? size)
    }
    /// The size of this file in bytes; nil if the server does not state it.
    package var size: Int64? { response?.resourceSize == nil ? nil : end.map { max(0, $0 - start) } }
    /// Whether the file can be read from any offset.
    package var isSeekable: Bool { response?.acceptsRanges == true && response?.resourceSize != nil }

    // MARK: Reading

    /// Sends the first request and waits for the head of the response.
    ///
    /// - Returns: false if `interruption` ended the wait.
    package func open(_ interruption: TransferInterruption) throws(HTTPError) -> Bool {
        guard response == nil else { return true }
        return try connectionForNextByte(interruption) != nil
    }

    /// Whether this file is a whole resource, not a part of one.
    package var isWhole: Bool { part == nil }

    /// Sets the maximum number of cached bytes.
    ///
    /// - Returns: The cached bytes above the limit, which the caller releases; nil if there were none.
    package func setCacheLimit(_ limit: Int) -> DroppedBytes? { cache.setLimit(limit) }

    /// Moves the read position to an offset, counted from the start of the file.
    package func seek(to position: Int64) {
        let (sum, overflows) = start.addingReportingOverflow(max(0, position))
        let targetOffset = overflows ? .max : sum
        if targetOffset != offset { pendingTransfer = nil }
        offset = targetOffset
    }
    /// The read position: the offset of the next byte, counted from the start of the file.
    package var position: Int64 { offset - start }

    /// Reads the next bytes; waits for them if they are not cached.
    ///
    /// - Returns: The number of bytes read, 0 at the end; nil if `interruption` ended the wait.
    package func read(
        into target: UnsafeMutableRawBufferPointer, _ interruption: TransferInterruption
    ) throws(HTTPError) -> Int? {
        while true {
            if let end, offset >= end { return 0 }
            let count = cache.read(at: offset, into: target)
            if count > 0 {
                offset += Int64(count)
                return count
            }
            guard let connection = try connectionForNextByte(interruption) else { return nil }
            do throws(HTTPError) {
                switch try connection.transfer.next(Self.chunkSize, interruption) {
                case nil: return nil
                case .bytes(let bytes):
                    cache.insert(bytes, at: connection.nextOffset)
                    connection.nextOffset += Int64(bytes.count)
                    retryRule.recordArrival()
                case .end:
                    close(connection)
                    // If the server does not state the size, the end of the response is the end of the resource.
                    if response?.resourceSize == nil { observedEnd = connection.nextOffset }
                }
            } catch {
                close(connection)
                try scheduleRetry(after: error, connection.transfer)
            }
        }
    }

    // MARK: Measurement

    /// The number of bytes received over the most recently used connection, or over the last one that ended.
    package var receivedByteCount: Int64 { connections.last?.transfer.receivedByteCount ?? lastReceivedByteCount }
    /// The host times of the most recently used connection, or of the last one that ended.
    package var times: TransferTimes { connections.last?.transfer.times ?? pendingTransfer?.times ?? lastTimes }
    /// The values of ``receivedByteCount`` and ``times`` when the last connection ended.
    private var lastReceivedByteCount: Int64 = 0, lastTimes = TransferTimes()

    // MARK: Connections

    /// Returns a transfer that delivers the byte at ``offset`` next, or after a few skipped bytes. Starts a
    /// transfer if no running one does so.
    ///
    /// - Returns: nil if `interruption` ended the wait for the response.
    private func connectionForNextByte(_ interruption: TransferInterruption) throws(HTTPError) -> HTTPFileConnection? {
        if let index = connections.firstIndex(where: { canDeliverNextByte($0) }) {
            connections.append(connections.remove(at: index))
            return connections[connections.count - 1]
        }
        while true {
            guard waitToRetry(interruption) else { return nil }
            let transfer =
                if let pendingTransfer = pendingTransfer.take() {
                    pendingTransfer
                } else { try transfers.start(request()) }
            do throws(HTTPError) {
                guard let response = try transfer.waitForResponse(interruption) else {
                    pendingTransfer = transfer
                    return nil
                }
                let connection = HTTPFileConnection(transfer, nextOffset: try startOffset(of: response))
                if self.response == nil { self.response = response }
                if connections.count >= Self.connectionLimit { close(connections[0]) }
                connections.append(connection)
                return connection
            } catch {
                try scheduleRetry(after: error, transfer)
            }
        }
    }

    /// Whether a running transfer delivers the byte at ``offset`` next, or after a few skipped bytes.
    private func canDeliverNextByte(_ connection: HTTPFileConnection) -> Bool {
        let distance = offset - connection.nextOffset
        return distance >= 0 && (distance <= Self.skipLimit || response?.acceptsRanges != true)
    }

    private func close(_ connection: HTTPFileConnection) {
        (lastReceivedByteCount, lastTimes) = (connection.transfer.receivedByteCount, connection.transfer.times)
        connections.removeAll { $0 === connection }
    }

    /// Returns a request for the bytes from ``offset`` on.
    private func request() -> HTTPRequest {
        var request = HTTPRequest(
            requestedAddress, range: ByteSpan(start: offset, end: part?.end ?? nil), options: options)
        (request.validator, request.queueLimit, request.isMedia) = (response?.validator, queueLimit, isMedia)
        return request
    }

    /// Returns the offset, counted from the start of the resource, of the first byte that a response delivers.
    ///
    /// - Throws: `notResumable` if the response does not continue the resource of the first response;
    ///   `protocolViolation` if the first response does not contain the requested bytes.
    private func startOffset(of response: HTTPResponse) throws(HTTPError) -> Int64 {
        let firstOffset = response.isPartial ? response.contentRange?.bytes?.lowerBound ?? 0 : 0
        guard let firstResponse = self.response else {
            guard firstOffset <= offset, offset - firstOffset <= Self.skipLimit || !response.acceptsRanges else {
                throw HTTPError(.protocolViolation, requestedAddress, "the server sent other bytes than requested")
            }
            return firstOffset
        }
        guard
            response.resourceSize == firstResponse.resourceSize || response.resourceSize == nil
                || firstResponse.resourceSize == nil
        else {
            throw HTTPError(.notResumable, requestedAddress, "the file on the server has changed")
        }
        guard firstOffset <= offset, response.isPartial || offset == 0 else {
            throw HTTPError(.notResumable, requestedAddress, "the server cannot send the rest")
        }
        return firstOffset
    }

    /// Determines when a failed request is repeated.
    ///
    /// - Throws: `error` if the request is not repeated.
    private func scheduleRetry(after error: HTTPError, _ transfer: HTTPTransfer) throws(HTTPError) {
        var error = error
        error.attempt = retryRule.failureCount + 1
        let delay = retryRule.delay(
            after: error, hasStarted: response != nil, retryAfter: transfer.response?.retryAfter)
        guard let delay else { throw error }
        retryTime = MonotonicTime.now + delay
    }

    /// Waits until a failed request may be repeated. If `interruption` ends the wait, a later call continues the wait.
    ///
    /// - Returns: false if `interruption` ended the wait.
    private func waitToRetry(_ interruption: TransferInterruption) -> Bool {
        guard let time = retryTime else { return true }
        guard interruption.sleep(until: time) else { return false }
        retryTime = nil
        return true
    }
}

/// A running transfer of an ``HTTPFile``.
private final class HTTPFileConnection {
    let transfer: HTTPTransfer
    /// The offset of the next byte that the transfer delivers, counted from the start of the resource.
    var nextOffset: Int64

    init(_ transfer: HTTPTransfer, nextOffset: Int64) { (self.transfer, self.nextOffset) = (transfer, nextOffset) }
}

extension TransferInterruption {
    /// Waits until the host time `time`, in nanoseconds; returns false if the wait was interrupted, or if ``deadline``
    /// has passed before `time`.
    package func sleep(until time: Int64) -> Bool {
        while !isRequested() {
            let now = MonotonicTime.now
            guard now < time else { return true }
            guard now < deadline ?? .max else { return false }
            var entries = events.map { Poll.Entry($0.raw) }
            _ = try? Poll.wait(&entries, until: min(time, deadline ?? .max))
        }
        return false
    }
}
