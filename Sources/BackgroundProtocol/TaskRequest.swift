import WireFormat

/// The description of a new transfer.
package struct TaskRequest: Sendable, Equatable {
    /// 16 bytes that the program chooses. A repeated command with the same bytes creates no second transfer.
    package var uuid: [UInt8]
    /// The request to the server.
    package var request: TransferRequest
    /// The absolute path of the file to upload; nil for a download.
    package var upload: String?
    /// Whether the message carries the directory in which the finished file is kept. Otherwise the file is removed
    /// after the program has acknowledged its event.
    package var hasDirectory = false
    /// The name of the finished file; empty to take the server's suggestion or the name in the address.
    package var fileName = ""
    /// A text of the program.
    package var description = ""
    /// The priority, 0 to 1.
    package var priority = 0.5
    /// The calendar time before which the transfer does not begin, in nanoseconds since 1970; 0 for none.
    package var earliestBegin: Int64 = 0
    /// Whether the service chooses a good moment for this transfer, in addition to the session's setting.
    package var isDiscretionary = false

    /// The digest that the file must have; nil if any content is accepted.
    package var digest: ContentDigest?

    /// The parts of the stream to download, if the address is that of a stream; nil for a file. The result is a folder.
    package var stream: StreamPreferences?

    /// Creates a description of a download.
    package init(uuid: [UInt8], request: TransferRequest) { (self.uuid, self.request) = (uuid, request) }

    /// The fault of the description; nil if it is valid.
    package var fault: String? {
        if uuid.count != 16 { return "a UUID does not have 16 bytes" }
        if fileName.utf8.count > ClientLimits.nameBytes { return "the file name is too long" }
        if description.utf8.count > ClientLimits.descriptionBytes { return "the description is too long" }
        if let upload, !upload.hasPrefix("/") || upload.utf8.count > ClientLimits.pathBytes || upload.utf8.contains(0) {
            return "the path of the file to upload is not absolute or too long"
        }
        if digest != nil, upload != nil || stream != nil { return "only a download of a file has a digest" }
        if let stream {
            if upload != nil || !hasDirectory || request.method != "GET" {
                return "a package is a download to a directory"
            }
            if let fault = stream.fault { return fault }
        }
        if !(0...1).contains(priority) { return "the priority is out of range" }
        if earliestBegin < 0 { return "the earliest begin is negative" }
        return request.fault
    }

    /// Appends the description to a message.
    func write(to writer: inout MessageWriter) {
        for byte in uuid { writer.write(byte) }
        request.write(to: &writer)
        writer.writeOptional(upload) { $0.writeText($1) }
        writer.write(hasDirectory)
        writer.writeText(fileName)
        writer.writeText(description)
        writer.write(priority.bitPattern)
        writer.write(earliestBegin)
        writer.write(isDiscretionary)
        writer.writeOptional(stream) { $1.write(to: &$0) }
    }

    /// Reads a description; rejects an invalid one.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        var uuid: [UInt8] = []
        for _ in 0..<16 { uuid.append(try reader.read()) }
        self.init(uuid: uuid, request: try TransferRequest(from: &reader))
        upload = try reader.readOptional { reader throws(MalformedMessage) in
            try reader.readText(limit: ClientLimits.pathBytes)
        }
        hasDirectory = try reader.read()
        fileName = try reader.readText(limit: ClientLimits.nameBytes)
        description = try reader.readText(limit: ClientLimits.descriptionBytes)
        priority = try reader.readPriority()
        earliestBegin = try reader.read()
        isDiscretionary = try reader.read()
        stream = try reader.readOptional { reader throws(MalformedMessage) in try StreamPreferences(from: &reader) }
        if let fault { throw MalformedMessage(fault) }
    }
}
