import BackgroundProtocol
import FoundationEssentials
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
    /// The JSON text of the notification, with Apple's member `aps`.
    public let payload: Data

    /// Creates a notification.
    init(_ bytes: [UInt8]) { payload = Data(bytes) }

    /// Decodes the JSON text.
    ///
    /// - Throws: `DecodingError` if the text has not the form of `Value`.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: payload)
    }
}

/// The completion handler of one fetch or notification. Only its first call has an effect.
final class WakeCompletion: Sendable {
    /// The longest time for which the caller waits until the service has stored the result.
    private static let timeout: Int64 = 5 * MonotonicTime.nanosecondsPerSecond
    private let isCalled = Monitor(false)
    /// Returns the command that reports the result.
    private let command: @Sendable (WakeResult) -> ClientCommand

    /// Called when the result was reported.
    private let onEnd: @Sendable () -> Void

    /// Creates a completion handler that reports the result with a command.
    init(onEnd: @escaping @Sendable () -> Void, _ command: @escaping @Sendable (WakeResult) -> ClientCommand) {
        (self.onEnd, self.command) = (onEnd, command)
    }

    /// Reports the result, and returns when the service has stored it, so that the program may exit then.
    ///
    /// - Returns: False if the handler was called before.
    @discardableResult
    func call(_ result: BackgroundFetchResult, _ link: BackgroundLink) -> Bool {
        let wasCalled = isCalled.withLock { isCalled in
            defer { isCalled = true }
            return isCalled
        }
        guard !wasCalled else { return false }
        // Without an answer, the service counts the wake as failed.
        _ = try? link.answer(to: command(result.wakeResult), timeout: Self.timeout)
        onEnd()
        return true
    }
}
