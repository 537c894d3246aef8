/// The reason why a request failed.
package struct HTTPError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of the error.
    package enum Code: Sendable, Equatable {
        /// The reader cancelled the request.
        case cancelled
        /// The address is not a valid http or https address.
        case invalidAddress
        /// A redirect leads to an address that may not be fetched, or there are too many redirects.
        case refusedRedirect
        /// The host name has no address.
        case unknownHost
        /// The server refuses connections or is unreachable.
        case unreachable
        /// The server does not respond, or sends nothing for too long.
        case timeout
        /// The server's certificate was rejected, or the accepted certificates cannot be read.
        case untrusted
        /// The server responded with an error status.
        case status(Int)
        /// The connection ended before the response was complete.
        case incomplete
        /// The response violates the protocol.
        case protocolViolation
        /// The server cannot send the rest of the resource, or the resource has changed.
        case notResumable
        /// The response exceeds a size limit.
        case tooLarge
        /// The system lacks memory or file descriptors.
        case outOfResources
    }

    package let code: Code
    /// The requested address, or the address to which the request was redirected.
    package let address: String
    /// The failure and, if possible, its remedy; without the address and without line breaks.
    package let message: String
    /// The number of requests made so far; at least 1.
    package var attempt = 1

    package init(_ code: Code, _ address: String, _ message: String) {
        (self.code, self.address, self.message) = (code, address, message)
    }

    package var description: String {
        attempt > 1 ? "\(message) (attempt \(attempt))" : message
    }

    /// Whether the same request may succeed a little later, because the server is busy or the connection broke. Applies
    /// before any part of the resource has arrived.
    package var isTemporary: Bool {
        switch code {
        case .status(let status): [408, 425, 429, 500, 502, 503, 504].contains(status)
        case .incomplete: true
        default: false
        }
    }

    /// Whether a request for the rest of a partly received resource may succeed a little later. True if
    /// ``isTemporary`` is true, and if the network is unavailable at the moment.
    package var isTemporaryWhenResuming: Bool {
        switch code {
        case .unknownHost, .unreachable, .timeout, .protocolViolation: true
        default: isTemporary
        }
    }

    /// Creates the error that the server responded with an error status.
    static func status(_ status: Int, _ address: String) -> HTTPError {
        let reason = reasons[status].map { " (\($0))" } ?? ""
        return HTTPError(.status(status), address, "the server responded with status \(status)\(reason)")
    }

    /// The meanings of common error statuses (RFC 9110, section 15).
    private static let reasons = [
        400: "bad request", 401: "a password is required", 403: "access denied", 404: "not found",
        407: "the proxy requires a password", 408: "the server waited too long", 410: "no longer available",
        416: "no such part", 429: "too many requests", 451: "unavailable for legal reasons", 500: "server error",
        502: "bad gateway", 503: "server busy", 504: "gateway timeout",
    ]
}
