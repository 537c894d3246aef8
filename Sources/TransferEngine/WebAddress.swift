import CCurl
import TransferPolicy

/// An absolute http or https address, or any other address to which a server redirects.
struct WebAddress: Equatable {
    /// The address without its fragment.
    let text: String
    /// The scheme, the host and the port.
    let origin: WebOrigin

    /// Parses an absolute address; nil if it is malformed.
    init?(_ address: String) { self.init(address, relativeTo: nil) }

    /// Resolves the reference of a redirect against the address of the response; nil if the result is malformed.
    init?(_ reference: String, relativeTo base: WebAddress?) {
        guard let url = curl_url() else { return nil }
        defer { curl_url_cleanup(url) }
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE)
        if let base { guard curl_url_set(url, CURLUPART_URL, base.text, flags) == CURLUE_OK else { return nil } }
        guard curl_url_set(url, CURLUPART_URL, reference, flags) == CURLUE_OK,
            curl_url_set(url, CURLUPART_FRAGMENT, nil, 0) == CURLUE_OK,
            let text = Self.part(CURLUPART_URL, of: url), let scheme = Self.part(CURLUPART_SCHEME, of: url)
        else { return nil }
        self.text = text
        origin = WebOrigin(
            scheme: scheme, host: Self.part(CURLUPART_HOST, of: url) ?? "",
            port: Self.part(CURLUPART_PORT, of: url).flatMap { Int($0) } ?? 0)
    }

    /// Returns a part of a URL; nil if the URL does not have it.
    private static func part(_ part: CURLUPart, of url: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(url, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
