import WireFormat

/// A value of a message that is also stored in the durable record.
package protocol StoredValue {
    /// Appends the value to a message.
    func write(to writer: inout MessageWriter)
    /// Reads a value; rejects invalid ones.
    init(from reader: inout MessageReader) throws(MalformedMessage)
}

extension StoredValue {
    /// The encoded value, for the durable record.
    package var encoded: [UInt8] {
        var writer = MessageWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// Decodes a value of the durable record.
    ///
    /// - Throws: `MalformedMessage` if the bytes are not valid.
    package init(decoding bytes: [UInt8]) throws(MalformedMessage) {
        var reader = MessageReader(bytes)
        try self.init(from: &reader)
        try reader.expectEnd()
    }
}
