/// The judge of the responses to one transfer: decides what to ask, and whether a body may be written.
///
/// A wrong response never changes the part file: its body is discarded. After two wrong parts the judge asks for the
/// whole content. Each verdict ``ReplyVerdict/askAgain`` changes the judge's state so that a transfer sends at most
/// ``requestLimit`` requests.
package struct ReplyJudge: Equatable, Sendable {
    /// The maximum number of requests of one transfer, without redirects.
    package static let requestLimit = 8
    /// The number of wrong parts after which no further part is requested.
    static let partFaultLimit = 2

    /// The part of the content to request next.
    package internal(set) var request: ResumeRequest
    /// The quirks of the host: those that were known, and those that the responses have shown.
    package internal(set) var quirks: HostQuirks

    /// The content of the part file.
    let held: HeldContent
    /// Whether the method is `GET`. Only its interrupted responses are continued; those to other methods start again.
    package let isGetRequest: Bool
    /// The maximum length of the content; nil for no limit.
    let contentLimit: Int64?
    /// The number of received parts that were wrong.
    var partFaultCount = 0
    /// The number of responses after which the judge asked again.
    var repeatCount = 0
    /// Whether the content at the server is known to differ from the part file.
    var hasChanged = false
    /// Whether a refusal by the target of a redirect was answered with a request to the original address.
    var hasRetriedRedirect = false
    /// Whether the range was refused as not satisfiable.
    var hasRefusedRange = false

    /// Creates the judge of a transfer.
    ///
    /// - Parameters:
    ///   - held: The content of the part file.
    ///   - isGetRequest: Whether the method is `GET`.
    ///   - quirks: The quirks that are known of the host.
    ///   - contentLimit: The maximum length of the content; nil for no limit.
    package init(
        held: HeldContent = HeldContent(), isGetRequest: Bool = true, quirks: HostQuirks = [],
        contentLimit: Int64? = nil
    ) {
        (self.held, self.isGetRequest, self.quirks, self.contentLimit) = (held, isGetRequest, quirks, contentLimit)
        request = isGetRequest ? ResumeRequest(continuing: held, quirks: quirks) : .whole
    }

    /// Judges a final response that is not followed as a redirect.
    ///
    /// - Parameters:
    ///   - reply: The head of the response to ``request``.
    ///   - now: The local time in seconds since 1970, for a `Retry-After` date in a response without `Date`.
    package mutating func judge(_ reply: ReplyHead, now: Int64) -> ReplyVerdict {
        switch reply.status {
        case 408, 425, 429, 500, 502, 503, 504: return .fail(busy(reply, now: now))
        case 401, 407:
            let server = reply.status == 401 ? "server" : "proxy"
            return .fail(ReplyFault(.credentials, "the \(server) requires a password", status: reply.status))
        case 511: return .fail(portal)
        default: break
        }
        guard isGetRequest else { return judgeOtherMethod(reply) }
        if request.isHead { return judgeConfirmation(reply) }
        switch reply.status {
        case 204, 205: return .fail(bad("the server sent no content", reply))
        case 206: return judgePart(reply)
        case 200..<300: return judgeWhole(reply)
        case 412 where request.isPartial:
            hasChanged = true
            return ask(.whole)
        case 416: return judgeUnsatisfiedRange(reply)
        case 403, 410:
            guard reply.isRedirected, !hasRetriedRedirect else { return errorPage(reply) }
            hasRetriedRedirect = true
            return ask(request)
        case 400..<600: return errorPage(reply)
        default: return .fail(bad("the server sent status \(reply.status), which was not asked for", reply))
        }
    }

    /// Handles that the compared bytes differ from the part file: the content has changed, and is requested anew.
    package mutating func handleDifferentOverlap() -> ReplyVerdict {
        hasChanged = true
        return ask(.whole)
    }

    /// Returns the verdict that sends `request`; fails if the transfer has sent too many requests.
    mutating func ask(_ newRequest: ResumeRequest) -> ReplyVerdict {
        repeatCount += 1
        guard repeatCount < Self.requestLimit else {
            return .fail(ReplyFault(.badResponse, "the server sends responses that contradict each other"))
        }
        request = newRequest
        return .askAgain
    }

    /// The fault that a captive portal answered.
    var portal: ReplyFault {
        ReplyFault(.portal, "a page of the network answered instead of the server: log in to the network")
    }

    /// Returns the fault that a response violates HTTP.
    func bad(_ message: String, _ reply: ReplyHead) -> ReplyFault {
        ReplyFault(.badResponse, message, status: reply.status)
    }

    /// Returns the fault of a busy server. Too many requests and an unavailable service concern the whole host.
    private func busy(_ reply: ReplyHead, now: Int64) -> ReplyFault {
        ReplyFault(
            .busy, "the server is busy (status \(reply.status))", status: reply.status,
            retryAfter: reply["retry-after"].flatMap {
                RetryAfter.seconds($0, responseDate: reply["date"], now: now)
            },
            closesHost: reply.status == 429 || reply.status == 503)
    }
}
