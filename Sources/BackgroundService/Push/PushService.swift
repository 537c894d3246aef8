import BackgroundProtocol
import LedgerStore
import Logging
import PushPolicy

/// The registrations of programs for notifications from servers: stores tokens and endpoints before they are used, and
/// passes messages on to ``WakeService``.
///
/// Used by the service's thread.
final class PushService {
    /// A registered program.
    private struct RegisteredProgram {
        var row: RegistrationRow
        var registration: PushRegistration
    }

    private let wakes: WakeService
    private let connector: any PushConnecting
    /// The registered programs by their keys.
    private var entries: [Int64: RegisteredProgram] = [:]

    /// Loads the registrations. If there are any, the distributor is searched.
    init(wakes: WakeService, connector: any PushConnecting) throws(DatabaseError) {
        (self.wakes, self.connector) = (wakes, connector)
        for row in try wakes.ledger.registrations() {
            entries[row.client] = RegisteredProgram(row: row, registration: PushRegistration(endpoint: row.endpoint))
        }
        connector.onEvent = { [unowned self] in handle($0) }
        connector.isNeeded = !entries.isEmpty
    }

    /// Whether the service must run to receive messages.
    var hasWork: Bool { !entries.isEmpty && !connector.canBeStarted }

    /// Registers a program, and reports the result once it is known.
    ///
    /// - Parameter isEncrypted: Whether the program accepts only encrypted messages.
    func register(_ client: Client, isEncrypted: Bool = false) throws(ClientEvent.Refusal) {
        let id = client.row.id
        guard wakes.programs[id]?.modes.contains(.remoteNotification) == true else {
            throw ClientEvent.Refusal(.invalid, "the program does not declare the mode remoteNotification")
        }
        let known = entries[id]
        var row = known?.row ?? RegistrationRow(client: id, token: Self.makeToken())
        row.isEncrypted = isEncrypted
        if row != known?.row {
            do throws(DatabaseError) { try wakes.ledger.save(row) } catch {
                throw ClientEvent.Refusal(.storage, "the registration cannot be stored: \(error.message)")
            }
        }
        entries[id] = RegisteredProgram(row: row, registration: known?.registration ?? PushRegistration())
        wakes.programs[id]?.acceptsOnlyEncryptedMessages = isEncrypted
        if known != nil { return send(.register, to: id) }
        let hasDistributor = connector.hasDistributor
        // A new connection reports later whether there is a distributor.
        connector.isNeeded = true
        if let hasDistributor { send(hasDistributor ? .distributorAppeared : .distributorLost, to: id) }
    }

    /// Ends the registration of a program.
    func unregister(_ client: Client) throws(ClientEvent.Refusal) {
        guard let entry = entries[client.row.id] else { return }
        do throws(DatabaseError) { try wakes.ledger.removeRegistration(of: client.row.id) } catch {
            throw ClientEvent.Refusal(.storage, "the change cannot be stored: \(error.message)")
        }
        connector.unregister(token: entry.row.token)
        entries[client.row.id] = nil
        connector.isNeeded = !entries.isEmpty
    }

    /// Asks again for the programs that the distributor has refused for lack of a network.
    func handleNetworkReturn() {
        for id in entries.keys.sorted() { send(.networkReturned, to: id) }
    }

    private func handle(_ event: PushConnectorEvent) {
        switch event {
        case .distributor(let isThere):
            for id in entries.keys.sorted() { send(isThere ? .distributorAppeared : .distributorLost, to: id) }
        case .answer(let token, let reason):
            send(reason.map { .refused(PushRegistration.Fault(reason: $0)) } ?? .accepted, toProgramWith: token)
        case .endpoint(let token, let address): send(.endpoint(address), toProgramWith: token)
        case .ended(let token): send(.ended, toProgramWith: token)
        case .message(let token, let bytes, let identifier):
            guard let id = entries.values.first(where: { $0.row.token == token })?.row.client else {
                return wakes.logger.info("a notification for an unknown registration was dropped")
            }
            do throws(ClientEvent.Refusal) {
                try wakes.receive(bytes, identifier: identifier, client: id)
            } catch {
                wakes.logger.warning("a notification was not delivered: \(error)")
                if error.code == .storage { connector.repeatMessage() }
            }
        }
    }

    /// Handles an event of a program with a token; an unknown token is ignored.
    private func send(_ input: PushRegistration.Input, toProgramWith token: String) {
        guard let id = entries.values.first(where: { $0.row.token == token })?.row.client else { return }
        send(input, to: id)
    }

    private func send(_ input: PushRegistration.Input, to id: Int64) {
        guard var entry = entries[id] else { return }
        let actions = entry.registration.handle(input)
        entry.row.endpoint = entry.registration.endpoint
        if actions.contains(.store) {
            do throws(DatabaseError) { try wakes.ledger.save(entry.row) } catch {
                // The distributor sends the endpoint again after the next start of the service.
                return wakes.logger.error("cannot store an endpoint: \(error)")
            }
        }
        entries[id] = entry
        for action in actions {
            switch action {
            case .ask:
                let name = wakes.programs[id]?.client.row.name ?? ""
                connector.register(token: entry.row.token, description: name)
            case .store, .report: report(entry.registration, to: id)
            }
        }
    }

    /// Sends the result of a registration to the program, if it runs. A program that does not run registers again when
    /// it starts.
    private func report(_ registration: PushRegistration, to id: Int64) {
        let result: RegistrationResult
        switch registration.result {
        case .endpoint(let address): result = .endpoint(address)
        case .noDistributor: result = .noDistributor
        case .refused(let fault): result = .refused(fault.text)
        case nil: return
        }
        for connection in wakes.programs[id]?.connections ?? [] where !connection.isClosed {
            connection.send(.registration(result))
        }
    }

    /// Returns a secret of 160 random bits.
    private static func makeToken() -> String {
        (0..<20).map { _ in
            let text = String(UInt8.random(in: 0...255), radix: 16)
            return text.count < 2 ? "0" + text : text
        }.joined()
    }
}
