@testable import BackgroundService

/// A connector that records what it is asked for, and whose events the test sends.
final class FakeConnector: PushConnecting {
    var onEvent: (PushConnectorEvent) -> Void = { _ in }
    var hasDistributor: Bool?
    var canBeStarted = false
    var isNeeded = false
    /// The tokens that were registered and unregistered, in this order.
    private(set) var registered: [String] = [], unregistered: [String] = []

    func register(token: String, description: String) { registered.append(token) }
    func unregister(token: String) { unregistered.append(token) }

    /// The number of messages that could not be stored.
    private(set) var repetitionCount = 0
    func repeatMessage() { repetitionCount += 1 }

    /// Lets a distributor appear or disappear.
    func setDistributor(_ isThere: Bool) {
        hasDistributor = isThere
        onEvent(.distributor(isThere: isThere))
    }
}
