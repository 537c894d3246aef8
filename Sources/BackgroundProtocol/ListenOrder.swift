import WireFormat

/// An order of the ledger to read the lines of an endless response, such as the messages of a push server.
package struct ListenOrder: Equatable, Sendable {
    /// The most bytes of a line; a longer one ends the stream.
    package static let lineBytes = 16_384

    /// The number of the stream, from the same numbers as those of ``TransferOrder``.
    package var transfer: UInt64
    /// The request.
    package var request: TransferRequest
    /// The seconds without a byte after which the stream counts as dead.
    package var silence: UInt32

    /// Creates an order.
    package init(transfer: UInt64, request: TransferRequest, silence: UInt32) {
        (self.transfer, self.request, self.silence) = (transfer, request, silence)
    }

    /// Appends the order to a message.
    func write(to writer: inout MessageWriter) {
        writer.write(transfer)
        request.write(to: &writer)
        writer.write(silence)
    }

    /// Reads an order; rejects an invalid one.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        self.init(
            transfer: try reader.read(), request: try TransferRequest(from: &reader), silence: try reader.read())
        if let fault = request.fault { throw MalformedMessage(fault) }
    }
}
