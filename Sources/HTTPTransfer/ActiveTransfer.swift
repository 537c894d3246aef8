import CCurl
import SystemCalls

/// A running request, performed by libcurl. Used only by the network thread.
final class ActiveTransfer {
    let request: HTTPRequest
    let channel: TransferChannel
    /// libcurl's easy handle of the request; owned by this object.
    let easyHandle: UnsafeMutableRawPointer
    /// The header fields of the request, which libcurl reads during the transfer.
    private var fieldList: UnsafeMutablePointer<curl_slist>?
    /// The buffer for libcurl's error text; owned by this object.
    private let errorBuffer: UnsafeMutablePointer<CChar>
    /// libcurl's description of the error; empty if no error has occurred.
    var errorDetail: String { String(cString: errorBuffer) }
    /// The status and the header fields of the response head that is being received.
    private var responseHead = (status: 0, fields: HTTPFields())
    /// The number of received and discarded bytes of redirects and error pages.
    private var discardedByteCount = 0
    /// The host time, in nanoseconds, at which the connection was established or bytes last arrived. Nil while libcurl
    /// connects, because libcurl itself limits the time to connect.
    private var lastActivityTime: Int64?
    /// Whether reception is paused because the reader's queue is full.
    private(set) var isPaused = false
    /// The number of received bytes that were reported to the request's observer.
    private(set) var reportedByteCount: Int64 = 0

    /// The maximum number of redirects that are followed.
    static let redirectLimit = 8
    /// The maximum number of bytes of an error page that are received. A connection can be reused only after the whole
    /// page has arrived; if a page is longer, the connection is closed.
    private static let errorPageLimit = 64 * 1024

    init?(_ request: HTTPRequest, _ channel: TransferChannel) {
        guard let easyHandle = curl_easy_init() else { return nil }
        (self.request, self.channel, self.easyHandle) = (request, channel, easyHandle)
        errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(easyHandle)
        curl_slist_free_all(fieldList)
        errorBuffer.deallocate()
    }

    /// The host time, in nanoseconds, at which the transfer fails if the server sends nothing until then; nil while
    /// reception is paused and while libcurl connects.
    var deadline: Int64? { isPaused ? nil : lastActivityTime.map { $0 + request.options.timeout } }

    /// The address of the request after the redirects so far.
    var address: String {
        var text: UnsafePointer<CChar>?
        ccurl_get_text(easyHandle, CURLINFO_EFFECTIVE_URL, &text)
        return text.map { String(cString: $0) } ?? request.address
    }

    /// Sets libcurl's options for the request.
    ///
    /// - Parameter cookieStore: libcurl's store of cookies; must outlive this object. Nil if there is none.
    func prepare(cookieStore: UnsafeMutableRawPointer?) throws(HTTPError) {
        let options = request.options
        let callbackContext = Unmanaged.passUnretained(self).toOpaque()
        ccurl_set_pointer(easyHandle, CURLOPT_ERRORBUFFER, errorBuffer)
        ccurl_set_receiver(easyHandle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            return Unmanaged<ActiveTransfer>.fromOpaque(context).takeUnretainedValue()
                .receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        ccurl_set_pointer(easyHandle, CURLOPT_WRITEDATA, callbackContext)
        ccurl_set_receiver(easyHandle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            Unmanaged<ActiveTransfer>.fromOpaque(context).takeUnretainedValue()
                .receiveHeadLine(UnsafeRawBufferPointer(start: bytes, count: size * count))
            return size * count
        }
        ccurl_set_pointer(easyHandle, CURLOPT_HEADERDATA, callbackContext)
        ccurl_set_prerequest_callback(easyHandle) { context, _, _, _, _ in
            guard let context else { return CURL_PREREQFUNC_ABORT }
            Unmanaged<ActiveTransfer>.fromOpaque(context).takeUnretainedValue().lastActivityTime = MonotonicTime.now
            return CURL_PREREQFUNC_OK
        }
        ccurl_set_pointer(easyHandle, CURLOPT_PREREQDATA, callbackContext)
        // Forbid libcurl to use signals, and to wait for a name resolver when a transfer ends.
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        set(CURLOPT_FOLLOWLOCATION, 1)
        set(CURLOPT_MAXREDIRS, Self.redirectLimit)
        set(CURLOPT_CONNECTTIMEOUT_MS, Int(max(1, options.timeout / 1_000_000)))
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_USERAGENT, options.userAgent ?? "SwiftPlay")
        if let referrer = options.referrer { set(CURLOPT_REFERER, referrer) }
        ccurl_set_pointer(easyHandle, CURLOPT_SHARE, cookieStore)
        // An empty file name enables libcurl's cookie engine without a file.
        set(CURLOPT_COOKIEFILE, options.cookieFile ?? "")
        if let proxy = options.proxy { set(CURLOPT_PROXY, proxy) }
        if request.allowsCompression { set(CURLOPT_ACCEPT_ENCODING, "gzip, deflate") }
        if let range = request.range { set(CURLOPT_RANGE, range.rangeText) }
        setTrust(options.trust)
        var fieldLines = options.fields
        if request.range != nil, let validator = request.validator { fieldLines.append("If-Range: \(validator)") }
        for line in fieldLines { fieldList = curl_slist_append(fieldList, line) }
        ccurl_set_list(easyHandle, CURLOPT_HTTPHEADER, fieldList)
        guard set(CURLOPT_URL, Self.escaped(request.address)) == CURLE_OK else {
            throw HTTPError(.invalidAddress, request.address, "the address is not valid")
        }
    }

