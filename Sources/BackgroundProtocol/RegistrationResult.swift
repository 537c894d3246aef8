import WireFormat

/// The result of a registration for notifications from servers.
package enum RegistrationResult: Sendable, Equatable {
    /// The address to which the server of the program sends notifications.
    case endpoint(String)
    /// No distributor of notifications is there.
    case noDistributor
    /// The distributor has refused the program, for a reason in one line.
    case refused(String)

    /// The maximum length of an address and of a reason, in bytes.
    private static let textBytes = 1000

    /// Appends the result to a message.
    func write(to writer: inout MessageWriter) {
        switch self {
        case .endpoint(let address):
            writer.write(UInt8(1))
            writer.writeText(address)
        case .noDistributor: writer.write(UInt8(2))
        case .refused(let reason):
            writer.write(UInt8(3))
            writer.writeText(reason)
        }
    }

    /// Reads a result.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        switch try reader.read(UInt8.self) {
        case 1: self = .endpoint(try reader.readText(limit: Self.textBytes))
        case 2: self = .noDistributor
        case 3: self = .refused(try reader.readText(limit: Self.textBytes))
        default: throw MalformedMessage("an unknown result of a registration")
        }
    }
}
