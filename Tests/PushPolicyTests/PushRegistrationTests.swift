import Testing

@testable import PushPolicy

@Suite struct PushRegistrationTests {
    private typealias Registration = PushRegistration
    private typealias Step = (
        old: Registration, input: Registration.Input, new: Registration, actions: [Registration.Action]
    )
    private static let address = "https://push.example.org/a", other = "https://push.example.org/b"
    private static let inputs: [Registration.Input] =
        [
            .register, .distributorAppeared, .distributorLost, .accepted, .ended, .networkReturned,
            .endpoint(address), .endpoint(other), .endpoint("no address"),
        ] + [.failed, .network, .actionRequired, .keyRequired].map { .refused($0) }

    /// All registrations that any sequence of inputs leads to, with the input and the actions of each step.
    private static func steps() -> [Step] {
        var known: Set<Registration> = [Registration()], queue = [Registration()]
        var steps: [Step] = []
        while let old = queue.popLast() {
            for input in inputs {
                var new = old
                let actions = new.handle(input)
                steps.append((old, input, new, actions))
                if known.insert(new).inserted { queue.append(new) }
            }
        }
        return steps
    }

    private func registration(after inputs: Registration.Input..., endpoint: String = "") -> Registration {
        var registration = Registration(endpoint: endpoint)
        for input in inputs { _ = registration.handle(input) }
        return registration
    }

    @Test func everyRequestFollowsAReason() {
        for (old, input, new, actions) in Self.steps() where actions.contains(.ask) {
            #expect(new.state == .requested && actions == [.ask])
            switch input {
            case .distributorAppeared: break
            case .register: if case .refused = old.state {} else { Issue.record("\(old) asked again") }
            case .networkReturned: #expect(old.state == .refused(.network))
            default: Issue.record("\(input) led to a request")
            }
        }
    }

    @Test func theEndpointIsStoredExactlyWhenItChanges() {
        for (old, input, new, actions) in Self.steps() {
            let isStored = actions.contains(.store)
            #expect(isStored == (new.endpoint != old.endpoint || input == .ended))
            #expect(new.endpoint.isEmpty || Registration.isEndpoint(new.endpoint))
        }
    }

    @Test func aProgramThatRegistersLearnsTheResultOrTheDistributorIsAsked() {
        for (old, input, new, actions) in Self.steps() where input == .register {
            switch old.state {
            case .refused: #expect(actions == [.ask])
            default: #expect(actions == (old.result == nil ? [] : [.report]) && new == old)
            }
        }
    }

    @Test func theWholeWayToAnEndpoint() {
        var registration = Registration()
        #expect(registration.handle(.register) == [])
        #expect(registration.result == nil)
        #expect(registration.handle(.distributorLost) == [.report])
        #expect(registration.result == .noDistributor)
        #expect(registration.handle(.register) == [.report])
        #expect(registration.handle(.distributorAppeared) == [.ask])
        #expect(registration.result == nil)
        #expect(registration.handle(.accepted) == [])
        #expect(registration.result == nil)
        #expect(registration.handle(.endpoint(Self.address)) == [.store])
        #expect(registration.result == .endpoint(Self.address))
    }

    @Test func anEndpointMayArriveBeforeTheAcceptance() {
        let registration = registration(after: .distributorAppeared, .endpoint(Self.address), .accepted)
        #expect(registration.state == .accepted && registration.result == .endpoint(Self.address))
    }

    @Test func aStoredEndpointIsValidWithoutADistributor() {
        var registration = Registration(endpoint: Self.address)
        #expect(registration.result == .endpoint(Self.address))
        #expect(registration.handle(.distributorAppeared) == [.ask])
        #expect(registration.handle(.endpoint(Self.address)) == [])
        #expect(registration.handle(.distributorLost) == [])
        #expect(registration.result == .endpoint(Self.address))
    }

    @Test func aRefusalIsReportedAndAskedAgainWhenTheProgramRegisters() {
        var registration = registration(after: .distributorAppeared)
        #expect(registration.handle(.refused(.actionRequired)) == [.report])
        #expect(registration.result == .refused(.actionRequired))
        #expect(registration.handle(.networkReturned) == [])
        #expect(registration.handle(.register) == [.ask])
    }

    @Test func aRefusalForLackOfANetworkIsAskedAgainWhenItReturns() {
        var registration = registration(after: .distributorAppeared, .refused(.network))
        #expect(registration.handle(.networkReturned) == [.ask])
    }

    @Test func anEndedRegistrationHasNoEndpoint() {
        var registration = registration(after: .distributorAppeared, .accepted, .endpoint(Self.address))
        #expect(registration.handle(.ended) == [.store])
        #expect(registration.endpoint.isEmpty && registration.result == .refused(.ended))
        #expect(registration.handle(.endpoint(Self.other)) == [])
        #expect(registration.endpoint.isEmpty)
    }

    @Test(arguments: [
        "https://a", "HTTP://a/b?c=d", "https://" + String(repeating: "a", count: 992),
    ])
    func validEndpoints(text: String) { #expect(Registration.isEndpoint(text)) }

    @Test(arguments: [
        "", "a", "ftp://a", "file:///etc/passwd", "https://a b", "https://a\n", "https://ä",
        "https://" + String(repeating: "a", count: 993),
    ])
    func invalidEndpoints(text: String) { #expect(!Registration.isEndpoint(text)) }

    @Test(
        arguments: [
            ("NETWORK", .network), ("ACTION_REQUIRED", .actionRequired), ("VAPID_REQUIRED", .keyRequired),
            ("INTERNAL_ERROR", .failed), ("", .failed), ("anything\u{1B}[2J", .failed),
        ] as [(String, PushRegistration.Fault)])
    func theReasonsOfUnifiedPush(reason: String, fault: PushRegistration.Fault) {
        #expect(PushRegistration.Fault(reason: reason) == fault && !fault.text.isEmpty)
    }
}