    /// Returns the address with percent-encoded spaces, control characters and non-ASCII characters. Valid addresses
    /// contain no such characters, but addresses in playlists and from users sometimes do.
    static func escaped(_ address: String) -> String {
        let hexDigits = Array("0123456789ABCDEF".utf8)
        return String(
            decoding: address.utf8.flatMap { byte in
                byte > 0x20 && byte < 0x7F
                    ? [byte] : [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
            }, as: UTF8.self)
    }

    @discardableResult
    private func set(_ option: CURLoption, _ value: Int) -> CURLcode { ccurl_set_integer(easyHandle, option, value) }
    @discardableResult
    private func set(_ option: CURLoption, _ value: String) -> CURLcode { ccurl_set_text(easyHandle, option, value) }

    private func setTrust(_ trust: TLSTrust) {
        switch trust {
        case .systemRoots: break
        case .authorities(let file):
            set(CURLOPT_CAINFO, file)
            ccurl_set_text(easyHandle, CURLOPT_CAPATH, nil)
        case .anything:
            set(CURLOPT_SSL_VERIFYPEER, 0)
            set(CURLOPT_SSL_VERIFYHOST, 0)
        }
    }

    /// Continues a paused transfer.
    func resume() {
        if isPaused { report(.resumed) }
        (isPaused, lastActivityTime) = (false, MonotonicTime.now)
        curl_easy_pause(easyHandle, Int32(CURLPAUSE_CONT))
    }

    // MARK: Receiving

    /// Receives one line of a response head.
    private func receiveHeadLine(_ bytes: UnsafeRawBufferPointer) {
        lastActivityTime = MonotonicTime.now
        let line = String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            responseHead = (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0, HTTPFields())
        } else if line.allSatisfy(\.isNewline) {
            handleEndOfHead()
        } else {
            responseHead.fields.add(line: line)
        }
    }

    /// Publishes a complete response head, unless it is an interim response or a redirect, after which another head
    /// follows.
    private func handleEndOfHead() {
        guard responseHead.status >= 200 else { return }
        let isRedirect = (300..<400).contains(responseHead.status) && responseHead.fields["location"] != nil
        guard !isRedirect else { return }
        let response = HTTPResponse(status: responseHead.status, address: address, fields: responseHead.fields)
        report(.responded(host: URLHost.name(of: response.address), serverAddress: serverAddress ?? ""))
        channel.state.withLock { $0.response = response }
        channel.changeEvent.signal()
    }

    /// Receives bytes of the response's content.
    ///
    /// - Returns: The number of accepted bytes, or libcurl's code to pause the transfer; any other number aborts the
    ///   transfer.
    private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        let now = MonotonicTime.now
        lastActivityTime = now
        guard (200..<300).contains(responseHead.status) else {
            // Discard the content of redirects and error pages.
            discardedByteCount += bytes.count
            return discardedByteCount <= Self.errorPageLimit ? bytes.count : 0
        }
        let wasQueueEmpty = channel.state.withLock { state -> Bool? in
            if state.queue.count > 0, state.queue.count + bytes.count > request.queueLimit {
                state.isPaused = true
                return nil
            }
            let wasQueueEmpty = state.queue.count == 0
            state.queue.append(bytes)
            state.receivedByteCount += Int64(bytes.count)
            if state.times.firstByte == nil { state.times.firstByte = now }
            state.times.lastByte = now
            return wasQueueEmpty
        }
        guard let wasQueueEmpty else {
            isPaused = true
            report(.paused)
            return ccurl_receiver_pause
        }
        reportedByteCount += Int64(bytes.count)
        report(.received(bytes.count))
        if wasQueueEmpty { channel.changeEvent.signal() }
        return bytes.count
    }
}
