import SystemCalls

/// The state that a transfer on the network thread shares with its reader: received bytes, response and result.
final class TransferChannel: Sendable {
    /// The shared state of a transfer.
    struct State: Sendable {
        /// The head of the final response; nil before it has arrived.
        var response: HTTPResponse?
        /// The received bytes that the reader has not taken yet.
        var queue = ByteQueue()
        /// The number of bytes received so far.
        var receivedByteCount: Int64 = 0
        /// Whether reception pauses until the reader has taken bytes.
        var isPaused = false
        /// Whether the transfer has ended, successfully if ``error`` is nil.
        var hasEnded = false
        /// The reason why the transfer failed; nil if it has not failed.
        var error: HTTPError?
        /// Whether the reader no longer needs the transfer.
        var isCancelled = false
        /// The host times of the transfer in nanoseconds.
        var times = TransferTimes()
    }

    let state = Monitor(State())
    /// Signalled when the response head arrives, when bytes arrive in an empty queue, and when the transfer ends.
    let changeEvent: EventDescriptor

    init() throws(SystemCallError) { changeEvent = try EventDescriptor() }
}

/// The host times of a transfer, in nanoseconds; nil for an event that has not occurred yet.
package struct TransferTimes: Sendable, Equatable {
    /// The host time of the request in nanoseconds.
    package var requested: Int64 = 0
    /// The host time, in nanoseconds, at which the first byte of the content arrived.
    package var firstByte: Int64?
    /// The host time, in nanoseconds, at which the newest byte of the content arrived.
    package var lastByte: Int64?
    package init() {}
}
