import BackgroundProtocol
import LedgerStore
import Logging
import PushPolicy
import SystemCalls

/// The connection to an ntfy server (https://ntfy.sh) that the user has chosen, for machines without a distributor: one
/// stream of messages for all programs, which the engine reads.
///
/// Used by the service's thread, whose event loop calls it.
final class NtfyConnector: PushConnecting, EventSource {
    /// The most programs, so that their topics fit into one address.
    static let topicLimit = 150
    /// The seconds of silence after which a stream counts as dead. Servers send a sign of life every 45 s.
    private static let silence: UInt32 = 90
    /// The start of the names of topics, by which servers know those of UnifiedPush.
    private static let topicPrefix = "up"
    /// The time between two records of the newest message, in nanoseconds. Repeated messages are recognised.
    private static let saveInterval = MonotonicTime.nanosecondsPerSecond
    /// The time until a message that could not be stored is requested again.
    private static let repetitionDelay = Duration.seconds(30)
    /// The first number of streams: the numbers of transfers are smaller.
    private static let firstRun: UInt64 = 1 << 63

    var onEvent: (PushConnectorEvent) -> Void = { _ in }
    let canBeStarted = false
    var isNeeded = false { didSet { if isNeeded != oldValue { handleNeed() } } }
    private let engine: any EngineControl
    private let ledger: Ledger
    private let logger: Logger
    /// The server; nil if the user has chosen none.
    private(set) var server: PushServerRow?
    /// The tokens of the programs.
    private var tokens: Set<String> = []
    private var policy = ListenPolicy()
    /// The number of the stream that the engine reads; nil for none. The numbers are not used again.
    private var run: UInt64?, lastRun = firstRun
    /// Whether a stream must be requested as soon as the engine runs, and whether the programs have changed since the
    /// last request.
    private var isRequested = false, hasNewTokens = false
    /// The host time at which the newest message is recorded; nil if it is.
    private var saveTime: Int64?
    /// Whether the message that is being handled could not be stored, and must be requested again.
    private var mustRepeat = false

    /// Loads the server. Call this after all other receivers of the engine's messages were set: they receive what
    /// belongs to no stream.
    init(engine: any EngineControl, ledger: Ledger, logger: Logger) throws(DatabaseError) {
        (self.engine, self.ledger, self.logger) = (engine, ledger, logger)
        server = try ledger.pushServer()
        let (forward, forwardExit) = (engine.onEvent, engine.onExit)
        engine.onEvent = { [unowned self] event in if !handle(event) { forward(event) } }
        engine.onExit = { [unowned self] in
            if run != nil { end(.ended(retryAfter: nil, isRefused: false)) }
            forwardExit()
        }
    }

    var hasDistributor: Bool? { server != nil }

    /// Sets the address of the server; an empty text for none.
    ///
    /// - Throws: `ClientEvent.Refusal` if it is not the address of a server, or cannot be stored.
    func setServer(_ text: String) throws(ClientEvent.Refusal) {
        var address = text
        while address.hasSuffix("/") { address.removeLast() }
        let isValid = PushRegistration.isEndpoint(address) && !address.contains { "?#@".contains($0) }
        guard address.isEmpty || (isValid && address.utf8.count <= 200) else {
            throw ClientEvent.Refusal(.invalid, "'\(text)' is not the address of a server, such as https://ntfy.sh")
        }
        guard address != server?.address ?? "" else { return }
        let seconds = MonotonicTime.wallClock / MonotonicTime.nanosecondsPerSecond
        let new = address.isEmpty ? nil : PushServerRow(address: address, since: "\(seconds)")
        do throws(DatabaseError) { try ledger.save(new) } catch {
            throw ClientEvent.Refusal(.storage, "the server cannot be stored: \(error.message)")
        }
        (server, saveTime) = (new, nil)
        send(.wanted(false))
        tokens = []
        onEvent(.distributor(isThere: new != nil))
    }

    /// Opens the stream again, because the network has changed or the machine has woken up.
    func handleNetworkChange() { send(.networkChanged) }

    // MARK: Programs

    private func handleNeed() {
        guard !isNeeded else { return }
        tokens = []
        send(.wanted(false))
        save()
    }

    func register(token: String, description: String) {
        guard let server else { return }
        guard tokens.contains(token) || tokens.count < Self.topicLimit else {
            return onEvent(.answer(token: token, reason: ""))
        }
        // A stream for several new programs is requested once.
        if tokens.insert(token).inserted { hasNewTokens = true }
        onEvent(.answer(token: token, reason: nil))
        onEvent(.endpoint(token: token, "\(server.address)/\(Self.topicPrefix)\(token)?up=1"))
    }

