import BackgroundProtocol
import FoundationEssentials
import PushEncryption
import SystemCalls

/// What a background fetch or a notification has brought, as `UIBackgroundFetchResult` on Apple's systems.
///
/// The service learns from the results: a program whose fetches bring new data is fetched more often.
public enum BackgroundFetchResult: UInt8, Sendable, CaseIterable {
    /// The program has new content.
    case newData = 0
    /// There is no new content.
    case noData = 1
    /// The content could not be fetched. The service tries again after 1, 2, 4 … 60 minutes.
    case failed = 2

    /// The result as the service takes it.
    var wakeResult: WakeResult {
        switch self {
        case .newData: .newData
        case .noData: .noData
        case .failed: .failed
        }
    }
}

/// A notification that another program or a server has sent.
public struct RemoteNotification: Sendable, Equatable {
    /// The JSON text of the notification, with Apple's member `aps`; or the bytes that a server has sent, decrypted if
    /// ``isEncrypted`` is true.
    public let payload: Data
    /// Whether the sender has encrypted the notification for the program's ``RemoteNotificationKeys``.
    public let isEncrypted: Bool

    /// Creates a notification.
    init(_ bytes: [UInt8], isEncrypted: Bool = false) { (payload, self.isEncrypted) = (Data(bytes), isEncrypted) }

    /// Creates the notification that a program receives, decrypted if the program has keys and the sender may be a
    /// server.
    ///
    /// - Parameter sender: The sender; nil if the service is too old to state it.
    /// - Throws: ``PushEncryptionError`` if the notification must not be delivered.
    init(
        received bytes: [UInt8], from sender: NotificationSender?, keys: PushKeys?
    ) throws(PushEncryptionError) {
        if let keys, sender != .local {
            self.init(try keys.decrypt(bytes), isEncrypted: true)
        } else {
            self.init(bytes)
        }
    }

    /// Decodes the JSON text.
    ///
    /// - Throws: `DecodingError` if the text has not the form of `Value`.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: payload)
    }
}

/// The completion handler of one fetch or notification. Only its first call has an effect.
final class WakeCompletion: Sendable {
    /// The longest time for which a caller waits until the service has stored the result.
    static let timeout: Int64 = 5 * MonotonicTime.nanosecondsPerSecond

    private enum State {
        case isNotCalled, isReporting, isReported
    }

    private let state = Monitor(State.isNotCalled)
    /// Reports the result to the service, and returns when the service has stored it, or does not answer.
    private let report: @Sendable (WakeResult) -> Void

    /// Creates a completion handler that reports the result with a closure.
    init(report: @escaping @Sendable (WakeResult) -> Void) { self.report = report }

    /// Reports the result, and returns when the service has stored it, so that the program may exit then. A further
    /// call on another thread waits for the same, because its caller may exit, too.
    ///
    /// - Returns: False if the handler was called before.
    @discardableResult
    func call(_ result: BackgroundFetchResult) -> Bool {
        let isFirst = state.withLock { state in
            guard case .isNotCalled = state else { return false }
            state = .isReporting
            return true
        }
        guard isFirst else {
            _ = state.wait(until: MonotonicTime.now + Self.timeout) { $0 == .isReported ? true : nil }
            return false
        }
        report(result.wakeResult)
        state.update { $0 = .isReported }
        return true
    }
}
