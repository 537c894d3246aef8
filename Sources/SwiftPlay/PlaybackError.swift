import FoundationEssentials
import MediaPipeline

/// The error type of this library. `localizedDescription` is the message.
public struct PlaybackError: LocalizedError, Sendable, CustomStringConvertible {
    /// The kind of a failure. Later versions may add codes.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The numeric error code.
        public let rawValue: Int
        /// Creates an error code from its number.
        ///
        /// - Parameter rawValue: The numeric error code.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// There is no file, or the server does not have it.
        public static let notFound = Code(rawValue: 1)
        /// Reading is not permitted, by the system or by the player's policy.
        public static let notPermitted = Code(rawValue: 2)
        /// The file is not media: a directory, a text or an empty file.
        public static let notMedia = Code(rawValue: 3)
        /// The codec or the format cannot be decoded.
        public static let unsupported = Code(rawValue: 4)
        /// The file is damaged.
        public static let corrupt = Code(rawValue: 5)
        /// Reading from the network or the disk failed.
        public static let input = Code(rawValue: 6)
        /// The process has no memory, threads or descriptors left.
        public static let resources = Code(rawValue: 7)
        /// A window, a terminal or an audio device failed.
        public static let output = Code(rawValue: 8)
        /// The certificate of an https server is not valid; the message says why. See
        /// ``PlayerConfiguration/tlsVerification``.
        public static let untrustedServer = Code(rawValue: 9)
        /// The item belongs to another player, or is in the queue already.
        public static let itemInUse = Code(rawValue: 10)
        /// The player was closed.
        public static let playerClosed = Code(rawValue: 11)
        /// The file is in use by another program, or elsewhere in this program.
        public static let fileInUse = Code(rawValue: 12)
        /// The disk is full, or the user's quota is exhausted.
        public static let diskFull = Code(rawValue: 13)
        /// Picture-in-Picture could not start (AVKitError.pictureInPictureStartFailed).
        public static let pictureInPictureStartFailed = Code(rawValue: -1001)
    }

    /// The kind of failure.
    public let code: Code
    /// The failure and the remedy, in one line.
    public let message: String
    /// The error that caused this one; nil if there is none.
    public let underlying: (any Error)?

    /// Creates an error of the library.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: The failure and the remedy, in one line.
    ///   - underlying: The error that caused this one.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// The message.
    public var description: String { message }
    /// The message, for `localizedDescription`.
    public var errorDescription: String? { message }
    /// The description of the underlying error; nil if there is none.
    public var failureReason: String? { underlying.map { "\($0)" } }

    /// Creates the error for a failure of opening, reading or decoding media.
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
