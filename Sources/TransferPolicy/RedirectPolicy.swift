/// The scheme, host and port of an address (RFC 6454).
package struct WebOrigin: Hashable, Sendable {
    /// The scheme in lower case.
    package let scheme: String
    /// The host in lower case.
    package let host: String
    /// The port; the scheme's default port if the address has none.
    package let port: Int

    /// Creates an origin; scheme and host are converted to lower case.
    package init(scheme: String, host: String, port: Int) {
        (self.scheme, self.host, self.port) = (scheme.lowercased(), host.lowercased(), port)
    }
}

/// The rules for redirects, and the redirects that one request has followed (RFC 9110, section 15.4).
package struct RedirectPolicy: Equatable, Sendable {
    /// The maximum number of redirects.
    package static let redirectLimit = 16

    /// The decision about a redirect.
    package enum Decision: Equatable, Sendable {
        /// Send the request to the new address.
        case follow
        /// End the transfer.
        case refuse(ReplyFault)
    }

    /// The method of the next request.
    package private(set) var method: String
    /// Whether secret header fields are still sent. Once a redirect has left the first origin, they are not sent again.
    package private(set) var sendsSecrets = true
    /// The address for later transfers: the target of permanent redirects on the first host; nil if there is none.
    package private(set) var permanentAddress: String?
    /// The number of followed redirects.
    package private(set) var count = 0

    /// The origin of the original address.
    private let firstOrigin: WebOrigin
    /// The origin of the current address.
    private var origin: WebOrigin
    /// The addresses that were requested.
    private var visitedAddresses: Set<String>
    /// Whether all redirects so far are permanent and on the first host.
    private var isPermanent = true
    /// Whether redirects to http are permitted from http.
    private let allowsInsecureHTTP: Bool

    /// Creates the state before the first redirect.
    package init(address: String, origin: WebOrigin, method: String = "GET", allowsInsecureHTTP: Bool = true) {
        (firstOrigin, self.origin, visitedAddresses, self.method) = (origin, origin, [address], method)
        self.allowsInsecureHTTP = allowsInsecureHTTP
    }

    /// Whether a status with the field `Location` is a redirect.
    package static func isRedirect(status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// The names of header fields, in lower case, that are always secret.
    package static func isAlwaysSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["authorization", "cookie"].contains(name) || name.hasPrefix("proxy-")
    }

    /// Decides whether to follow a redirect.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - address: The absolute address of the target, without its fragment; nil if `Location` is malformed.
    ///   - target: The origin of the target; nil if it is malformed.
    package mutating func handle(status: Int, address: String?, target: WebOrigin?) -> Decision {
        guard let address, let target else {
            return .refuse(ReplyFault(.badResponse, "the server redirects to a malformed address", status: status))
        }
        guard target.scheme == "https" || target.scheme == "http" else {
            return .refuse(
                ReplyFault(.refusedRedirect, "the server redirects to an address that is not http or https"))
        }
        guard target.scheme == "https" || (origin.scheme == "http" && allowsInsecureHTTP) else {
            return .refuse(ReplyFault(.refusedRedirect, "the server redirects from https to http"))
        }
        guard count < Self.redirectLimit else {
            return .refuse(
                ReplyFault(.tooManyRedirects, "the server redirects more than \(Self.redirectLimit) times"))
        }
        guard visitedAddresses.insert(address).inserted else {
            return .refuse(ReplyFault(.tooManyRedirects, "the server redirects in a loop"))
        }
        count += 1
        if target != firstOrigin { sendsSecrets = false }
        isPermanent = isPermanent && (status == 301 || status == 308) && target.host == firstOrigin.host
        if isPermanent { permanentAddress = address }
        origin = target
        changeMethod(status: status)
        return .follow
    }

    /// Changes the method as browsers do: 303 always leads to `GET`, 301 and 302 change `POST` to `GET`.
    private mutating func changeMethod(status: Int) {
        if (status == 303 && method != "HEAD") || ([301, 302].contains(status) && method == "POST") { method = "GET" }
    }
}
