import FoundationEssentials
import HTTPTransfer

/// The errors and warnings of an item (AVPlayerItemErrorLog): failed requests, also those that were repeated with
/// success, and faults of the media.
public struct ErrorLog: Sendable {
    /// One error or warning.
    public struct Event: Sendable {
        /// The date at which the error occurred.
        public var date: Date
        /// The address of the failed request; otherwise the path or address of the item.
        public var uri: String
        /// The IP address of the server, or of the proxy; nil if it is unknown and for local files.
        public var serverAddress: String?
        /// An identifier that all events of one item share.
        public var playbackSessionID: String
        /// The number of the error. Its meaning depends on ``errorDomain``.
        public var errorStatusCode: Int
        /// The meaning of ``errorStatusCode``: ``httpDomain``, ``networkDomain`` or ``playbackDomain``.
        public var errorDomain: String
        /// The message of the error.
        public var errorComment: String

        /// The domain of responses with an error status; the code is that status, such as 404.
        public static let httpDomain = "HTTP"
        /// The domain of requests without a response; the code is that of Foundation's `URLError`, such as -1001 for a
        /// timeout.
        public static let networkDomain = "NSURLErrorDomain"
        /// The domain of faults of playback; the code is the number of a ``PlaybackError/Code``, or 0 for a warning.
        public static let playbackDomain = "SwiftPlay"
    }

    /// The events in the order in which they occurred. At most 1000 are kept.
    public let events: [Event]

    /// Returns the log as text, in the W3C extended log file format (AVPlayerItemErrorLog.extendedLogData()).
    public func extendedLogData() -> String {
        ExtendedLog.text(
            ["s-uri", "s-ip", "c-session-id", "sc-status", "s-domain", "s-comment"],
            events.map {
                [
                    $0.uri, $0.serverAddress ?? "", $0.playbackSessionID, "\($0.errorStatusCode)", $0.errorDomain,
                    $0.errorComment,
                ]
            })
    }
}

extension ErrorLog.Event {
    /// Describes a failed request.
    init(_ failure: TransferFailure, sessionID: String) {
        let (domain, code) = Self.number(of: failure.error.code)
        self.init(
            date: Date.now, uri: failure.error.address, serverAddress: failure.serverAddress,
            playbackSessionID: sessionID, errorStatusCode: code, errorDomain: domain,
            errorComment: failure.error.message)
    }

    /// Returns the domain and the number of an error; the numbers are those of `URLError.Code`.
    static func number(of code: HTTPError.Code) -> (domain: String, code: Int) {
        let errorNumber =
            switch code {
            case .status(let status): status
            case .cancelled: -999
            case .invalidAddress: -1000
            case .timeout: -1001
            case .unknownHost: -1003
            case .unreachable: -1004
            case .incomplete, .notResumable: -1005
            case .refusedRedirect: -1007
            case .protocolViolation: -1011
            case .tooLarge: -1103
            case .untrusted: -1202
            case .outOfResources: -1
            }
        if case .status = code { return (httpDomain, errorNumber) }
        return (networkDomain, errorNumber)
    }
}
