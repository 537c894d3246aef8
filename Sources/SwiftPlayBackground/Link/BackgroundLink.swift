import BackgroundProtocol
import Glibc
import SystemCalls
import WireFormat

/// The connection of this process to the service for background transfers.
///
/// A thread connects, starts the service if it does not run, and connects again if the service has crashed. Commands
/// that were not answered are sent again; each may be repeated without harm.
package final class BackgroundLink: Sendable {
    /// The result of a command.
    package typealias Answer = Result<ClientEvent, ClientEvent.Refusal>
    /// The most commands that wait for an answer.
    static let commandLimit = 4096
    /// The time without a connection after which waiting commands fail, in nanoseconds.
    private static let patience: Int64 = 15 * MonotonicTime.nanosecondsPerSecond
    /// The least time from the begin of a connection to the next one, in nanoseconds.
    private static let connectionInterval = MonotonicTime.nanosecondsPerSecond / 4

    /// A command that was not answered.
    struct Pending: Sendable {
        let request: ClientRequest
        let descriptor: SharedDescriptor?
        /// Whether the command is or was a standing command: it is sent before the others on a new connection.
        var isStanding = false
        /// The name of a command that is repeated until it is finished; nil for other commands.
        var name: String?
        /// Receives the answer; nil for a command that the link repeats by itself.
        let completion: (@Sendable (Answer) -> Void)?
    }

    /// The state that callers and the thread share.
    struct State {
        /// The number of the next command.
        var nextNumber: UInt64 = 1
        /// The commands that were not answered, by their numbers.
        var pending: [UInt64: Pending] = [:]
        /// The numbers of the commands that were not sent on the current connection, in order.
        var unsent: [UInt64] = []
        /// The commands that are sent first on each new connection: attachments and watching.
        var standing: [String: ClientCommand] = [:]
        /// The commands that are repeated until the service has carried them out or refused them for good, by their
        /// names.
        var unfinished: [String: ClientRequest] = [:]
        /// The standing commands that the service has refused on this connection for a reason that can pass.
        var refused: [ClientCommand] = []
        /// The host time at which refused commands are sent again, in nanoseconds; nil if there are none.
        var repetitionTime: Int64?
        /// Whether the service has refused the program on this connection, which the service closes then.
        var isRefused = false
        /// The version of the protocol on the last connection.
        var version = ClientLimits.version
        /// Whether ``close()`` was called.
        var isClosed = false
        /// The thread, once it was started.
        var thread: NamedThread?
    }

    /// Who the program is.
    private let program: ProgramDescription
    /// Called on the link's thread with each message that is no answer.
    private let onEvent: @Sendable (ClientEvent, [SharedDescriptor]) -> Void
    /// Called on the link's thread after each new connection.
    private let onConnect: @Sendable () -> Void
    private let state = Monitor(State())
    /// Wakes the thread when there is a new command.
    private let wakeUp: EventDescriptor

    /// Creates a link. The first command connects it.
    package init(
        program: ProgramDescription, onConnect: @escaping @Sendable () -> Void = {},
        onEvent: @escaping @Sendable (ClientEvent, [SharedDescriptor]) -> Void
    ) throws(SystemCallError) {
        (self.program, self.onConnect, self.onEvent) = (program, onConnect, onEvent)
        wakeUp = try EventDescriptor()
    }

    deinit { close() }

    /// Sends a command. `completion` receives the answer on the link's thread.
    ///
    /// - Parameter standingName: If not nil, the command is sent again on each new connection, until a command with the
    ///   same name replaces it.
    package func perform(
        _ command: ClientCommand, descriptor: SharedDescriptor? = nil, standingName: String? = nil,
        completion: @escaping @Sendable (Answer) -> Void = { _ in }
    ) {
        let refusal = add { state in
            state.add(command, descriptor: descriptor, isStanding: standingName != nil, completion: completion)
            if let standingName { state.standing[standingName] = command }
        }
        if let refusal { completion(.failure(refusal)) }
    }

    /// Sends a command. Repeats it on new connections and after a refusal that can pass, such as one because of a full
    /// disk, until the service has carried it out or has refused it for good. A newer command with the same name
    /// replaces it.
    func performUntilFinished(_ command: ClientCommand, name: String) {
        _ = add { $0.add(command, name: name, completion: nil) }
    }

    /// Lets a closure add a command, and wakes the thread, which is started with the first command.
    ///
    /// - Returns: The reason why no command can be added; nil if it was added.
    private func add(_ addCommand: (inout State) -> Void) -> ClientEvent.Refusal? {
        let refusal = state.withLock { state -> ClientEvent.Refusal? in
            guard !state.isClosed else { return ClientEvent.Refusal(.invalid, "the connection was closed") }
            guard state.pending.count < Self.commandLimit else {
                return ClientEvent.Refusal(.limit, "\(Self.commandLimit) commands wait for an answer")
            }
            addCommand(&state)
            if state.thread == nil {
                state.thread = try? NamedThread("background") { [weak self] in
                    while let link = self, link.runConnection() {}
                }
            }
            return nil
        }
        if refusal == nil { wakeUp.signal() }
        return refusal
    }

    /// Plans a command for each new connection, and does not send it on this one.
    package func addStanding(_ name: String, _ command: ClientCommand) { state.update { $0.standing[name] = command } }

    /// Forgets a command that would be sent again on each new connection.
    package func removeStanding(_ name: String) { state.withLock { $0.standing[name] = nil } }

    /// Replaces a command that is sent on each new connection, unless another command has replaced it already.
    package func replaceStanding(_ name: String, _ old: ClientCommand, with new: ClientCommand) {
        state.withLock { state in if state.standing[name] == old { state.standing[name] = new } }
    }

    /// The version of the protocol on the last connection.
    var version: UInt16 { state.withLock { $0.version } }

    /// Ends the connection. Commands that wait for an answer fail.
    package func close() {
        let (thread, pending) = state.update { state in
            state.isClosed = true
            defer { (state.thread, state.pending) = (nil, [:]) }
            return (state.thread, Array(state.pending.values))
        }
        wakeUp.signal()
        thread?.join()
        for command in pending {
            command.completion?(.failure(ClientEvent.Refusal(.invalid, "the connection was closed")))
        }
    }

    // MARK: Thread

    /// Connects and serves one connection until it ends.
    ///
    /// - Returns: False if the link was closed.
    private func runConnection() -> Bool {
        guard let socket = connect() else { return !state.withLock { $0.isClosed } }
        let start = MonotonicTime.now
        // A service that ends each connection at once is not asked again and again without a pause.
        defer { _ = state.wait(until: start + Self.connectionInterval) { $0.isClosed ? true : nil } }
        guard send(.hello(newest: ClientLimits.version, oldest: ClientLimits.oldestVersion, program), 0, nil, socket)
        else { return true }
        state.update { $0.prepareConnection() }
        onConnect()
        while true {
            if state.withLock({ $0.isClosed }) { return false }
            state.withLock { $0.repeatRefused(now: MonotonicTime.now) }
            guard sendCommands(socket) else { return true }
            var entries = [Poll.Entry(socket.raw), Poll.Entry(wakeUp.raw)]
            let deadline = state.withLock { $0.repetitionTime }
            guard (try? Poll.wait(&entries, until: deadline)) != nil else { return true }
            if entries[1].isReady { wakeUp.drain() }
            if entries[0].isReady, !receive(socket) { return true }
        }
    }

    /// Returns a connection; nil if the service cannot be started now. Waiting commands then fail.
    private func connect() -> MessageSocket? {
        // Nothing needs a connection: wait for a command.
        while state.withLock({ $0.isIdle && !$0.isClosed }) {
            guard (try? Poll.waitReadable(wakeUp.raw, until: nil)) != nil else { return nil }
            wakeUp.drain()
        }
        let deadline = MonotonicTime.now + Self.patience
        while !state.withLock({ $0.isClosed }) {
            do throws(BackgroundLinkError) {
                return try BackgroundLauncher.connect()
            } catch {
                if MonotonicTime.now >= deadline || error.isMissingService {
                    failPending(error.description)
                }
                // Wait before the next attempt, unless a new command arrives.
                _ = try? Poll.waitReadable(wakeUp.raw, until: MonotonicTime.now + MonotonicTime.nanosecondsPerSecond)
                wakeUp.drain()
                if state.withLock({ $0.pending.isEmpty }) { return nil }
            }
        }
        return nil
    }

    /// Fails all waiting commands.
    private func failPending(_ reason: String) {
        for command in state.withLock({ $0.takePending() }) {
            command.completion?(.failure(ClientEvent.Refusal(.storage, reason)))
        }
    }

    /// Sends the commands that were not sent yet.
    ///
    /// - Returns: False if the connection has ended.
    private func sendCommands(_ socket: MessageSocket) -> Bool {
        while true {
            guard let next = state.withLock({ $0.takeUnsent() }) else { return true }
            guard send(next.request.command, next.request.number, next.descriptor, socket) else { return false }
        }
    }

    /// Sends one command; waits while the service does not read.
    private func send(
        _ command: ClientCommand, _ number: UInt64, _ descriptor: SharedDescriptor?, _ socket: MessageSocket
    ) -> Bool {
        let bytes: [UInt8]
        do throws(MalformedMessage) { bytes = try ClientRequest(number, command).encoded() } catch {
            complete(number, .failure(ClientEvent.Refusal(.invalid, error.detail)))
            return true
        }
        while true {
            do throws(SystemCallError) {
                try socket.send(bytes, descriptors: descriptor.map { [$0.raw] } ?? [])
                return true
            } catch {
                guard error.number == EAGAIN else { return false }
                var entries = [Poll.Entry(socket.raw, [.readable, .writable])]
                let deadline = MonotonicTime.now + 5 * MonotonicTime.nanosecondsPerSecond
                guard (try? Poll.wait(&entries, until: deadline)) == true else { return false }
                // The service may wait until this program reads.
                if entries[0].ready.contains(.readable), !receive(socket) { return false }
            }
        }
    }

    /// Reads all messages that have arrived.
    ///
    /// - Returns: False if the connection has ended.
    private func receive(_ socket: MessageSocket) -> Bool {
        while true {
            switch socket.receive() {
            case .nothing: return true
            case .closed: return false
            case .message(let message):
                guard let event = try? ClientEvent(decoding: message.bytes) else { return false }
                switch event {
                case .welcome(_, let version): state.withLock { $0.version = version }
                case .done(let number), .attached(let number, _), .created(let number, _), .received(let number, _),
                    .fetched(let number, _, _), .pushServer(let number, _):
                    complete(number, .success(event))
                case .refused(let number, let refusal): complete(number, .failure(refusal))
                case .task, .progress, .resumed, .event, .finishedEvents, .eventsWaiting, .fetch, .notification,
                    .registration, .wakeExpires, .program:
                    onEvent(event, message.descriptors)
                }
            }
        }
    }

    /// Passes an answer to its command. A refused `hello` has the number 0 and concerns all commands.
    private func complete(_ number: UInt64, _ answer: Answer) {
        if number == 0, case .failure(let refusal) = answer {
            state.withLock { $0.isRefused = true }
            return failPending(refusal.description)
        }
        let pending = state.withLock { $0.removePending(number, answer, now: MonotonicTime.now) }
        pending?.completion?(answer)
    }
}

extension BackgroundLink {
    /// Sends a command and waits for its answer, for at most `timeout` nanoseconds. Do not call it on the link's
    /// thread.
    package func answer(
        to command: ClientCommand, descriptor: SharedDescriptor? = nil, standingName: String? = nil,
        timeout: Int64 = 60 * MonotonicTime.nanosecondsPerSecond
    ) throws(ClientEvent.Refusal) -> ClientEvent {
        let answer = Monitor<Answer?>(nil)
        perform(command, descriptor: descriptor, standingName: standingName) { result in
            answer.update { $0 = result }
        }
        guard let result = answer.wait(until: MonotonicTime.now + timeout, { $0 }) else {
            throw ClientEvent.Refusal(.storage, "the background service does not answer")
        }
        return try result.get()
    }
}
