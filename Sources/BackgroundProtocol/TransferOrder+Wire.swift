import TransferPolicy
import WireFormat

extension TransferOrder {
    /// Appends the order to a message.
    func write(to writer: inout MessageWriter) {
        writer.write(transfer)
        request.write(to: &writer)
        held.write(to: &writer)
        limits.write(to: &writer)
        writer.write(quirks.rawValue)
        writer.write(isDiscretionary)
        writer.write(descriptors.rawValue)
        writer.writeOptional(digest) { $1.write(to: &$0) }
    }

    /// Reads an order; rejects an invalid one.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        self.init(
            transfer: try reader.read(), request: try TransferRequest(from: &reader),
            held: try HeldContent(from: &reader), limits: try TransferLimits(from: &reader),
            quirks: try HostQuirks(from: &reader), isDiscretionary: try reader.read(),
            descriptors: Descriptors(rawValue: try reader.read()))
        digest = try reader.readOptional { reader throws(MalformedMessage) in try ContentDigest(from: &reader) }
        guard descriptors.isSubset(of: .known) else {
            throw MalformedMessage("an unknown descriptor")
        }
        if let fault { throw MalformedMessage(fault) }
    }
}

extension TransferRequest {
    /// Appends the request to a message.
    func write(to writer: inout MessageWriter) {
        writer.writeText(address)
        writer.writeText(method)
        fields.write(to: &writer)
        writer.write(allowsInsecureHTTP)
    }

    /// Reads a request, without validation.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        self.init(
            address: try reader.readText(limit: EngineLimits.addressBytes),
            method: try reader.readText(limit: EngineLimits.methodBytes), fields: try [HeaderField](from: &reader),
            allowsInsecureHTTP: try reader.read())
    }
}

extension HeldContent {
    /// Appends the description to a message.
    func write(to writer: inout MessageWriter) {
        writer.write(length)
        writer.writeOptional(total) { $0.write($1) }
        validators.write(to: &writer)
        writer.writeOptional(mediaType) { $0.writeText($1) }
    }

    /// Reads a description, without validation.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        self.init(
            length: try reader.read(),
            total: try reader.readOptional { reader throws(MalformedMessage) in try reader.read() },
            validators: try ContentValidators(from: &reader), mediaType: try reader.readValue())
    }
}

extension TransferLimits {
    /// Appends the limits to a message.
    func write(to writer: inout MessageWriter) {
        writer.write(lowSpeed)
        writer.write(lowSpeedTime)
        writer.write(connectTime)
        writer.write(rate)
        writer.write(contentLength)
    }

    /// Reads limits, without validation.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        self.init(
            lowSpeed: try reader.read(), lowSpeedTime: try reader.read(), connectTime: try reader.read(),
            rate: try reader.read(), contentLength: try reader.read())
    }
}

extension ContentValidators {
    /// Appends the validators to a message.
    func write(to writer: inout MessageWriter) {
        for value in [entityTag, lastModified, date] { writer.writeOptional(value) { $0.writeText($1) } }
    }

    /// Reads validators.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        self.init(
            entityTag: try reader.readValue(), lastModified: try reader.readValue(), date: try reader.readValue())
    }
}

extension HostQuirks {
    /// Reads quirks; rejects unknown ones.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        self.init(rawValue: try reader.read())
        guard isSubset(of: .known) else { throw MalformedMessage("an unknown quirk of a host") }
    }
}

extension MessageReader {
    /// Reads an optional text of at most ``EngineLimits/valueBytes``.
    mutating func readValue() throws(MalformedMessage) -> String? {
        try readOptional { reader throws(MalformedMessage) in try reader.readText(limit: EngineLimits.valueBytes) }
    }

    /// Reads a length or an offset, which is not negative.
    mutating func readLength() throws(MalformedMessage) -> Int64 {
        let length = try read(Int64.self)
        guard length >= 0 else { throw MalformedMessage("a length is negative") }
        return length
    }
}
