import CCurl
import SystemCalls

/// A running request, performed by libcurl. Used only by the network thread.
final class ActiveTransfer {
    let request: HTTPRequest
    let channel: TransferChannel
    /// libcurl's easy handle of the request; owned by this object.
    let easy: UnsafeMutableRawPointer
    /// The header fields of the request, which libcurl reads during the transfer.
    private var fields: UnsafeMutablePointer<curl_slist>?
    /// The buffer for libcurl's error text; owned by this object.
    private let errorText: UnsafeMutablePointer<CChar>
    /// libcurl's description of the error; empty if there is none.
    var errorDetail: String { String(cString: errorText) }
    /// The status and the header fields of the response head that is being received.
    private var head = (status: 0, fields: HTTPFields())
    /// The number of received and discarded bytes of redirects and error pages.
    private var discarded = 0
    /// The host time, in nanoseconds, at which the connection was established or bytes last arrived; nil before the
    /// connection is established, for which libcurl has its own time limit.
    private var lastActivity: Int64?
    /// Whether reception is paused because the reader's queue is full.
    private(set) var isPaused = false
    /// The number of received bytes that were reported to the request's observer.
    private(set) var reportedCount: Int64 = 0

    /// The maximum number of redirects that are followed.
    static let redirectLimit = 8
    /// The maximum number of bytes of an error page that are received, so that the connection can be reused; beyond it,
    /// the connection is closed.
    private static let errorPageLimit = 64 * 1024

    init?(_ request: HTTPRequest, _ channel: TransferChannel) {
        guard let easy = curl_easy_init() else { return nil }
        (self.request, self.channel, self.easy) = (request, channel, easy)
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(fields)
        errorText.deallocate()
    }

    /// The host time, in nanoseconds, at which a silent server times out; nil while reception is paused and while
    /// libcurl connects.
    var deadline: Int64? { isPaused ? nil : lastActivity.map { $0 + request.options.timeout } }

    /// The address of the request after the redirects so far.
    var address: String {
        var text: UnsafePointer<CChar>?
        ccurl_get_text(easy, CURLINFO_EFFECTIVE_URL, &text)
        return text.map { String(cString: $0) } ?? request.address
    }

