import Glibc
import SystemCalls

/// The event loop of the IPC server's thread. The loop polls all clients and the mailbox, and never blocks on a single
/// client.
final class IPCLoop {
    /// The listening socket of the IPC server.
    private let socketFile: IPCSocketFile
    /// The events and property changes from other threads.
    private let mailbox: IPCMailbox
    /// The player that clients control.
    private let target: any IPCTarget
    /// The limits on the resources that each client may use.
    private let limits: IPCLimits
    /// The host time at which the server started, in nanoseconds.
    private let startTime = MonotonicTime.now
    /// The connected clients.
    private var clients: [IPCClient] = []
    /// The number of clients accepted so far, from which each new client's name is made.
    private var clientCount = 0
    /// The memory for received bytes, which all clients use in turn.
    private var receiveBuffer = [UInt8](repeating: 0, count: 64 << 10)
    /// The host time, in nanoseconds, until which the server accepts no clients, because the system ran out of file
    /// descriptors or memory; nil while it accepts clients.
    private var acceptPauseEnd: Int64?

    /// Creates the event loop, at first without clients.
    init(file: IPCSocketFile, mailbox: IPCMailbox, target: any IPCTarget, limits: IPCLimits) {
        self.socketFile = file
        self.mailbox = mailbox
        self.target = target
        self.limits = limits
    }

    /// Runs the event loop until the server closes or `poll` fails, then removes the socket's file.
    func run() {
        while runIteration() {}
        socketFile.remove()
    }

    /// Runs one iteration of the event loop; returns false if it was the last.
    private func runIteration() -> Bool {
        var entries = [
            Poll.Entry(mailbox.descriptor),
            Poll.Entry(socketFile.descriptor.raw, acceptPauseEnd == nil ? .readable : []),
        ]
        entries += clients.map { Poll.Entry($0.descriptor.raw, $0.pollEvents) }
        do throws(SystemCallError) {
            try Poll.wait(&entries, until: acceptPauseEnd)
        } catch {
            // `poll` fails only if the system has no memory, and without memory the loop cannot continue.
            return false
        }
        if let pauseEnd = acceptPauseEnd, MonotonicTime.now >= pauseEnd { acceptPauseEnd = nil }
        for (client, entry) in zip(clients, entries.dropFirst(2)) where !entry.ready.subtracting(.writable).isEmpty {
            client.read(buffer: &receiveBuffer) { changedProperties in
                switch changedProperties {
                case .nothing: break
                case .property(let name): for client in clients { client.markAsChanged(.property(name)) }
                case .anyProperty: for client in clients { client.markAsChanged(.any) }
                }
            }
        }
        mailbox.setPlaybackObserved(clients.contains(where: \.observesPlayback))
        let contents = mailbox.takeContents()
        distribute(contents)
        for client in clients { client.sendPendingOutput() }
        let previousCount = clients.count
        for client in clients where client.mustDisconnect { target.clientDidDisconnect(client.name) }
        clients.removeAll { $0.mustDisconnect }
        if clients.count < previousCount { acceptPauseEnd = nil }
        if entries[1].ready.contains(.readable), !contents.shouldClose { acceptClient() }
        return !contents.shouldClose
    }

    /// Passes events and property changes to all clients.
    private func distribute(_ contents: IPCMailbox.Contents) {
        let events = contents.didOverflow ? contents.events + [.overflow] : contents.events
        for client in clients {
            for event in events { client.deliver(event) }
            if contents.anyPropertyChanged {
                client.markAsChanged(.any)
            } else if contents.hasPlaybackAdvanced {
                client.markAsChanged(.playback)
            }
            for name in contents.changedProperties { client.markAsChanged(.property(name)) }
        }
    }

    /// Accepts one connecting client. Further clients that wait are accepted in later iterations.
    private func acceptClient() {
        do throws(SystemCallError) {
            guard let descriptor = try socketFile.accept() else { return }
            guard clients.count < limits.maximumClients else { return }
            let session = IPCSession(
                name: "\(IPCSession.namePrefix)\(clientCount)", target: target, limits: limits, startTime: startTime)
            clientCount += 1
            clients.append(IPCClient(descriptor: descriptor, session: session, limits: limits))
        } catch {
            // The socket stays readable, so an immediate retry would only keep the processor busy: wait a second.
            acceptPauseEnd = MonotonicTime.now + MonotonicTime.nanosecondsPerSecond
        }
    }
}
