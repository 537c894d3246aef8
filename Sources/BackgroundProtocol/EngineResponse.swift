import TransferPolicy
import WireFormat

/// An accepted response: its body is the content, the rest of the content, or an error page.
package struct EngineResponse: Equatable, Sendable {
    /// The use of a response's body.
    package enum Use: UInt8, CaseIterable, Sendable {
        /// The body is the whole content, and the part file was empty.
        case whole = 1
        /// The body continues the part file.
        case rest
        /// The body is new content: the content at the server has changed, and the part file was emptied.
        case changedContent
        /// The body is the content from its beginning, because the server cannot send a part of it, or because the
        /// method is not `GET`. The part file was emptied.
        case restart
        /// The response has no body, because the part file already holds the whole content.
        case nothing
        /// The body is an error page in the part file.
        case errorPageInPart
        /// The body is an error page in the file for error pages. The part file stays as it is.
        case errorPage
    }

    /// The status of the response.
    package var status: UInt16
    /// The use of the body.
    package var use: Use
    /// The address of the response after redirects.
    package var address: String
    /// The address that permanent redirects on the same host stated for further requests; nil if there is none.
    package var permanentAddress: String?
    /// The offset in the content at which the body continues the part file; 0 for other uses.
    package var offset: Int64
    /// The length of the whole content, in bytes; nil if the server does not state it.
    package var total: Int64?
    /// The validators of the content.
    package var validators: ContentValidators
    /// Whether a later request can continue the part file.
    package var isResumable: Bool
    /// The media type of the content; nil if the server does not state it.
    package var mediaType: String?
    /// The file name that the server suggests, without any validation; nil if it suggests none.
    package var suggestedName: String?
    /// The header fields, without cookies and credentials.
    package var fields: [HeaderField]

    /// Creates a response.
    package init(
        status: UInt16, use: Use, address: String, permanentAddress: String? = nil, offset: Int64 = 0,
        total: Int64? = nil, validators: ContentValidators = ContentValidators(), isResumable: Bool = false,
        mediaType: String? = nil, suggestedName: String? = nil, fields: [HeaderField] = []
    ) {
        (self.status, self.use, self.address, self.permanentAddress) = (status, use, address, permanentAddress)
        (self.offset, self.total, self.validators, self.isResumable) = (offset, total, validators, isResumable)
        (self.mediaType, self.suggestedName, self.fields) = (mediaType, suggestedName, fields)
    }

    /// Appends the response to a message.
    func write(to writer: inout MessageWriter) {
        writer.write(status)
        writer.write(use.rawValue)
        writer.writeText(address)
        writer.writeOptional(permanentAddress) { $0.writeText($1) }
        writer.write(offset)
        writer.writeOptional(total) { $0.write($1) }
        validators.write(to: &writer)
        writer.write(isResumable)
        writer.writeOptional(mediaType) { $0.writeText($1) }
        writer.writeOptional(suggestedName) { $0.writeText($1) }
        fields.write(to: &writer)
    }

    /// Reads a response; rejects an invalid one.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        let status = try reader.read(UInt16.self)
        guard (200..<600).contains(status) else { throw MalformedMessage("an invalid status") }
        guard let use = Use(rawValue: try reader.read()) else { throw MalformedMessage("an unknown use of a body") }
        self.init(
            status: status, use: use, address: try reader.readText(limit: EngineLimits.addressBytes),
            permanentAddress: try reader.readOptional { reader throws(MalformedMessage) in
                try reader.readText(limit: EngineLimits.addressBytes)
            },
            offset: try reader.readLength(),
            total: try reader.readOptional { reader throws(MalformedMessage) in try reader.readLength() },
            validators: try ContentValidators(from: &reader), isResumable: try reader.read(),
            mediaType: try reader.readValue(), suggestedName: try reader.readValue(),
            fields: try [HeaderField](from: &reader))
    }
}
