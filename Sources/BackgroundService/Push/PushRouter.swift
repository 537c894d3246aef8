/// Chooses between the distributor on the session bus and a push server that the user has named: the distributor, if
/// one is there.
final class PushRouter: PushConnecting {
    private let distributor: any PushConnecting, server: any PushConnecting
    /// Whether programs are registered at the server.
    private var usesServer = false
    var onEvent: (PushConnectorEvent) -> Void = { _ in }
    var isNeeded = false {
        didSet {
            guard isNeeded != oldValue else { return }
            if !isNeeded { setUsesServer(false) }
            distributor.isNeeded = isNeeded
        }
    }

    /// Creates a router; it receives the events of both connectors.
    init(distributor: any PushConnecting, server: any PushConnecting) {
        (self.distributor, self.server) = (distributor, server)
        distributor.onEvent = { [unowned self] in handle($0, isServer: false) }
        server.onEvent = { [unowned self] in handle($0, isServer: true) }
    }

    var hasDistributor: Bool? {
        distributor.hasDistributor == false ? server.hasDistributor : distributor.hasDistributor
    }
    /// Only a distributor starts the service; a stream of a server needs it all the time.
    var canBeStarted: Bool { !usesServer && distributor.canBeStarted }

    private var active: any PushConnecting { usesServer ? server : distributor }

    func register(token: String, description: String) { active.register(token: token, description: description) }
    func unregister(token: String) { active.unregister(token: token) }

    /// Has no effect on the server if the message came from the distributor.
    func repeatMessage() { server.repeatMessage() }

    private func setUsesServer(_ isUsed: Bool) {
        usesServer = isUsed
        server.isNeeded = isUsed
    }

    private func handle(_ event: PushConnectorEvent, isServer: Bool) {
        switch event {
        case .distributor(let isThere):
            // A change of the server matters only without a distributor.
            if isServer, distributor.hasDistributor != false || !isNeeded { return }
            let isServerChosen = (isServer ? isThere : !isThere && server.hasDistributor == true)
            setUsesServer(isServerChosen)
            onEvent(.distributor(isThere: isThere || isServerChosen))
        case .message: onEvent(event)
        case .answer, .endpoint, .ended: if isServer == usesServer { onEvent(event) }
        }
    }
}
