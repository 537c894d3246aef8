import TransferPolicy
import WireFormat

/// A message from the engine to the ledger.
///
/// The messages of a transfer are any number of `connected`, `response`, `progress`, `checkpoint` and `emptied`, and
/// at the end exactly one of `finished`, `failed` and `stopped`.
package enum EngineEvent: Equatable, Sendable {
    /// The first message: the version of the protocol.
    case hello(version: UInt16)
    /// A connection to the server exists, and the request is being sent.
    case connected(transfer: UInt64)
    /// A response was accepted. If its body is written to the part file, the file already has the length at which the
    /// body begins.
    case response(transfer: UInt64, EngineResponse)
    /// The part file has grown to a length. Sent at most every 100 ms for each transfer.
    case progress(transfer: UInt64, length: Int64)
    /// The server has received a number of bytes of the uploaded file. Sent at most every 100 ms for each transfer.
    case uploadProgress(transfer: UInt64, sent: Int64)
    /// The first bytes of the part file, up to this length, are on the disk (`fdatasync` has succeeded).
    case checkpoint(transfer: UInt64, durableLength: Int64)
    /// The part file was emptied: the content at the server has changed, or cannot be continued.
    case emptied(transfer: UInt64)
    /// The transfer has ended with a response: the body has arrived as a whole and is on the disk.
    ///
    /// - Parameters:
    ///   - length: The length of the part file, or of the file for error pages.
    ///   - status: The status of the response.
    case finished(transfer: UInt64, length: Int64, status: UInt16)
    /// The transfer has ended with a failure.
    case failed(transfer: UInt64, EngineFailure)
    /// The transfer has ended by a command, and the part file is on the disk up to this length.
    case stopped(transfer: UInt64, durableLength: Int64)
    /// A playlist of a package refers to these resources. Any number of these events precedes the end of a plan.
    case planned(transfer: UInt64, [PlannedResource])
    /// A stream has begun. The server may have left out older messages.
    case listening(transfer: UInt64, isTruncated: Bool)
    /// A line of a stream, without its end. ``failed(transfer:_:)`` ends a stream, also if the server ends it.
    case line(transfer: UInt64, [UInt8])
    /// A host deviates from the rules of HTTP. The ledger passes the quirks in further orders for this host.
    case quirksObserved(host: String, HostQuirks)

    /// Returns the encoded message.
    package var encoded: [UInt8] {
        var writer = MessageWriter()
        switch self {
        case .hello(let version):
            writer.write(UInt8(1))
            writer.write(version)
        case .connected(let transfer): writer.write(2, transfer)
        case .response(let transfer, let response):
            writer.write(3, transfer)
            response.write(to: &writer)
        case .progress(let transfer, let length):
            writer.write(4, transfer)
            writer.write(length)
        case .uploadProgress(let transfer, let sent):
            writer.write(5, transfer)
            writer.write(sent)
        case .checkpoint(let transfer, let durableLength):
            writer.write(6, transfer)
            writer.write(durableLength)
        case .emptied(let transfer): writer.write(7, transfer)
        case .finished(let transfer, let length, let status):
            writer.write(8, transfer)
            writer.write(length)
            writer.write(status)
        case .failed(let transfer, let failure):
            writer.write(9, transfer)
            failure.write(to: &writer)
        case .stopped(let transfer, let durableLength):
            writer.write(10, transfer)
            writer.write(durableLength)
        case .quirksObserved(let host, let quirks):
            writer.write(UInt8(11))
            writer.write(host)
            writer.write(quirks.rawValue)
        case .planned(let transfer, let resources):
            writer.write(12, transfer)
            writer.write(UInt16(clamping: resources.count))
            for resource in resources.prefix(Int(UInt16.max)) { resource.write(to: &writer) }
        case .listening(let transfer, let isTruncated):
            writer.write(13, transfer)
            writer.write(isTruncated)
        case .line(let transfer, let bytes):
            writer.write(14, transfer)
            writer.writeBytes(bytes)
        }
        return writer.bytes
    }

    /// The fault of the event; nil if the ledger accepts it.
    package var fault: String? {
        let bytes = encoded
        guard bytes.count <= EngineLimits.messageBytes else {
            return "the message has more than \(EngineLimits.messageBytes) bytes"
        }
        do throws(MalformedMessage) {
            _ = try EngineEvent(decoding: bytes)
            return nil
        } catch { return error.detail }
    }

    /// Decodes a message.
    ///
    /// - Throws: `MalformedMessage` if the bytes are not a valid message.
    package init(decoding bytes: [UInt8]) throws(MalformedMessage) {
        var reader = MessageReader(bytes)
        switch try reader.read(UInt8.self) {
        case 1: self = .hello(version: try reader.read())
        case 2: self = .connected(transfer: try reader.read())
        case 3: self = .response(transfer: try reader.read(), try EngineResponse(from: &reader))
        case 4: self = .progress(transfer: try reader.read(), length: try reader.readLength())
        case 5: self = .uploadProgress(transfer: try reader.read(), sent: try reader.readLength())
        case 6: self = .checkpoint(transfer: try reader.read(), durableLength: try reader.readLength())
        case 7: self = .emptied(transfer: try reader.read())
        case 8:
            self = .finished(
                transfer: try reader.read(), length: try reader.readLength(), status: try reader.read())
        case 9: self = .failed(transfer: try reader.read(), try EngineFailure(from: &reader))
        case 10: self = .stopped(transfer: try reader.read(), durableLength: try reader.readLength())
        case 11: self = .quirksObserved(host: try reader.read(), try HostQuirks(from: &reader))
        case 12:
            let (transfer, count) = (try reader.read(UInt64.self), try reader.read(UInt16.self))
            var resources: [PlannedResource] = []
            for _ in 0..<count { resources.append(try PlannedResource(from: &reader)) }
            self = .planned(transfer: transfer, resources)
        case 13: self = .listening(transfer: try reader.read(), isTruncated: try reader.read())
        case 14: self = .line(transfer: try reader.read(), try reader.readBytes(limit: ListenOrder.lineBytes))
        default: throw MalformedMessage("an unknown message", isUnknown: true)
        }
        try reader.expectEnd()
    }
}

extension MessageWriter {
    /// Appends the number of a message and the number of its transfer.
    fileprivate mutating func write(_ message: UInt8, _ transfer: UInt64) {
        write(message)
        write(transfer)
    }
}
