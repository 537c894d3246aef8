import SystemCalls

/// A running or finished request, whose content the reader takes as it arrives. Releasing the object ends the transfer.
///
/// One thread at a time may read the content; any thread may read the properties.
package final class HTTPTransfer: Sendable {
    /// The request that the transfer performs.
    package let request: HTTPRequest
    private let channel: TransferChannel
    private let commands: TransferCommandQueue

    init(_ request: HTTPRequest, channel: TransferChannel, commands: TransferCommandQueue) {
        (self.request, self.channel, self.commands) = (request, channel, commands)
    }

    deinit { cancel() }

    /// Ends the transfer. Bytes that have already arrived can still be read.
    package func cancel() {
        channel.state.withLock { $0.isCancelled = true }
        commands.post(.cancel(channel))
    }

    /// Signalled when the response head arrives, when bytes arrive in an empty queue, and when the transfer ends.
    package var changeEvent: EventDescriptor { channel.changeEvent }
    /// The head of the final response; nil before it has arrived.
    package var response: HTTPResponse? { channel.state.withLock { $0.response } }
    /// The number of bytes of content received so far.
    package var receivedByteCount: Int64 { channel.state.withLock { $0.receivedByteCount } }
    /// The host times of the request, of its first byte and of its last byte.
    package var times: TransferTimes { channel.state.withLock { $0.times } }

    /// A part of the response's content, or its end.
    package enum Part: Sendable, Equatable {
        case bytes([UInt8])
        case end
    }

    /// Waits for the head of the final response.
    ///
    /// - Returns: nil if `interruption` ended the wait.
    /// - Throws: The reason why the request failed; an error status is a failure.
    package func waitForResponse(_ interruption: TransferInterruption) throws(HTTPError) -> HTTPResponse? {
        try wait(interruption) { state throws(HTTPError) in
            if let response = state.response, response.isSuccess { return response }
            if let error = state.error { throw error }
            return nil
        }
    }

    /// Waits for the next bytes of the content and removes them from the queue.
    ///
    /// - Returns: Up to `limit` bytes, or the end; nil if `interruption` ended the wait.
    /// - Throws: The reason why the content is incomplete, after all bytes that have arrived were returned.
    package func next(_ limit: Int, _ interruption: TransferInterruption) throws(HTTPError) -> Part? {
        let nextPart = try wait(interruption) { state throws(HTTPError) -> Part? in
            let bytes = state.queue.takeFirst(limit)
            if !bytes.isEmpty { return .bytes(bytes) }
            if let error = state.error { throw error }
            return state.hasEnded ? .end : nil
        }
        let shouldResume = channel.state.withLock { state in
            guard state.isPaused, state.queue.count <= request.queueLimit / 2 else { return false }
            state.isPaused = false
            return true
        }
        if shouldResume { commands.post(.resume(channel)) }
        return nextPart
    }

    /// Waits until `body` returns a value, and returns that value; nil if `interruption` ended the wait.
    private func wait<Value>(
        _ interruption: TransferInterruption,
        for body: (inout TransferChannel.State) throws(HTTPError) -> Value?
    ) throws(HTTPError) -> Value? {
        while true {
            channel.changeEvent.drain()
            if interruption.isRequested() { return nil }
            if let value = try channel.state.withLock({ state throws(HTTPError) in try body(&state) }) { return value }
            var entries = [Poll.Entry(channel.changeEvent.raw)] + interruption.events.map { Poll.Entry($0.raw) }
            do {
                guard try Poll.wait(&entries, until: interruption.deadline) else { return nil }
            } catch { throw HTTPError(.outOfResources, request.address, "waiting failed: \(error.reason)") }
        }
    }
}

/// The conditions under which a reader stops waiting for a response or for bytes.
package struct TransferInterruption {
    /// The events that end a wait. A wait also ends when the transfer ends, for example because its server timed out.
    let events: [EventDescriptor]
    /// Returns whether the reader must stop waiting.
    package let isRequested: () -> Bool
    /// The host time, in nanoseconds, at which a wait ends; nil sets no limit.
    package var deadline: Int64?

    package init(events: [EventDescriptor], isRequested: @escaping () -> Bool) {
        (self.events, self.isRequested) = (events, isRequested)
    }

    /// Returns a copy of this interruption with another deadline: a host time in nanoseconds; nil sets no limit.
    package func until(_ deadline: Int64?) -> TransferInterruption {
        var copy = self
        copy.deadline = deadline
        return copy
    }
}
