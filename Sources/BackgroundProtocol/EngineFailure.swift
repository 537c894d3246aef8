import WireFormat

/// The reason why the engine ended a transfer without its whole content.
package struct EngineFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of a failure. The ledger's rules for retries depend on the kind.
    package enum Kind: UInt8, CaseIterable, Sendable {
        /// The host is unknown or unreachable, or the connection ended early.
        case network = 1
        /// The server does not respond, or sends fewer bytes than ``TransferLimits/lowSpeed``.
        case timeout
        /// The server is busy or has a temporary fault; ``EngineFailure/retryAfter`` may state when to retry.
        case busy
        /// The response violates HTTP or contradicts itself. Several such responses in a row are permanent.
        case badResponse
        /// A captive portal answered instead of the server.
        case portal
        /// The file cannot be written or synchronised; ``EngineFailure/code`` is the `errno`.
        case disk
        /// The server or the proxy requires credentials; ``EngineFailure/code`` is the status, 401 or 407.
        case credentials
        /// The server's certificate was rejected.
        case certificate
        /// The server redirects too often, or in a loop.
        case tooManyRedirects
        /// A redirect leads to an address that is not permitted, such as from https to http.
        case refusedRedirect
        /// The address is not valid, or its scheme is not permitted.
        case invalidAddress
        /// The content is longer than ``TransferLimits/contentLength``.
        case tooLarge
        /// The file to upload cannot be read.
        case unreadableUpload
        /// The stream of a package cannot be downloaded.
        case unsupportedStream
        /// The engine lacks memory or descriptors, or received an order without its descriptors.
        case engine
        /// The whole content does not have ``TransferOrder/digest``.
        case wrongDigest
    }

    /// The kind of the failure.
    package var kind: Kind
    /// The `errno` of a failure of the disk, or the HTTP status; 0 if neither applies.
    package var code: Int32
    /// The failure and, if possible, its remedy; without an address and without secrets.
    package var message: String
    /// The time after which the server asks to retry, in seconds; nil if the server does not state it.
    package var retryAfter: UInt32?
    /// Whether no request should be sent to the host before ``retryAfter`` has passed.
    package var closesHost: Bool
    /// The length of the part file that is known to be on the disk.
    package var durableLength: Int64
    /// Whether the part file could not be synchronised, so that bytes after its last checkpoint may be lost although
    /// the file has its length.
    package var mayHaveLostBytes: Bool

    /// Creates a failure.
    package init(
        _ kind: Kind, _ message: String, code: Int32 = 0, retryAfter: UInt32? = nil, closesHost: Bool = false,
        durableLength: Int64 = 0, mayHaveLostBytes: Bool = false
    ) {
        (self.kind, self.code, self.message, self.retryAfter) = (kind, code, message, retryAfter)
        (self.closesHost, self.durableLength, self.mayHaveLostBytes) = (closesHost, durableLength, mayHaveLostBytes)
    }

    package var description: String { message }

    /// Appends the failure to a message.
    func write(to writer: inout MessageWriter) {
        writer.write(kind.rawValue)
        writer.write(code)
        writer.write(message)
        writer.writeOptional(retryAfter) { $0.write($1) }
        writer.write(closesHost)
        writer.write(durableLength)
        writer.write(mayHaveLostBytes)
    }

    /// Reads a failure.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        guard let kind = Kind(rawValue: try reader.read()) else { throw MalformedMessage("an unknown failure") }
        let (code, message) = (try reader.read(Int32.self), try reader.read(String.self))
        self.init(
            kind, message, code: code,
            retryAfter: try reader.readOptional { reader throws(MalformedMessage) in try reader.read() },
            closesHost: try reader.read(), durableLength: try reader.readLength(), mayHaveLostBytes: try reader.read())
    }
}
