import DesktopBus
import Logging
import SystemCalls

/// The connection to a distributor of UnifiedPush on the session bus, by version 1 of the D-Bus specification
/// (https://unifiedpush.org/developers/spec/dbus/).
///
/// One bus name receives the messages of all programs; each program has its own token. Used by the service's thread,
/// whose event loop polls it. It never waits.
final class UnifiedPushConnector: PushConnecting, EventSource {
    /// The bus name of the service, under which the bus starts it.
    static let busName = "org.swiftplay.Background"
    private static let path = "/org/unifiedpush/Connector", interface = "org.unifiedpush.Connector1"
    private static let prefix = "org.unifiedpush.Distributor."
    private static let distributorPath = "/org/unifiedpush/Distributor"
    private static let distributorInterface = "org.unifiedpush.Distributor1"
    /// The permitted bytes of a message.
    private static let messageBytes = 1...4096

    /// A connection to the bus, with what is known about the distributors on it.
    private struct Link {
        let connection: BusConnection
        var slots: [BusSlot] = []
        /// The distributors that run.
        var running: Set<String> = []
        /// The distributors that the bus can start.
        var activatable: Set<String> = []
        /// The distributor that is used; nil if there is none.
        var distributor: String?
    }

    var onEvent: (PushConnectorEvent) -> Void = { _ in }
    private(set) var hasDistributor: Bool?
    private(set) var canBeStarted = false
    var isNeeded = false { didSet { if isNeeded != oldValue { updateLink() } } }
    private let address: () -> String?
    /// The distributor that the user prefers; nil to take any.
    private let preferred: String?
    private let activation: ActivationFile
    private let logger: Logger
    private var link: Link?
    private var reconnection = BusReconnection()

    /// Creates a connector without a connection.
    ///
    /// - Parameters:
    ///   - address: Returns the address of the session bus.
    ///   - preferred: The bus name of the distributor that is used if it is there.
    ///   - activation: The file by which the bus starts the service.
    init(
        address: @escaping () -> String? = { BusAddress.session }, preferred: String?, activation: ActivationFile,
        logger: Logger
    ) {
        (self.address, self.preferred, self.activation, self.logger) = (address, preferred, activation, logger)
    }

    // MARK: Polling

