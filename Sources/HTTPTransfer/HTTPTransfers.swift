import SystemCalls

/// The process's HTTP client: the thread "network" performs all transfers and reuses their connections.
///
/// When the last owner releases the object, the thread ends and the connections close.
package final class HTTPTransfers: Sendable {
    private let commands: TransferCommandQueue
    private let thread: NamedThread

    /// The maximum time, in nanoseconds, that `deinit` waits for the thread to end.
    private static let joinTimeout: Int64 = 1_000_000_000

    /// A reference to the shared client of the process; nil while the client has no owners.
    private static let sharedReference = Monitor(WeakReference())

    /// A reference that does not keep the client alive.
    private struct WeakReference: Sendable {
        weak var value: HTTPTransfers?
    }

    /// Returns the shared client of the process; creates it if it does not exist.
    package static func shared() throws(SystemCallError) -> HTTPTransfers {
        let result = sharedReference.withLock { reference -> Result<HTTPTransfers, SystemCallError> in
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
        let commands = try TransferCommandQueue()
        self.commands = commands
        thread = try NamedThread("network") {
            // Create the loop on the network thread, because only that thread may use it.
            var loop = TransferLoop(commands)
            loop.run()
        }
    }

    deinit {
        commands.post(.close)
        // Limit the wait: closing a connection may block on a name server.
        if !thread.join(until: MonotonicTime.now + Self.joinTimeout) { thread.detach() }
    }

    /// Starts a transfer on the network thread.
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

/// A queue of commands from readers to the network thread.
final class TransferCommandQueue: Sendable {
    enum Command: Sendable {
        case start(HTTPRequest, TransferChannel)
        /// Continues a paused transfer.
        case resume(TransferChannel)
        case cancel(TransferChannel)
        /// Ends the network thread.
        case close
    }

    private let queuedCommands = Monitor<[Command]>([])
    /// Signalled when a command is queued; wakes the network thread.
    let arrivalEvent: EventDescriptor

    init() throws(SystemCallError) { arrivalEvent = try EventDescriptor() }

    /// Enqueues a command and wakes the network thread. Callable from any thread.
    func post(_ command: Command) {
        queuedCommands.withLock { $0.append(command) }
        arrivalEvent.signal()
    }

    /// Removes and returns all queued commands, in order.
    func removeAll() -> [Command] {
        arrivalEvent.drain()
        return queuedCommands.withLock { commands in
            defer { commands = [] }
            return commands
        }
    }
}
