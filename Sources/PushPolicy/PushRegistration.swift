/// The registration of one program with the user's distributor of notifications (UnifiedPush): a value.
///
/// A distributor receives messages from a server and passes them on. It gives each program an endpoint, an address to
/// which the program's own server sends messages.
package struct PushRegistration: Hashable, Sendable {
    /// The permitted bytes of an endpoint, as the specification of UnifiedPush says.
    package static let endpointBytes = 1...1000

    /// What is known about the distributor.
    package enum State: Hashable, Sendable {
        /// It is not known yet whether a distributor is there.
        case searching
        /// No distributor is there.
        case waiting
        /// The distributor was asked.
        case requested
        /// The distributor has accepted the program.
        case accepted
        /// The distributor has refused the program, or has ended the registration.
        case refused(Fault)
    }

    /// The reason of a distributor for a refusal.
    package enum Fault: Hashable, Sendable {
        /// The distributor has failed.
        case failed
        /// The distributor has no network.
        case network
        /// A person has to do something at the distributor.
        case actionRequired
        /// The distributor accepts only programs that identify their server with a key.
        case keyRequired
        /// The distributor has ended the registration.
        case ended

        /// Creates the fault that a distributor names.
        package init(reason: String) {
            switch reason {
            case "NETWORK": self = .network
            case "ACTION_REQUIRED": self = .actionRequired
            case "VAPID_REQUIRED": self = .keyRequired
            default: self = .failed
            }
        }

        /// The text for the program and its user, in one line.
        package var text: String {
            switch self {
            case .failed: "the distributor of notifications has failed; register again later"
            case .network: "the distributor of notifications has no network"
            case .actionRequired: "the distributor of notifications needs an action of the user, such as a login"
            case .keyRequired: "the distributor of notifications requires a VAPID key, which is not supported"
            case .ended: "the distributor of notifications has ended the registration; register again"
            }
        }
    }

    package enum Input: Hashable, Sendable {
        /// The program registers; it does so at each of its starts.
        case register
        /// A distributor is there, for the first time or again.
        case distributorAppeared
        /// No distributor is there any more.
        case distributorLost
        /// The distributor has accepted the program. An endpoint follows.
        case accepted
        /// The distributor has refused the program.
        case refused(Fault)
        /// The distributor has given the program an endpoint.
        case endpoint(String)
        /// The distributor has ended the registration.
        case ended
        /// The machine has a network again.
        case networkReturned
    }

    package enum Action: Hashable, Sendable {
        /// Ask the distributor.
        case ask
        /// Store the endpoint, and then report it to the program.
        case store
        /// Report the result to the program.
        case report
    }

    /// What a program learns.
    package enum Result: Hashable, Sendable {
        case endpoint(String)
        case noDistributor
        case refused(Fault)
    }

    package private(set) var state = State.searching
    /// The newest endpoint; empty if there is none.
    package private(set) var endpoint: String

    /// Creates a registration whose distributor is not known yet.
    ///
    /// - Parameter endpoint: The stored endpoint; empty if there is none.
    package init(endpoint: String = "") { self.endpoint = endpoint }

    /// What the program learns now; nil while the distributor has not answered.
    package var result: Result? {
        if case .refused(let fault) = state { return .refused(fault) }
        // The server behind an endpoint keeps messages while the distributor does not run.
        if !endpoint.isEmpty { return .endpoint(endpoint) }
        return state == .waiting ? .noDistributor : nil
    }

    /// Returns the actions that an input causes, in their order.
    package mutating func handle(_ input: Input) -> [Action] {
        switch (state, input) {
        case (.refused, .register), (.refused(.network), .networkReturned): return ask()
        case (_, .register): return result == nil ? [] : [.report]
        case (_, .distributorAppeared): return ask()
        case (_, .distributorLost):
            let wasUnknown = result == nil
            state = .waiting
            if wasUnknown { return [.report] }
        case (.requested, .accepted): state = .accepted
        case (.requested, .refused(let fault)):
            state = .refused(fault)
            return [.report]
        case (_, .endpoint(let address)):
            // A distributor that has refused the program must accept it first.
            if case .refused = state { return [] }
            guard address != endpoint, Self.isEndpoint(address) else { return [] }
            endpoint = address
            return [.store]
        case (_, .ended):
            endpoint = ""
            state = .refused(.ended)
            return [.store]
        case (_, .accepted), (_, .refused), (_, .networkReturned): break
        }
        return []
    }

    private mutating func ask() -> [Action] {
        state = .requested
        return [.ask]
    }

    /// Returns whether a text is the address of an HTTP server, without spaces and control characters.
    package static func isEndpoint(_ text: String) -> Bool {
        let lowercased = text.prefix(8).lowercased()
        guard lowercased.hasPrefix("https://") || lowercased.hasPrefix("http://") else { return false }
        return endpointBytes.contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