    var entries: [Poll.Entry] { link.map { [Poll.Entry($0.connection.descriptor, $0.connection.events)] } ?? [] }
    var deadline: Int64? { link == nil ? reconnection.time : link?.connection.deadline }

    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        if isNeeded, reconnection.takeAttempt(now: now) { connect(now: now) }
        do throws(BusError) { try link?.connection.process() } catch {
            logger.warning("the session bus was lost: \(error)")
            disconnect()
            reconnection.handleLoss(now: now)
        }
    }

    // MARK: Connection

    private func updateLink() {
        if isNeeded {
            connect(now: MonotonicTime.now)
        } else {
            disconnect()
            activation.remove()
        }
    }

    private func disconnect() {
        (link, canBeStarted) = (nil, false)
        setHasDistributor(isNeeded ? false : nil)
    }

    /// Reports a change, and a restart of the distributor.
    private func setHasDistributor(_ isThere: Bool?, isRestart: Bool = false) {
        guard isThere != hasDistributor || isRestart else { return }
        hasDistributor = isThere
        if let isThere { onEvent(.distributor(isThere: isThere)) }
    }

    /// Connects to the bus, and looks for distributors.
    private func connect(now: Int64) {
        do throws(BusError) {
            let connection = try BusConnection(address: address())
            let changes = try connection.watchOwners(of: "org.unifiedpush.Distributor", isNamespace: true) {
                [weak self] in self?.handleOwner(of: $0, isRunning: !$1.isEmpty)
            }
            link = Link(
                connection: connection, slots: [try connection.export(connectorObject, at: Self.path), changes])
            try connection.requestName(Self.busName) { [logger] isOwner in
                if !isOwner { logger.error("the bus name \(Self.busName) belongs to another program") }
            }
            try connection.call(.init(bus: "ListActivatableNames")) { [weak self] in self?.handleActivatable($0) }
            try connection.call(.init(bus: "ListNames")) { [weak self] in self?.handleRunning($0) }
        } catch {
            logger.info("notifications from servers need a session bus: \(error)")
            disconnect()
            reconnection.handleLoss(now: now)
        }
    }

    /// The object that distributors call; they do not wait for answers. Without the token of a program, which is a
    /// secret, a call has no effect.
    private var connectorObject: BusObject {
        BusObject([
            BusInterface(
                Self.interface,
                methods: [
                    .init(
                        "Message", [.init("token", "s"), .init("message", "ay"), .init("messageIdentifier", "s")]
                    ) { [weak self] arguments throws(BusError) in
                        guard arguments.count == 3, case .bytes(let bytes) = arguments[1],
                            Self.messageBytes.contains(bytes.count)
                        else { throw BusError(BusError.invalidArguments, "a message has 1 to 4096 bytes") }
                        self?.onEvent(
                            .message(token: arguments[0].text ?? "", bytes, identifier: arguments[2].text ?? ""))
                        return []
                    },
                    .init("NewEndpoint", [.init("token", "s"), .init("endpoint", "s")]) { [weak self] arguments in
                        let texts = arguments.compactMap(\.text)
                        if texts.count == 2 { self?.onEvent(.endpoint(token: texts[0], texts[1])) }
                        return []
                    },
                    .init("Unregistered", [.init("token", "s")]) { [weak self] arguments in
                        // Without a token, the call confirms what the service has asked for.
                        if let token = arguments.first?.text, !token.isEmpty { self?.onEvent(.ended(token: token)) }
                        return []
                    },
                ])
        ])
    }

    // MARK: Distributors

    private func names(_ result: Result<[BusValue], BusError>) -> [String] {
        (try? result.get())?.first?.elements?.compactMap(\.text) ?? []
    }

    private func handleActivatable(_ result: Result<[BusValue], BusError>) {
        let all = names(result)
        link?.activatable = Set(all.filter { $0.hasPrefix(Self.prefix) })
        canBeStarted = all.contains(Self.busName)
        if !canBeStarted, activation.write() {
            // The bus does not notice a folder that was created after its start, until it reads all folders again.
            try? link?.connection.call(.init(bus: "ReloadConfig")) { [weak self] result in
                if case .success = result { self?.canBeStarted = true }
            }
        }
    }

    private func handleRunning(_ result: Result<[BusValue], BusError>) {
        reconnection.handleAnswer()
        link?.running = Set(names(result).filter { $0.hasPrefix(Self.prefix) })
        choose(restarted: nil)
    }

    private func handleOwner(of name: String, isRunning: Bool) {
        guard name.hasPrefix(Self.prefix) else { return }
        if isRunning { link?.running.insert(name) } else { link?.running.remove(name) }
        choose(restarted: isRunning ? name : nil)
    }

    /// Chooses the distributor: the preferred one, the present one, one that runs, one that can be started.
    ///
    /// - Parameter restarted: A distributor that has just started; programs register with it again.
    private func choose(restarted: String?) {
        guard let link else { return }
        let known = link.running.union(link.activatable)
        let old = link.distributor
        let candidates = [preferred, old, link.running.min(), link.activatable.min()].compactMap { $0 }
        let new = candidates.first { known.contains($0) }
        self.link?.distributor = new
        setHasDistributor(new != nil, isRestart: new != nil && (new != old || new == restarted))
    }

    func register(token: String, description: String) {
        guard let link, let distributor = link.distributor else { return }
        let call = BusConnection.Call(
            to: distributor, path: Self.distributorPath, interface: Self.distributorInterface, "Register",
            [.string(Self.busName), .string(token), .string(description)])
        do throws(BusError) {
            try link.connection.call(call, startsService: true, timeout: 60 * MonotonicTime.nanosecondsPerSecond) {
                [weak self] in self?.handleAnswer($0, token)
            }
        } catch { onEvent(.answer(token: token, reason: "\(error)")) }
    }

    /// Handles the answer to a registration: a result and a reason.
    private func handleAnswer(_ result: Result<[BusValue], BusError>, _ token: String) {
        switch result {
        case .success(let values):
            let texts = values.compactMap(\.text)
            // Version 0.1 of the specification has another word for success.
            let isAccepted = ["REGISTRATION_SUCCEEDED", "NEW_ENDPOINT"].contains(texts.first)
            onEvent(.answer(token: token, reason: isAccepted ? nil : texts.dropFirst().first ?? ""))
        case .failure(let error):
            logger.warning("the distributor of notifications does not answer: \(error)")
            onEvent(.answer(token: token, reason: ""))
        }
    }

    func unregister(token: String) {
        guard let link, let distributor = link.distributor else { return }
        let call = BusConnection.Call(
            to: distributor, path: Self.distributorPath, interface: Self.distributorInterface, "Unregister",
            [.string(token)])
        do throws(BusError) { try link.connection.call(call, startsService: true) } catch {
            logger.warning("the distributor of notifications cannot be told: \(error)")
        }
    }
}
