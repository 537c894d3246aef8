import WireFormat

/// A notification for a program.
package struct PushMessage: Sendable, Equatable {
    /// The name of the program.
    package var program: String
    /// The identifier of the message. A second message with the same identifier is ignored.
    package var identifier: String
    /// A newer message with the same key replaces one that waits.
    package var collapseKey = ""
    /// Whether the message wakes the program as soon as its rate permits.
    package var isUrgent = true
    /// The JSON text.
    package var payload: [UInt8]

    /// Creates a message.
    package init(program: String, identifier: String, payload: [UInt8]) {
        (self.program, self.identifier, self.payload) = (program, identifier, payload)
    }

    /// The maximum length of an identifier and of a collapse key, in bytes.
    package static let keyBytes = 128
    /// The maximum length of a payload in a message, in bytes. Payloads above the limit of notifications are refused
    /// with a text, longer messages end the connection.
    package static let payloadBytes = 16_384

    /// What has happened with a message that is stored.
    package enum Receipt: UInt8, Sendable, CaseIterable {
        /// The program receives the message now.
        case delivered = 1
        /// The message waits.
        case waiting
        /// A message with this identifier was received before.
        case duplicate
    }

    /// Appends the notification to a message.
    func write(to writer: inout MessageWriter) {
        writer.writeText(program)
        writer.writeText(identifier)
        writer.writeText(collapseKey)
        writer.write(isUrgent)
        writer.writeBytes(payload)
    }

    /// Reads a notification; rejects invalid names and texts that are too long.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        program = try reader.readName()
        identifier = try reader.readText(limit: Self.keyBytes)
        collapseKey = try reader.readText(limit: Self.keyBytes)
        isUrgent = try reader.read()
        payload = try reader.readBytes(limit: Self.payloadBytes)
    }
}

extension MessageWriter {
    /// Appends a number of bytes, and their count in 32 bits.
    mutating func writeBytes(_ bytes: [UInt8]) {
        write(UInt32(clamping: bytes.count))
        for byte in bytes { write(byte) }
    }
}

extension MessageReader {
    /// Reads bytes that ``MessageWriter/writeBytes(_:)`` has written.
    mutating func readBytes(limit: Int) throws(MalformedMessage) -> [UInt8] {
        guard let count = Int(exactly: try read(UInt32.self)), count <= limit else {
            throw MalformedMessage("there are too many bytes")
        }
        var bytes: [UInt8] = []
        for _ in 0..<count { bytes.append(try read()) }
        return bytes
    }
}
