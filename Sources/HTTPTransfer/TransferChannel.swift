import SystemCalls

/// The connection between a transfer on the network thread and its reader: received bytes, response and result.
final class TransferChannel: Sendable {
    /// The state that both threads share.
    struct State: Sendable {
        /// The head of the final response; nil before it has arrived.
        var response: HTTPResponse?
        /// The received bytes that the reader has not taken.
        var queue = ByteQueue()
        /// The number of bytes received so far.
        var received: Int64 = 0
        /// Whether reception pauses until the reader has taken bytes.
        var isPaused = false
        /// Whether the transfer has ended: with success if `error` is nil.
        var hasEnded = false
        /// The reason why the transfer failed.
        var error: HTTPError?
        /// Whether the reader no longer needs the transfer.
        var isCancelled = false
        /// The host times of the transfer in nanoseconds.
        var times = TransferTimes()
    }

    let state = Monitor(State())
    /// Signalled when the response, the first bytes of an empty queue or the end arrive.
    let changed: EventDescriptor

    init() throws(SystemCallError) { changed = try EventDescriptor() }
}

/// The host times of a transfer in nanoseconds; nil before the event.
package struct TransferTimes: Sendable, Equatable {
    /// The time of the request.
    package var requested: Int64 = 0
    /// The time at which the first byte of the content arrived.
    package var firstByte: Int64?
    /// The time at which the last byte so far arrived.
    package var lastByte: Int64?
    package init() {}
}
