import WireFormat

/// A message from the ledger to the engine.
package enum EngineCommand: Equatable, Sendable {
    /// The first message: the version of the protocol.
    case hello(version: UInt16)
    /// Starts a transfer. The message carries the descriptors of the order.
    case start(TransferOrder)
    /// Reads a playlist of a package. The message carries the file for the local playlist, which takes the place of the
    /// part file, and the file with the playlist of the server.
    case plan(PlanOrder)
    /// Reads the lines of an endless response.
    case listen(ListenOrder)
    /// Stops a transfer or a stream. The engine synchronises the part file and answers
    /// ``EngineEvent/stopped(transfer:durableLength:)``, except if the transfer has already ended.
    case stop(transfer: UInt64)
    /// Limits the rate of a transfer to a number of bytes a second; 0 removes the limit.
    case limitRate(transfer: UInt64, bytesPerSecond: UInt64)
    /// Stops all transfers, synchronises their part files and exits.
    case quit

    /// The number of descriptors that the message carries.
    package var descriptorCount: Int {
        switch self {
        case .start(let order): return order.descriptors.count
        case .plan: return 2
        case .hello, .listen, .stop, .limitRate, .quit: return 0
        }
    }

    /// Returns the encoded message.
    ///
    /// - Throws: `MalformedMessage` if an order exceeds the limits or is invalid; its transfer cannot be started.
    package func encoded() throws(MalformedMessage) -> [UInt8] {
        var writer = MessageWriter()
        switch self {
        case .hello(let version):
            writer.write(UInt8(1))
            writer.write(version)
        case .start(let order):
            if let fault = order.fault { throw MalformedMessage(fault) }
            writer.write(UInt8(2))
            order.write(to: &writer)
        case .stop(let transfer):
            writer.write(UInt8(3))
            writer.write(transfer)
        case .limitRate(let transfer, let bytesPerSecond):
            writer.write(UInt8(4))
            writer.write(transfer)
            writer.write(bytesPerSecond)
        case .quit: writer.write(UInt8(5))
        case .plan(let order):
            if let fault = order.fault { throw MalformedMessage(fault) }
            writer.write(UInt8(6))
            order.write(to: &writer)
        case .listen(let order):
            if let fault = order.request.fault { throw MalformedMessage(fault) }
            writer.write(UInt8(7))
            order.write(to: &writer)
        }
        guard writer.bytes.count <= EngineLimits.messageBytes else {
            throw MalformedMessage("the request is longer than \(EngineLimits.messageBytes) bytes")
        }
        return writer.bytes
    }

    /// Decodes a message.
    ///
    /// - Throws: `MalformedMessage` if the bytes are not a valid message.
    package init(decoding bytes: [UInt8]) throws(MalformedMessage) {
        var reader = MessageReader(bytes)
        switch try reader.read(UInt8.self) {
        case 1: self = .hello(version: try reader.read())
        case 2: self = .start(try TransferOrder(from: &reader))
        case 3: self = .stop(transfer: try reader.read())
        case 4: self = .limitRate(transfer: try reader.read(), bytesPerSecond: try reader.read())
        case 5: self = .quit
        case 6: self = .plan(try PlanOrder(from: &reader))
        case 7: self = .listen(try ListenOrder(from: &reader))
        default: throw MalformedMessage("an unknown message", isUnknown: true)
        }
        try reader.expectEnd()
    }
}
