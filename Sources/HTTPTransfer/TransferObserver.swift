import CCurl
import SystemCalls

/// Receives the events of the transfers of one item, for statistics and logs.
package protocol TransferObserver: AnyObject, Sendable {
    /// Handles an event. The network thread calls this method, which must therefore not wait.
    ///
    /// - Parameter now: The host time of the event, in nanoseconds.
    func handle(_ event: TransferEvent, at now: Int64)
}

/// An event of a transfer. Contains only values.
package enum TransferEvent: Sendable, Equatable {
    /// A request was started.
    case began(isMedia: Bool)
    /// A server has responded.
    ///
    /// - Parameters:
    ///   - host: The host in the address that responds.
    ///   - serverAddress: The IP address of the server or of the proxy.
    case responded(host: String, serverAddress: String)
    /// Bytes of the content arrived; the value is their number.
    case received(Int)
    /// Reception was paused, because too many received bytes wait for the reader.
    case paused
    /// Reception has resumed after a pause.
    case resumed
    /// The transfer ended.
    ///
    /// - Parameters:
    ///   - wasPaused: Whether reception was paused.
    ///   - uncounted: The number of transferred bytes that `received` events have not counted, such as those of an
    ///     error page; negative if the content was compressed.
    ///   - failure: The reason why the transfer failed; nil if it succeeded or was cancelled.
    case ended(wasPaused: Bool, uncounted: Int64, failure: TransferFailure?)
}

/// The error and the server of a failed transfer. Holds no reference to the transfer.
package struct TransferFailure: Sendable, Equatable {
    /// The reason, with the address.
    package var error: HTTPError
    /// The IP address of the server; nil if no connection was established.
    package var serverAddress: String?

    package init(_ error: HTTPError, serverAddress: String?) {
        (self.error, self.serverAddress) = (error, serverAddress)
    }
}

/// A reference to an observer, comparable by the observer's identity.
package struct TransferObservation: Sendable, Equatable {
    package let observer: any TransferObserver

    package init(_ observer: any TransferObserver) { self.observer = observer }

    package static func == (one: Self, other: Self) -> Bool { one.observer === other.observer }
}

/// Notifies the observer of a transfer.
extension ActiveTransfer {
    /// Passes an event to the observer of the request, if there is one.
    func report(_ event: @autoclosure () -> TransferEvent) {
        guard let observation = request.options.observation else { return }
        observation.observer.handle(event(), at: MonotonicTime.now)
    }

    /// Notifies the observer of the end of the transfer.
    func reportEnd(_ error: HTTPError?) {
        let isFailure = error != nil && error?.code != .cancelled
        let failure = isFailure ? error.map { TransferFailure($0, serverAddress: serverAddress) } : nil
        report(.ended(wasPaused: isPaused, uncounted: transferredByteCount - reportedByteCount, failure: failure))
    }

    /// The IP address of the server or the proxy; nil before the connection is established.
    var serverAddress: String? {
        var text: UnsafePointer<CChar>?
        ccurl_get_text(easyHandle, CURLINFO_PRIMARY_IP, &text)
        return text.map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The number of transferred bytes of content, still compressed if the server has compressed the content.
    private var transferredByteCount: Int64 {
        var count: curl_off_t = 0
        ccurl_get_offset(easyHandle, CURLINFO_SIZE_DOWNLOAD_T, &count)
        return Int64(count)
    }
}
