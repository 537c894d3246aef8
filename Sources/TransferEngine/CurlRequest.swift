import CCurl
import COpenSSL

/// An object that receives the response to a request.
protocol CurlReceiver: AnyObject {
    /// Receives a line of the head; returns false to end the request.
    func receiveHeadLine(_ line: UnsafeRawBufferPointer) -> Bool
    /// Receives bytes of the body; returns false to end the request.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool
}

/// libcurl's handle of one request, with the memory that libcurl uses during the request.
final class CurlRequest {
    /// libcurl's easy handle; owned by this object.
    let handle: UnsafeMutableRawPointer
    /// The header fields of the request, which libcurl reads during the request.
    private var fieldList: UnsafeMutablePointer<curl_slist>?
    /// The object that receives the response.
    private weak var receiver: (any CurlReceiver)?
    /// The buffer for libcurl's text of an error; owned by this object.
    private let errorBuffer: UnsafeMutablePointer<CChar>
    /// Whether the server has ended the TLS connection with the alert close_notify. A connection that ends without it
    /// may have been cut by anyone (RFC 8446, section 6.1).
    private(set) var hasCleanTLSEnd = false

    /// Creates a handle; nil if memory is exhausted.
    init?() {
        guard let handle = curl_easy_init() else { return nil }
        self.handle = handle
        errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        reset()
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(fieldList)
        errorBuffer.deallocate()
    }

    /// Removes all options of the last request, except those that every request has.
    func reset() {
        curl_easy_reset(handle)
        curl_slist_free_all(fieldList)
        fieldList = nil
        errorBuffer.pointee = 0
        hasCleanTLSEnd = false
        ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorBuffer)
        // Forbid libcurl to use signals, and to wait for a name resolver when a transfer ends.
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_USERAGENT, "SwiftPlay")
        set(CURLOPT_BUFFERSIZE, Self.receiveBufferBytes)
    }

    /// The size of libcurl's buffer for received bytes.
    private static let receiveBufferBytes = 128 * 1024

    @discardableResult
    func set(_ option: CURLoption, _ value: Int) -> CURLcode { ccurl_set_integer(handle, option, value) }
    @discardableResult
    func set(_ option: CURLoption, _ value: String) -> CURLcode { ccurl_set_text(handle, option, value) }
    @discardableResult
    func setOffset(_ option: CURLoption, _ value: Int64) -> CURLcode {
        ccurl_set_offset(handle, option, curl_off_t(value))
    }
    @discardableResult
    func setPointer(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) -> CURLcode {
        ccurl_set_pointer(handle, option, value)
    }

    /// Sets the header fields of the request, as lines such as `Range: bytes=5-`.
    func setFields(_ lines: [String]) {
        curl_slist_free_all(fieldList)
        fieldList = nil
        for line in lines { fieldList = curl_slist_append(fieldList, line) }
        ccurl_set_list(handle, CURLOPT_HTTPHEADER, fieldList)
    }

    /// Sets the object that receives the response. It outlives the request.
    func setReceiver(_ receiver: any CurlReceiver) {
        self.receiver = receiver
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_set_receiver(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            CurlRequest.pass(bytes, size * count, context) { $0.receiveHeadLine($1) }
        }
        setPointer(CURLOPT_HEADERDATA, context)
        ccurl_set_receiver(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            CurlRequest.pass(bytes, size * count, context) { $0.receiveBody($1) }
        }
        setPointer(CURLOPT_WRITEDATA, context)
    }

    /// Records whether TLS ends cleanly. libcurl accepts every end of a connection as the end of a body without a
    /// length, and closes the connection before it reports the result.
    func recordTLSEnd() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        // libcurl reports its progress after each read, also after the last one.
        ccurl_set_progress_callback(handle) { context, _, _, _, _ in
            if let context { Unmanaged<CurlRequest>.fromOpaque(context).takeUnretainedValue().readTLSEnd() }
            return 0
        }
        setPointer(CURLOPT_XFERINFODATA, context)
        set(CURLOPT_NOPROGRESS, 0)
    }

    /// Reads the state of the TLS connection, which exists only during the request.
    private func readTLSEnd() {
        var info: UnsafeMutableRawPointer?
        guard ccurl_get_pointer(handle, CURLINFO_TLS_SSL_PTR, &info) == CURLE_OK,
            let session = info?.assumingMemoryBound(to: curl_tlssessioninfo.self).pointee,
            session.backend == CURLSSLBACKEND_OPENSSL, let connection = session.internals
        else { return }
        hasCleanTLSEnd = SSL_get_shutdown(OpaquePointer(connection)) & SSL_RECEIVED_SHUTDOWN != 0
    }

    /// Passes received bytes on, and returns the number of accepted bytes: all or none.
    private static func pass(
        _ bytes: UnsafeMutableRawPointer?, _ count: Int, _ context: UnsafeMutableRawPointer?,
        _ body: (any CurlReceiver, UnsafeRawBufferPointer) -> Bool
    ) -> Int {
        guard let bytes, let context,
            let receiver = Unmanaged<CurlRequest>.fromOpaque(context).takeUnretainedValue().receiver
        else { return 0 }
        return body(receiver, UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
    }

    /// Trusts certificates (PEM) beside those in the system's folder. libcurl copies the bytes.
    func setTrustedRoots(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { _ = ccurl_set_bytes(handle, CURLOPT_CAINFO_BLOB, $0.baseAddress, $0.count) }
    }

    /// Returns a number that libcurl has recorded about the request.
    func integer(_ info: CURLINFO) -> Int {
        var value = 0
        ccurl_get_integer(handle, info, &value)
        return value
    }

    /// Returns a text that libcurl has recorded about the request; nil if there is none.
    func text(_ info: CURLINFO) -> String? {
        var text: UnsafePointer<CChar>?
        ccurl_get_text(handle, info, &text)
        return text.map { String(cString: $0) }
    }

    /// libcurl's description of the error; empty if no error has occurred.
    var errorDetail: String { String(cString: errorBuffer) }
}
