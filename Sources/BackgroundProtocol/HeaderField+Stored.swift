import WireFormat

extension [HeaderField] {
    /// The fields in the form in which a file stores them.
    package var stored: [UInt8] {
        var writer = MessageWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// Decodes stored fields.
    package init(stored bytes: [UInt8]) throws(MalformedMessage) {
        var reader = MessageReader(bytes)
        try self.init(from: &reader)
        try reader.expectEnd()
    }
}
