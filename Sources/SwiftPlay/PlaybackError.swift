import FoundationEssentials
import MediaPipeline

/// The one error type of this library: what failed, what to do, and what it came from. `localizedDescription` is the
/// message.
public struct PlaybackError: LocalizedError, Sendable, CustomStringConvertible {
    /// What kind of failure it is. More may be added.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// There is nothing at the place.
        public static let notFound = Code(rawValue: 1)
        /// It may not be read.
        public static let notPermitted = Code(rawValue: 2)
        /// It is not media: a directory, a text, an empty file.
        public static let notMedia = Code(rawValue: 3)
        /// It is media of a kind that cannot be decoded here.
        public static let unsupported = Code(rawValue: 4)
        /// It is damaged.
        public static let corrupt = Code(rawValue: 5)
        /// The network or the disk failed.
        public static let input = Code(rawValue: 6)
        /// No memory, threads or descriptors are left.
        public static let resources = Code(rawValue: 7)
        /// A window, a terminal or a sound device failed.
        public static let output = Code(rawValue: 8)
        /// The certificate of an https server is not valid; the message says why. See
        /// ``PlayerConfiguration/tlsVerification``.
        public static let untrustedServer = Code(rawValue: 9)
        /// The item belongs to another player, or to the queue already.
        public static let itemInUse = Code(rawValue: 10)
        /// The player was closed.
        public static let playerClosed = Code(rawValue: 11)
        /// Picture-in-Picture could not start (AVKitError.pictureInPictureStartFailed).
        public static let pictureInPictureStartFailed = Code(rawValue: -1001)
    }

    /// The kind of failure.
    public let code: Code
    /// What failed and what to do, in one line.
    public let message: String
    /// What it came from, where there is something.
    public let underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: What failed and what to do, in one line.
    ///   - underlying: The error that caused this one.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    public var description: String { message }
    public var errorDescription: String? { message }
    public var failureReason: String? { underlying.map { "\($0)" } }

    init(_ error: MediaError) {
        let code: Code =
            switch error.code {
            case .notFound: .notFound
            case .notPermitted, .refusedByPolicy: .notPermitted
            case .isDirectory, .isEmpty, .notMedia: .notMedia
            case .unsupportedCodec, .unsupportedFormat: .unsupported
            case .corrupt: .corrupt
            case .network, .input, .interrupted: .input
            case .outOfMemory: .resources
            case .untrustedServer: .untrustedServer
            }
        self.init(code, error.message, underlying: error)
    }
}
