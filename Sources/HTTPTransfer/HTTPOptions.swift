/// The settings of HTTP requests that a user or a program chooses.
package struct HTTPOptions: Sendable, Equatable {
    /// Additional header fields, each as `Name: value`. A field replaces the default field of the same name; `Name:`
    /// removes it. Sent to every server, also after a redirect.
    package var fields: [String] = []
    /// The value of the `User-Agent` field; nil sends SwiftPlay's own.
    package var userAgent: String?
    /// The value of the `Referer` field; nil sends none.
    package var referrer: String?
    /// The path of a cookie file in Netscape format, whose cookies are sent to the servers that they belong to; nil
    /// sends only the cookies that servers set during playback.
    package var cookieFile: String?
    /// The address of the proxy; nil uses the environment (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`).
    package var proxy: String?
    /// The accepted certificates of https servers.
    package var trust = TLSTrust.systemRoots
    /// The time, in nanoseconds, after which a request fails if no connection is established or no data arrives.
    package var timeout: Int64 = 15_000_000_000
    /// The observer of all transfers with these options; nil if there is none.
    package var observation: TransferObservation?

    package init() {}

    /// Returns whether a text is a valid header field: a name, a colon and a value without control characters.
    package static func isField(_ text: String) -> Bool {
        guard let colonIndex = text.firstIndex(of: ":"), colonIndex > text.startIndex else { return false }
        let isName = text[..<colonIndex].allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || "!#$%&'*+-.^_`|~".contains($0))
        }
        return isName && isValue(text)
    }

    /// Returns whether a text is a valid value of a header field: it contains no control characters, which could begin
    /// another field.
    package static func isValue(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 9 } }
}
