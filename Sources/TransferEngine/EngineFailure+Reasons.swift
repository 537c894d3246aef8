import BackgroundProtocol
import CCurl
import HTTPTransfer
import SystemCalls
import TransferPolicy

extension EngineFailure {
    /// Creates the failure of a response that the judge or the redirect policy refuses.
    init(_ fault: ReplyFault) {
        let kind: Kind =
            switch fault.kind {
            case .busy: .busy
            case .badResponse: .badResponse
            case .portal: .portal
            case .credentials: .credentials
            case .tooManyRedirects: .tooManyRedirects
            case .refusedRedirect: .refusedRedirect
            case .tooLarge: .tooLarge
            }
        self.init(
            kind, fault.message, code: Int32(clamping: fault.status), retryAfter: fault.retryAfter,
            closesHost: fault.closesHost)
    }
}

extension CurlRequest {
    /// Returns the failure for a result of libcurl.
    ///
    /// - Parameter host: The host of the request.
    func failure(for result: CURLcode, host: String) -> EngineFailure {
        switch result {
        case CURLE_URL_MALFORMAT: return EngineFailure(.invalidAddress, "the address is not valid")
        case CURLE_LOGIN_DENIED:
            return EngineFailure(.invalidAddress, "the address contains a user name: use a header field instead")
        case CURLE_COULDNT_RESOLVE_HOST: return EngineFailure(.network, "the server name \(host) is unknown")
        case CURLE_COULDNT_RESOLVE_PROXY: return EngineFailure(.network, "the name of the proxy is unknown")
        case CURLE_COULDNT_CONNECT: return EngineFailure(.network, "cannot connect to \(host): \(connectionFault)")
        case CURLE_OPERATION_TIMEDOUT: return EngineFailure(.timeout, "\(host) does not respond")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR:
            let fault = CertificateFault.text(forVerificationResult: integer(CURLINFO_SSL_VERIFYRESULT))
            return EngineFailure(.certificate, "the certificate of \(host) is not trusted: \(fault)")
        case CURLE_SSL_CACERT_BADFILE:
            return EngineFailure(.engine, "the system's certificate authorities cannot be read")
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_SSL_CONNECT_ERROR,
            CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_HTTP3, CURLE_QUIC_CONNECT_ERROR:
            return EngineFailure(.network, "the connection ended early")
        case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT: return EngineFailure(.engine, "no memory for a request")
        default:
            return EngineFailure(.badResponse, "the request failed: \(String(cString: curl_easy_strerror(result)))")
        }
    }

    /// The operating system's reason why no connection was established.
    private var connectionFault: String {
        let number = integer(CURLINFO_OS_ERRNO)
        return number > 0 ? SystemCallError(call: "connect", number: Int32(clamping: number)).reason : "no answer"
    }
}
