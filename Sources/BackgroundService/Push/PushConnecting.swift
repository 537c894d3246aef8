/// The connection to the user's distributor of notifications.
protocol PushConnecting: AnyObject {
    /// Called with each event.
    var onEvent: (PushConnectorEvent) -> Void { get set }
    /// Whether a distributor is there; nil while that is not known.
    var hasDistributor: Bool? { get }
    /// Whether a message of the distributor starts the service if it does not run.
    var canBeStarted: Bool { get }
    /// Whether any program is registered. Without programs there is no connection.
    var isNeeded: Bool { get set }
    /// Asks the distributor to accept a program.
    ///
    /// - Parameter description: The text that the distributor shows to the user.
    func register(token: String, description: String)
    /// Tells the distributor that a program receives no more notifications.
    func unregister(token: String)
    /// Records that the message of the event that ``onEvent`` is handling could not be stored. A push server is asked
    /// for it again.
    func repeatMessage()
}

extension PushConnecting {
    /// Does nothing: a distributor on the session bus does not send a message again.
    func repeatMessage() {}
}

/// An event of a distributor of notifications. The token names the program.
enum PushConnectorEvent: Equatable {
    /// A distributor has appeared, or has been replaced; or there is none any more.
    case distributor(isThere: Bool)
    /// The distributor has accepted the program, or refused it with a reason.
    case answer(token: String, reason: String?)
    /// The distributor has given the program an endpoint.
    case endpoint(token: String, String)
    /// The distributor has ended the registration.
    case ended(token: String)
    /// A message for the program has arrived; the identifier may be empty.
    case message(token: String, [UInt8], identifier: String)
}