    func unregister(token: String) { if tokens.remove(token) != nil { hasNewTokens = true } }

    func repeatMessage() { mustRepeat = true }

    // MARK: Stream

    private func send(_ input: ListenPolicy.Input, now: Int64 = MonotonicTime.now) {
        let actions = policy.handle(
            input, now: .nanoseconds(now), spread: .random(in: 0...1))
        for action in actions {
            switch action {
            case .connect: isRequested = true
            case .disconnect: disconnect()
            }
        }
        engine.isListening = run != nil || isRequested
    }

    private func disconnect() {
        if let run { _ = engine.send(.stop(transfer: run), descriptors: []) }
        (run, isRequested) = (nil, false)
    }

    /// Requests the stream, if the engine runs.
    private func request(now: Int64) {
        guard isRequested, let server, engine.isReady(now: now) else { return }
        lastRun += 1
        let topics = tokens.sorted().map { Self.topicPrefix + $0 }.joined(separator: ",")
        let order = ListenOrder(
            transfer: lastRun,
            request: TransferRequest(
                address: "\(server.address)/\(topics)/json?since=\(server.since)",
                // The user has typed the address, with its scheme.
                allowsInsecureHTTP: true), silence: Self.silence)
        guard engine.send(.listen(order), descriptors: []) else { return }
        (run, isRequested) = (lastRun, false)
    }

    private func end(_ input: ListenPolicy.Input) {
        run = nil
        send(input)
    }

    /// Handles a message of the engine.
    ///
    /// - Returns: Whether it belongs to a stream.
    private func handle(_ event: EngineEvent) -> Bool {
        switch event {
        case .listening(let number, let isTruncated):
            if number == run, isTruncated {
                logger.warning("the push server has left out older messages: there were more than it sends again")
            }
        case .line(let number, let line): if number == run { handle(line) }
        case .failed(let number, let failure) where number > Self.firstRun:
            guard number == run else { return true }
            logger.info("the stream of the push server has ended: \(failure)")
            let isRefused = [.credentials, .badResponse, .invalidAddress, .certificate].contains(failure.kind)
            end(.ended(retryAfter: failure.retryAfter.map { .seconds(Int64($0)) }, isRefused: isRefused))
        case .stopped(let number, _) where number > Self.firstRun: break
        default: return false
        }
        return true
    }

    private func handle(_ line: [UInt8]) {
        if policy.state == .connecting { send(.line) }
        guard let read = NtfyLine(line) else {
            return logger.warning("the push server has sent a line that is no message of ntfy")
        }
        guard case .message(let message) = read else { return }
        let token = String(message.topic.dropFirst(Self.topicPrefix.count))
        mustRepeat = false
        if tokens.contains(token) { onEvent(.message(token: token, message.bytes, identifier: message.id)) }
        guard !mustRepeat else {
            if let run { _ = engine.send(.stop(transfer: run), descriptors: []) }
            return end(.ended(retryAfter: Self.repetitionDelay, isRefused: false))
        }
        // The message is stored now; one that was refused is not requested again either.
        let isPlain = message.id.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
        guard isPlain, (1...64).contains(message.id.utf8.count) else { return }
        server?.since = message.id
        saveTime = saveTime ?? MonotonicTime.now + Self.saveInterval
    }

    /// Records the newest message.
    func save() {
        guard saveTime != nil else { return }
        saveTime = nil
        do throws(DatabaseError) { try ledger.save(server) } catch {
            // The server sends the messages again, and they are recognised.
            logger.warning("cannot store the place in the stream of the push server: \(error)")
        }
    }

    // MARK: EventSource

    var deadline: Int64? {
        let start = isRequested ? engine.nextStart : hasNewTokens ? 0 : nil
        return [start, saveTime, policy.nextTime?.clampedNanoseconds].compactMap { $0 }.min()
    }

    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        if let saveTime, now >= saveTime { save() }
        if hasNewTokens {
            hasNewTokens = false
            if policy.state == .off || tokens.isEmpty { send(.wanted(!tokens.isEmpty)) } else { send(.topicsChanged) }
        }
        if let time = policy.nextTime, .nanoseconds(now) >= time { send(.timer, now: now) }
        request(now: now)
    }
}
