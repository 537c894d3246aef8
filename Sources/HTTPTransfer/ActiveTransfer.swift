import CCurl
import SystemCalls

/// A request that libcurl performs. Network thread only.
final class ActiveTransfer {
    let request: HTTPRequest
    let channel: TransferChannel
    /// libcurl's handle of the request. This object owns it.
    let easy: UnsafeMutableRawPointer
    /// The header fields of the request, which libcurl reads during the transfer.
    private var fields: UnsafeMutablePointer<curl_slist>?
    /// The memory for libcurl's error text.
    private let errorText: UnsafeMutablePointer<CChar>
    /// libcurl's description of the error; empty if there is none.
    var errorDetail: String { String(cString: errorText) }
    /// The head of the response that is arriving: its status and fields.
    private var head = (status: 0, fields: HTTPFields())
    /// The number of bytes of an error page, which are discarded.
    private var discarded = 0
    /// The host time in nanoseconds at which the connection was ready or bytes arrived last; nil before the connection
    /// is ready, for which libcurl has its own time limit.
    private var lastActivity: Int64?
    /// Whether reception pauses because the reader's queue is full.
    private(set) var isPaused = false
    /// The number of bytes that the observer of the request was notified of.
    private(set) var reportedCount: Int64 = 0

    /// The number of redirects that are followed.
    static let redirectLimit = 8
    /// The number of bytes of an error page after which the connection is closed instead of reused.
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

    /// The host time in nanoseconds at which the server has been silent for too long; nil while the reader pauses the
    /// transfer, and while libcurl connects.
    var deadline: Int64? { isPaused ? nil : lastActivity.map { $0 + request.options.timeout } }

    /// The address that responds, after redirects so far.
    var address: String {
        var text: UnsafePointer<CChar>?
        ccurl_get_text(easy, CURLINFO_EFFECTIVE_URL, &text)
        return text.map { String(cString: $0) } ?? request.address
    }

    /// Sets all options of the request.
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
        ccurl_set_connected(easy) { context, _, _, _, _ in
            guard let context else { return CURL_PREREQFUNC_ABORT }
            Unmanaged<ActiveTransfer>.fromOpaque(context).takeUnretainedValue().lastActivity = MonotonicTime.now
            return CURL_PREREQFUNC_OK
        }
        ccurl_set_pointer(easy, CURLOPT_PREREQDATA, me)
        // libcurl must not use signals, nor wait for a name resolver when a transfer ends.
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
        // An empty name starts the cookie engine without a file.
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

    /// Escapes spaces, control characters and characters outside ASCII, which users paste and playlists contain
    /// although addresses may not contain them.
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
            endOfHead()
        } else {
            head.fields.add(line: line)
        }
    }

    /// Publishes a complete head, unless another one follows: after an interim response or a redirect.
    private func endOfHead() {
        guard head.status >= 200 else { return }
        let isRedirect = (300..<400).contains(head.status) && head.fields["location"] != nil
        guard !isRedirect else { return }
        let response = HTTPResponse(status: head.status, address: address, fields: head.fields)
        report(.responded(host: URLHost.name(of: response.address), serverAddress: serverAddress ?? ""))
        channel.state.withLock { $0.response = response }
        channel.changed.signal()
    }

    /// Receives bytes of the content.
    ///
    /// - Returns: The number of bytes, or libcurl's code to pause the transfer; another number fails it.
    private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        let now = MonotonicTime.now
        lastActivity = now
        guard (200..<300).contains(head.status) else {
            // The content of a redirect or an error status is not media.
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
