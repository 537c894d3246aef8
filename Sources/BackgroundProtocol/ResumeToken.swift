import WireFormat

/// The resume data of a cancelled download, by which the service finds the received bytes. The program stores it.
package struct ResumeToken: Sendable, Equatable {
    /// The form of the encoded bytes.
    private static let version: UInt8 = 1

    /// The key of the transfer.
    package let task: Int64
    /// The digest of the address. The service's record may have been replaced, and another transfer may have the key.
    package let addressDigest: UInt64

    /// Creates the resume data of a transfer.
    package init(task: Int64, address: String) { (self.task, addressDigest) = (task, Self.digest(Array(address.utf8))) }

    /// The bytes for the program.
    package var encoded: [UInt8] {
        var writer = MessageWriter()
        write(to: &writer)
        let digest = Self.digest(writer.bytes)
        writer.write(digest)
        return writer.bytes
    }

    /// Decodes the bytes that a program has stored.
    ///
    /// - Throws: `MalformedMessage` if they were changed, cut, or come from elsewhere.
    package init(decoding bytes: [UInt8]) throws(MalformedMessage) {
        var reader = MessageReader(bytes)
        try self.init(from: &reader)
        let digest = try reader.read(UInt64.self)
        try reader.expectEnd()
        guard digest == Self.digest(Array(bytes.dropLast(MemoryLayout<UInt64>.size))) else {
            throw MalformedMessage("the resume data were changed")
        }
    }

    /// Appends the resume data to a message.
    func write(to writer: inout MessageWriter) {
        writer.write(Self.version)
        writer.write(task)
        writer.write(addressDigest)
    }

    /// Reads resume data.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        guard try reader.read(UInt8.self) == Self.version else {
            throw MalformedMessage("the resume data have an unknown form")
        }
        (task, addressDigest) = (try reader.read(), try reader.read())
    }

    /// The digest FNV-1a. It recognises mistakes; the data give no access that the program does not have anyway.
    private static func digest(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
