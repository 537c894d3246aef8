import SystemCalls

/// The process's HTTP client: one thread, "network", performs all transfers and reuses their connections.
///
/// The thread ends, and connections close, when the last owner releases the object.
package final class HTTPTransfers: Sendable {
    private let commands: TransferCommands
    private let thread: NamedThread

    /// How long the thread is waited for when it ends, in nanoseconds.
    private static let closingTime: Int64 = 1_000_000_000

    /// The client of the process, while it has owners.
    private static let current = Monitor(WeakReference())

    /// A reference that does not keep the client alive.
    private struct WeakReference: Sendable {
        weak var value: HTTPTransfers?
    }

    /// Returns the client of the process; creates it if there is none.
    package static func shared() throws(SystemCallError) -> HTTPTransfers {
        let result = current.withLock { reference -> Result<HTTPTransfers, SystemCallError> in
            if let value = reference.value { return .success(value) }
            do throws(SystemCallError) {
                let value = try HTTPTransfers()
                reference.value = value
                return .success(value)
            } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Creates a separate client with its own connections.
    package init() throws(SystemCallError) {
        let commands = try TransferCommands()
        self.commands = commands
        thread = try NamedThread("network") {
            // The loop is created on its thread and never leaves it.
            var loop = TransferLoop(commands)
            loop.run()
        }
    }

    deinit {
        commands.post(.close)
        // Closing a connection may have to wait for a name server.
        if !thread.join(until: MonotonicTime.now + Self.closingTime) { thread.detach() }
    }

    /// Starts a request.
    package func start(_ request: HTTPRequest) throws(HTTPError) -> HTTPTransfer {
        do {
            let channel = try TransferChannel()
            channel.state.withLock { $0.times.requested = MonotonicTime.now }
            commands.post(.start(request, channel))
            return HTTPTransfer(request, channel: channel, commands: commands)
        } catch {
            throw HTTPError(.outOfResources, request.address, "no request is possible: \(error.reason)")
        }
    }
}

/// The commands of readers to the network thread.
final class TransferCommands: Sendable {
    enum Command: Sendable {
        case start(HTTPRequest, TransferChannel)
        /// Continues a paused transfer.
        case resume(TransferChannel)
        case cancel(TransferChannel)
        /// Ends the thread.
        case close
    }

    private let pending = Monitor<[Command]>([])
    /// Wakes the network thread.
    let arrival: EventDescriptor

    init() throws(SystemCallError) { arrival = try EventDescriptor() }

    /// Sends a command. Callable from any thread.
    func post(_ command: Command) {
        pending.withLock { $0.append(command) }
        arrival.signal()
    }

    /// Removes and returns all commands, in their order.
    func take() -> [Command] {
        arrival.drain()
        return pending.withLock { commands in
            defer { commands = [] }
            return commands
        }
    }
}
