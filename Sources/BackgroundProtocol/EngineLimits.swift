import WireFormat

/// The limits of the messages between the ledger (`swiftplay-backgroundd`) and the engine (`swiftplay-transfer`).
package enum EngineLimits {
    /// The version of the protocol. Both processes come from one package, so each accepts only its own version.
    package static let version: UInt16 = 3
    /// The maximum size of one message, in bytes.
    package static let messageBytes = WireLimits.largeMessageBytes
    /// The maximum length of an address, in bytes.
    package static let addressBytes = 8192
    /// The maximum number of header fields in a request or a response.
    package static let fieldCount = 128
    /// The maximum size of all names and values of header fields together, in bytes.
    package static let fieldBytes = 40_000
    /// The maximum length of an entity tag, a date, a media type or a file name, in bytes.
    package static let valueBytes = 1024
    /// The maximum length of a request method, in bytes.
    package static let methodBytes = 32
}