    /// Sets libcurl's options for the request.
    ///
    /// - Parameter cookies: libcurl's store of cookies; must outlive this object. Nil if there is none.
    func prepare(cookies: UnsafeMutableRawPointer?) throws(HTTPError) {
        let options = request.options
        let me = Unmanaged.passUnretained(self).toOpaque()
        ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
        ccurl_set_receiver(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            return Unmanaged<ActiveTransfer>.fromOpaque(context).takeUnretainedValue()
                .receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        ccurl_set_pointer(easy, CURLOPT_WRITEDATA, me)
        ccurl_set_receiver(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            Unmanaged<ActiveTransfer>.fromOpaque(context).takeUnretainedValue()
                .receiveHead(UnsafeRawBufferPointer(start: bytes, count: size * count))
            return size * count
        }
        ccurl_set_pointer(easy, CURLOPT_HEADERDATA, me)
        ccurl_set_prerequest_callback(easy) { context, _, _, _, _ in
            guard let context else { return CURL_PREREQFUNC_ABORT }
            Unmanaged<ActiveTransfer>.fromOpaque(context).takeUnretainedValue().lastActivity = MonotonicTime.now
            return CURL_PREREQFUNC_OK
        }
        ccurl_set_pointer(easy, CURLOPT_PREREQDATA, me)
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
        ccurl_set_pointer(easy, CURLOPT_SHARE, cookies)
        // An empty file name enables libcurl's cookie engine without a file.
        set(CURLOPT_COOKIEFILE, options.cookieFile ?? "")
        if let proxy = options.proxy { set(CURLOPT_PROXY, proxy) }
        if request.allowsCompression { set(CURLOPT_ACCEPT_ENCODING, "gzip, deflate") }
        if let range = request.range { set(CURLOPT_RANGE, range.rangeText) }
        setTrust(options.trust)
        var lines = options.fields
        if request.range != nil, let validator = request.validator { lines.append("If-Range: \(validator)") }
        for line in lines { fields = curl_slist_append(fields, line) }
        ccurl_set_list(easy, CURLOPT_HTTPHEADER, fields)
        guard set(CURLOPT_URL, Self.escaped(request.address)) == CURLE_OK else {
            throw HTTPError(.invalidAddress, request.address, "the address is not valid")
        }
    }

    /// Percent-encodes spaces, control characters and non-ASCII characters, which addresses must not contain but which
    /// users paste and playlists contain.
    static func escaped(_ address: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(
            decoding: address.utf8.flatMap { byte in
                byte > 0x20 && byte < 0x7F
                    ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }, as: UTF8.self)
    }

    @discardableResult
    private func set(_ option: CURLoption, _ value: Int) -> CURLcode { ccurl_set_integer(easy, option, value) }
    @discardableResult
    private func set(_ option: CURLoption, _ value: String) -> CURLcode { ccurl_set_text(easy, option, value) }

    private func setTrust(_ trust: TLSTrust) {
        switch trust {
        case .systemRoots: break
        case .authorities(let file):
            set(CURLOPT_CAINFO, file)
            ccurl_set_text(easy, CURLOPT_CAPATH, nil)
        case .anything:
            set(CURLOPT_SSL_VERIFYPEER, 0)
            set(CURLOPT_SSL_VERIFYHOST, 0)
        }
    }

    /// Continues a paused transfer.
    func resume() {
        if isPaused { report(.resumed) }
        (isPaused, lastActivity) = (false, MonotonicTime.now)
        curl_easy_pause(easy, Int32(CURLPAUSE_CONT))
    }

    // MARK: Receiving

    /// Receives one line of a response head.
    private func receiveHead(_ bytes: UnsafeRawBufferPointer) {
        lastActivity = MonotonicTime.now
        let line = String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            head = (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0, HTTPFields())
        } else if line.allSatisfy(\.isNewline) {
            handleEndOfHead()
        } else {
            head.fields.add(line: line)
        }
    }

    /// Publishes a complete response head, unless it is an interim response or a redirect, after which another head
    /// follows.
    private func handleEndOfHead() {
        guard head.status >= 200 else { return }
        let isRedirect = (300..<400).contains(head.status) && head.fields["location"] != nil
        guard !isRedirect else { return }
        let response = HTTPResponse(status: head.status, address: address, fields: head.fields)
        report(.responded(host: URLHost.name(of: response.address), serverAddress: serverAddress ?? ""))
        channel.state.withLock { $0.response = response }
        channel.changed.signal()
    }

    /// Receives bytes of the response's content.
    ///
    /// - Returns: The number of accepted bytes, or libcurl's code to pause the transfer; any other number aborts the
    ///   transfer.
    private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        let now = MonotonicTime.now
        lastActivity = now
        guard (200..<300).contains(head.status) else {
            // Discard the content of redirects and error pages.
            discarded += bytes.count
            return discarded <= Self.errorPageLimit ? bytes.count : 0
        }
        let wasEmpty = channel.state.withLock { state -> Bool? in
            if state.queue.count > 0, state.queue.count + bytes.count > request.queueLimit {
                state.isPaused = true
                return nil
            }
            let wasEmpty = state.queue.count == 0
            state.queue.append(bytes)
            state.received += Int64(bytes.count)
            if state.times.firstByte == nil { state.times.firstByte = now }
            state.times.lastByte = now
            return wasEmpty
        }
        guard let wasEmpty else {
            isPaused = true
            report(.paused)
            return ccurl_receiver_pause
        }
        reportedCount += Int64(bytes.count)
        report(.received(bytes.count))
        if wasEmpty { channel.changed.signal() }
        return bytes.count
    }
}
