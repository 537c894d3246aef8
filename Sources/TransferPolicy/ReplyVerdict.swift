/// The decision of ``ReplyJudge`` about a response.
package enum ReplyVerdict: Equatable, Sendable {
    /// The body is accepted.
    case accept(BodyPlan)
    /// The part file already holds the whole content.
    case complete
    /// The body is discarded, and ``ReplyJudge/request`` is sent, from the original address.
    case askAgain
    /// The body is discarded, and the transfer ends.
    case fail(ReplyFault)
}

/// The use of an accepted body.
package struct BodyPlan: Equatable, Sendable {
    /// The destination and the meaning of a body.
    package enum Use: Equatable, Sendable {
        /// The whole content, for an empty part file.
        case whole
        /// The rest of the content, appended to the part file.
        case rest
        /// The whole content, because it has changed at the server. The part file is emptied.
        case changedContent
        /// The whole content, because the server does not send parts, or because the method is not `GET`. The part file
        /// is emptied.
        case restart
        /// An error page, which replaces an empty part file.
        case errorPageInPart
        /// An error page, which must not replace the content in the part file.
        case errorPage
    }

    /// The destination and the meaning of the body.
    package var use: Use
    /// The offset in the part file of the first new byte.
    package var offset: Int64 = 0
    /// The number of bytes at the start of the body that must equal the end of the part file.
    package var overlap: Int64 = 0
    /// The length of the body in bytes, which libcurl checks only if the server states a `Content-Length`; nil if
    /// unknown.
    package var bodyLength: Int64?
    /// The length of the whole content; nil if unknown.
    package var total: Int64?
    /// Whether a later request can continue the part file.
    package var isResumable = false
    /// The validators of the content.
    package var validators = ContentValidators()

    /// Whether the body begins at the start of the part file, which is emptied before unless it is empty.
    package var emptiesPart: Bool { use != .rest && use != .errorPage }
}

/// The reason why a response ends a transfer.
package struct ReplyFault: Equatable, Sendable {
    /// The kind of a fault.
    package enum Kind: Equatable, Sendable {
        /// The server is busy or has a temporary fault.
        case busy
        /// The response violates HTTP or contradicts itself.
        case badResponse
        /// A captive portal answered instead of the server.
        case portal
        /// The server or the proxy requires credentials.
        case credentials
        /// The server redirects too often, or in a loop.
        case tooManyRedirects
        /// A redirect leads to an address that is not permitted.
        case refusedRedirect
        /// The content is longer than permitted.
        case tooLarge
    }

    /// The kind of the fault.
    package var kind: Kind
    /// The fault in one line.
    package var message: String
    /// The status of the response; 0 if it does not matter.
    package var status = 0
    /// The delay that the server asks for, in seconds; nil if it does not state one.
    package var retryAfter: UInt32?
    /// Whether no request should be sent to the host during the delay.
    package var closesHost = false

    /// Creates a fault.
    package init(
        _ kind: Kind, _ message: String, status: Int = 0, retryAfter: UInt32? = nil, closesHost: Bool = false
    ) {
        (self.kind, self.message, self.status) = (kind, message, status)
        (self.retryAfter, self.closesHost) = (retryAfter, closesHost)
    }
}
