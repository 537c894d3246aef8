import BackgroundProtocol
import TransferPolicy

/// The state of one request of a transfer and of its response.
struct TransferExchange {
    /// The step after a response whose body is not written.
    enum NextStep {
        /// Send the next request: after a redirect, or because the judge asks again.
        case send
        /// The part file already holds the whole content.
        case complete
        /// End the transfer.
        case fail(EngineFailure)
    }

    /// The lines of the response's head.
    var parser = ReplyHeadParser()
    /// The head of the final response; nil before it has arrived.
    var head: ReplyHead?
    /// The use of the body; nil before the body was accepted.
    var plan: BodyPlan?
    /// The step after this response; nil while its body is written.
    var nextStep: NextStep?
    /// The number of received bytes of the body that were written or compared.
    var receivedByteCount: Int64 = 0
    /// The number of received bytes of the body that were discarded.
    var discardedByteCount: Int64 = 0
    /// The number of bytes of the uploaded file that libcurl has read.
    var uploadedByteCount: Int64 = 0

    /// The maximum number of discarded bytes. A connection can be reused only after the whole body has arrived; the
    /// connection of a longer body is closed.
    static let discardLimit: Int64 = 64 * 1024

    /// Whether the body is short enough to be discarded without closing the connection.
    var canDiscardBody: Bool { head?.bodyLength.map { $0 <= Self.discardLimit } ?? false }
}

/// The way in which a transfer ends.
enum TransferEnding {
    /// A response has arrived as a whole.
    case finished(status: Int)
    /// The transfer has failed.
    case failed(EngineFailure)
    /// The ledger stopped the transfer.
    case stopped
}
