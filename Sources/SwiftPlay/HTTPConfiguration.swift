import HTTPTransfer

/// The settings for requests to http and https addresses (AVURLAsset's options for header fields, cookies and the user
/// agent).
///
/// Applies to everything that an item fetches: the file, playlists, segments and keys.
public struct HTTPConfiguration: Sendable, Equatable {
    /// Additional header fields, each as `Name: value`. A field replaces the default field of the same name. Texts
    /// that are not a header field, for example because they contain a line break, are not sent.
    public var headerFields: [String] = []
    /// The value of the `User-Agent` field; nil for `SwiftPlay`.
    public var userAgent: String?
    /// The address from which the item is linked (`Referer`); nil for none.
    public var referrer: String?
    /// The path of a file with cookies in Netscape's format, as browsers export it; nil for none. Cookies that servers
    /// set during playback are not written to it.
    public var cookieFile: String?
    /// The address of the proxy; nil for the proxies of the environment (`http_proxy`, `https_proxy`, `all_proxy`,
    /// `no_proxy`).
    public var proxy: String?
    /// The time after which a server that does not respond, or sends nothing, counts as lost: 15 s by default.
    public var timeout = Duration.seconds(15)

    /// Creates the default configuration.
    public init() {}

    /// Creates the public configuration from the internal options of HTTP requests.
    init(_ options: HTTPOptions) {
        (headerFields, userAgent, referrer) = (options.fields, options.userAgent, options.referrer)
        (cookieFile, proxy, timeout) = (options.cookieFile, options.proxy, .nanoseconds(options.timeout))
    }

    /// Copies this configuration into the options of HTTP requests. The accepted certificates do not change.
    func apply(to options: inout HTTPOptions) {
        options.fields = headerFields.filter(HTTPOptions.isField)
        options.userAgent = userAgent.flatMap { HTTPOptions.isValue($0) ? $0 : nil }
        options.referrer = referrer.flatMap { HTTPOptions.isValue($0) ? $0 : nil }
        (options.cookieFile, options.proxy) = (cookieFile, proxy)
        let (seconds, attoseconds) = timeout.components
        // Clamp the timeout to one day, which in practice means no timeout.
        let wholeNanoseconds = min(max(seconds, 0), 86_400) * 1_000_000_000
        options.timeout = min(max(wholeNanoseconds + attoseconds / 1_000_000_000, 1_000_000), 86_400_000_000_000)
    }
}
