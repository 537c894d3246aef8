import SystemCalls

/// A resource on a server, read like a file: sequentially, or from any offset if the server sends ranges.
///
/// If a connection breaks, the rest is requested again by ``RetryRule``. Received bytes are kept, so that seeking back
/// needs no request. Used by one thread at a time.
package final class HTTPFile {
    private let options: HTTPOptions
    private let transfers: HTTPTransfers
    /// The requested address.
    private let requested: String
    /// The part of the resource that this file reads; nil for the whole resource.
    private let part: ByteSpan?
    /// The number of bytes that may wait for the reader.
    private let queueLimit: Int
    /// Whether the resource is media, not a playlist or a key.
    private let isMedia: Bool
    /// The received bytes.
    private var cache: ByteCache
    /// The running transfers, the most recently used last. A container that stores audio and video apart needs two.
    private var connections: [HTTPFileConnection] = []
    /// The transfer whose response has not arrived; nil if there is none. Its first byte is at ``offset``.
    private var pending: HTTPTransfer?
    /// The head of the first response; nil before ``open(_:)``.
    package private(set) var response: HTTPResponse?
    /// The offset of the next byte to read, from the start of the resource.
    private var offset: Int64
    private var retry: RetryRule
    /// The offset at which the content ended although the server did not state its size; nil before that.
    private var foundEnd: Int64?

    /// The default limit of kept bytes: what is read ahead and what was played.
    package static let defaultCacheLimit = 114 << 20
    /// The largest number of bytes that are received and skipped instead of starting another request.
    private static let skipLimit: Int64 = 512 * 1024
    private static let connectionLimit = 2
    private static let chunkSize = 64 * 1024

    package init(
        _ address: String, part: ByteSpan? = nil, options: HTTPOptions, transfers: HTTPTransfers,
        cacheLimit: Int = HTTPFile.defaultCacheLimit, queueLimit: Int = 4 << 20, retry: RetryRule = RetryRule(),
        isMedia: Bool = true
    ) {
        (requested, self.part, self.options, self.transfers) = (address, part, options, transfers)
        (self.queueLimit, self.retry, self.isMedia) = (queueLimit, retry, isMedia)
        cache = ByteCache(limit: cacheLimit)
        offset = part?.start ?? 0
    }

    // MARK: Properties

    /// The address after redirects; the requested address before ``open(_:)``.
    package var address: String { response?.address ?? requested }
    /// The offset of the first byte of this file from the start of the resource.
    private var start: Int64 { part?.start ?? 0 }
    /// The offset behind the last byte from the start of the resource; nil if it is unknown.
    private var end: Int64? {
        guard let size = response?.size ?? foundEnd else { return part?.end }
        return min(size, part?.end ?? size)
    }
    /// The size in bytes; nil if the server does not state it.
    package var size: Int64? { response?.size == nil ? nil : end.map { max(0, $0 - start) } }
    /// Whether any offset can be read.
    package var isSeekable: Bool { response?.acceptsRanges == true && response?.size != nil }

    // MARK: Reading

    /// Sends the first request and waits for the response.
    ///
    /// - Returns: false if `interruption` ended the wait.
    package func open(_ interruption: TransferInterruption) throws(HTTPError) -> Bool {
        guard response == nil else { return true }
        return try connection(interruption) != nil
    }

    /// Moves to an offset from the start of the file.
    package func seek(to position: Int64) {
        let target = start + max(0, position)
        if target != offset { pending = nil }
        offset = target
    }
    /// The offset of the next byte to read, from the start of the file.
    package var position: Int64 { offset - start }

    /// Reads the next bytes.
    ///
    /// - Returns: The number of bytes, 0 at the end; nil if `interruption` ended the wait.
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
            guard let connection = try connection(interruption) else { return nil }
            do throws(HTTPError) {
                switch try connection.transfer.next(Self.chunkSize, interruption) {
                case nil: return nil
                case .bytes(let bytes):
                    cache.insert(bytes, at: connection.next)
                    connection.next += Int64(bytes.count)
                    retry.dataArrived()
                case .end:
                    close(connection)
                    // Without a known size, the resource ends with the response.
                    if response?.size == nil { foundEnd = connection.next }
                }
            } catch {
                close(connection)
                guard try pause(after: error, connection.transfer, interruption) else { return nil }
            }
        }
    }

    // MARK: Measurement

    /// The number of bytes received over the most recently used connection.
    package var received: Int64 { connections.last?.transfer.received ?? lastReceived }
    /// The host times of the most recently used connection.
    package var times: TransferTimes { connections.last?.transfer.times ?? pending?.times ?? lastTimes }
    /// The values of ``received`` and ``times`` when the last connection ended.
    private var lastReceived: Int64 = 0, lastTimes = TransferTimes()

    // MARK: Connections

    /// Returns a transfer whose next byte is at ``offset`` or a little before; starts one if there is none.
    ///
    /// - Returns: nil if `interruption` ended the wait for the response.
    private func connection(_ interruption: TransferInterruption) throws(HTTPError) -> HTTPFileConnection? {
        if let index = connections.firstIndex(where: { reaches($0) }) {
            connections.append(connections.remove(at: index))
            return connections[connections.count - 1]
        }
        while true {
            let transfer = if let pending = pending.take() { pending } else { try transfers.start(request()) }
            do throws(HTTPError) {
                guard let response = try transfer.waitForResponse(interruption) else {
                    pending = transfer
                    return nil
                }
                let connection = HTTPFileConnection(transfer, next: try startOffset(of: response))
                if self.response == nil { self.response = response }
                if connections.count >= Self.connectionLimit { close(connections[0]) }
                connections.append(connection)
                return connection
            } catch {
                guard try pause(after: error, transfer, interruption) else { return nil }
            }
        }
    }

    /// Whether a running transfer delivers the byte at ``offset`` next or soon.
    private func reaches(_ connection: HTTPFileConnection) -> Bool {
        let distance = offset - connection.next
        return distance >= 0 && (distance <= Self.skipLimit || response?.acceptsRanges != true)
    }

    private func close(_ connection: HTTPFileConnection) {
        (lastReceived, lastTimes) = (connection.transfer.received, connection.transfer.times)
        connections.removeAll { $0 === connection }
    }

    /// The request for the bytes from ``offset`` on.
    private func request() -> HTTPRequest {
        var request = HTTPRequest(
            requested, range: ByteSpan(start: offset, end: part?.end ?? nil), options: options)
        (request.validator, request.queueLimit, request.isMedia) = (response?.validator, queueLimit, isMedia)
        return request
    }

    /// Returns the offset of the first byte that a response delivers.
    ///
    /// - Throws: `notResumable` if the response does not continue the resource of the first response.
    private func startOffset(of response: HTTPResponse) throws(HTTPError) -> Int64 {
        let first = response.isPartial ? response.contentRange?.bytes?.lowerBound ?? 0 : 0
        guard let earlier = self.response else {
            guard first <= offset, offset - first <= Self.skipLimit || !response.acceptsRanges else {
                throw HTTPError(.protocolViolation, requested, "the server sent other bytes than requested")
            }
            return first
        }
        guard response.size == earlier.size || response.size == nil || earlier.size == nil else {
            throw HTTPError(.notResumable, requested, "the file on the server has changed")
        }
        guard first <= offset, response.isPartial || offset == 0 else {
            throw HTTPError(.notResumable, requested, "the server cannot send the rest")
        }
        return first
    }

    /// Waits before a failed request is repeated.
    ///
    /// - Returns: false if `interruption` ended the wait.
    /// - Throws: `error` if the request is not repeated.
    private func pause(
        after error: HTTPError, _ transfer: HTTPTransfer, _ interruption: TransferInterruption
    ) throws(HTTPError) -> Bool {
        var error = error
        error.attempt = retry.failures + 1
        let delay = retry.delay(
            after: error, hasStarted: response != nil, retryAfter: transfer.response?.retryAfter)
        guard let delay else { throw error }
        return interruption.sleep(until: MonotonicTime.now + delay)
    }
}

/// A running transfer of an ``HTTPFile``.
private final class HTTPFileConnection {
    let transfer: HTTPTransfer
    /// The offset of the next byte that the transfer delivers.
    var next: Int64

    init(_ transfer: HTTPTransfer, next: Int64) { (self.transfer, self.next) = (transfer, next) }
}

extension TransferInterruption {
    /// Waits until a host time in nanoseconds; returns false if the reader must stop.
    package func sleep(until deadline: Int64) -> Bool {
        while !isRequested() {
            guard MonotonicTime.now < deadline else { return true }
            var entries = events.map { Poll.Entry($0.raw) }
            _ = try? Poll.wait(&entries, until: deadline)
        }
        return false
    }
}
