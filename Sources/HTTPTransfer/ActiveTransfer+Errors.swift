import CCurl
import Glibc

/// Finds the reasons why transfers failed.
extension ActiveTransfer {
    /// Returns the error of a finished transfer; nil if the transfer succeeded.
    func error(after result: CURLcode) -> HTTPError? {
        var status = 0
        ccurl_get_integer(easyHandle, CURLINFO_RESPONSE_CODE, &status)
        let hasResponse = result == CURLE_OK || result == CURLE_WRITE_ERROR
        if hasResponse, !(200..<300).contains(status) {
            return (300..<400).contains(status)
                ? HTTPError(.protocolViolation, address, "the server redirects without an address")
                : .status(status, address)
        }
        guard result != CURLE_OK else { return nil }
        let (code, message) = codeAndMessage(for: result)
        return HTTPError(code, address, message)
    }

    /// Returns the error code and the error message for a result of libcurl.
    private func codeAndMessage(for result: CURLcode) -> (HTTPError.Code, String) {
        let host = URLHost.name(of: address)
        switch result {
        case CURLE_URL_MALFORMAT: return (.invalidAddress, "the address is not valid")
        case CURLE_UNSUPPORTED_PROTOCOL:
            return (.refusedRedirect, "is redirected to an address that is not http or https")
        case CURLE_TOO_MANY_REDIRECTS: return (.refusedRedirect, "is redirected more than \(Self.redirectLimit) times")
        case CURLE_COULDNT_RESOLVE_HOST: return (.unknownHost, "the server name \(host) is unknown")
        case CURLE_COULDNT_RESOLVE_PROXY: return (.unknownHost, "the proxy's name is unknown")
        case CURLE_COULDNT_CONNECT: return (.unreachable, "cannot connect to \(host): \(connectionFault)")
        case CURLE_OPERATION_TIMEDOUT: return (.timeout, "\(host) does not respond")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR:
            return (.untrusted, certificateFault(of: host, result))
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2_STREAM:
            return (.incomplete, "the connection ended early")
        case CURLE_OUT_OF_MEMORY: return (.outOfResources, "no memory for a request")
        default: return (.protocolViolation, "the request failed: \(libcurlDescription(of: result))")
        }
    }

    /// The operating system's reason why no connection was established, for an error message.
    private var connectionFault: String {
        var errorNumber = 0
        ccurl_get_integer(easyHandle, CURLINFO_OS_ERRNO, &errorNumber)
        return errorNumber > 0 ? String(cString: strerror(Int32(errorNumber))).lowercased() : "no answer"
    }

    /// Returns libcurl's description of why the request failed; a general description of `result` if there is none.
    private func libcurlDescription(of result: CURLcode) -> String {
        let detail = errorDetail
        return detail.isEmpty ? String(cString: curl_easy_strerror(result)) : detail
    }

    /// Returns the reason why the certificate of the server `host` is not trusted, for an error message.
    private func certificateFault(of host: String, _ result: CURLcode) -> String {
        if case .authorities(let file) = request.options.trust, access(file, R_OK) != 0 {
            return "the certificate authorities in \(file) cannot be read"
        }
        if result == CURLE_SSL_CACERT_BADFILE { return "the system's certificate authorities cannot be read" }
        var verification = 0
        ccurl_get_integer(easyHandle, CURLINFO_SSL_VERIFYRESULT, &verification)
        let fault = CertificateFault.text(forVerificationResult: verification)
        return "the certificate of \(host) is not trusted: \(fault)"
    }
}

/// Describes results of certificate verification (OpenSSL's `X509_V_ERR` codes, which libcurl reports).
package enum CertificateFault {
    /// OpenSSL's codes: `X509_V_OK` and the `X509_V_ERR` codes with a message of their own.
    private enum Code {
        static let valid = 0, unspecified = 1, unknownIssuer = 2, notYetValid = 9, expired = 10, selfSigned = 18
        static let selfSignedIssuer = 19, issuerNotFound = 20, unverifiedLeaf = 21, revoked = 23
        static let hostNameMismatch = 62, addressMismatch = 64, keyTooSmall = 66, issuerKeyTooSmall = 67
        static let weakDigest = 68
    }

    /// Returns the reason why a certificate was rejected, as the end of an error message. The codes `valid` and
    /// `unspecified` mean that the certificate is valid, but was issued for another host.
    package static func text(forVerificationResult code: Int) -> String {
        switch code {
        case Code.valid, Code.unspecified, Code.hostNameMismatch, Code.addressMismatch:
            "it was issued for another host name"
        case Code.notYetValid: "it is not valid yet"
        case Code.expired: "it has expired"
        case Code.revoked: "it has been revoked"
        case Code.unknownIssuer, Code.selfSigned, Code.selfSignedIssuer, Code.issuerNotFound, Code.unverifiedLeaf:
            "it is self-signed, or its issuer is unknown"
        case Code.keyTooSmall, Code.issuerKeyTooSmall, Code.weakDigest: "it uses an insecure algorithm"
        default: "its signature is wrong"
        }
    }
}

/// Extracts the host from an address.
enum URLHost {
    /// Returns the host name in an address, without user name and port; the whole text if it contains no host.
    static func name(of address: String) -> String {
        guard let url = curl_url() else { return address }
        defer { curl_url_cleanup(url) }
        var hostText: UnsafeMutablePointer<CChar>?
        guard curl_url_set(url, CURLUPART_URL, address, 0) == CURLUE_OK,
            curl_url_get(url, CURLUPART_HOST, &hostText, 0) == CURLUE_OK, let hostText
        else { return address }
        defer { curl_free(hostText) }
        return String(cString: hostText)
    }
}
