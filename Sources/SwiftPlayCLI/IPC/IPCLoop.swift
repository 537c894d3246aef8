import Glibc
import SystemCalls

/// The event loop of the server's thread. It polls all clients and the mailbox, and never blocks on a single client.
final class IPCLoop {
    private let file: IPCSocketFile
    private let mailbox: IPCMailbox
    private let target: any IPCTarget
    private let limits: IPCLimits
    private let start = MonotonicTime.now
    private var clients: [IPCClient] = []
    private var clientCount = 0
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    /// The host time, in nanoseconds, until which the server accepts no clients, because the system ran out of file
    /// descriptors or memory; nil while it accepts clients.
    private var doorOpens: Int64?

    init(file: IPCSocketFile, mailbox: IPCMailbox, target: any IPCTarget, limits: IPCLimits) {
        self.file = file
        self.mailbox = mailbox
        self.target = target
        self.limits = limits
    }

    /// Runs until the server closes or `poll` fails, then removes the socket's file.
    func run() {
        while turn() {}
        file.remove()
    }

    /// Runs one iteration; returns false after the last.
    private func turn() -> Bool {
        var entries = [
            Poll.Entry(mailbox.descriptor), Poll.Entry(file.descriptor.raw, doorOpens == nil ? .readable : []),
        ]
        entries += clients.map { Poll.Entry($0.descriptor.raw, $0.interest) }
        do throws(SystemCallError) {
            try Poll.wait(&entries, until: doorOpens)
        } catch {
            // `poll` fails only when the system has no memory; the loop cannot continue without it.
            return false
        }
        if let opens = doorOpens, MonotonicTime.now >= opens { doorOpens = nil }
        for (client, entry) in zip(clients, entries.dropFirst(2)) where !entry.ready.subtracting(.writable).isEmpty {
            client.read(buffer: &buffer) { effect in
                switch effect {
                case .nothing: break
                case .property(let name): for client in clients { client.mark(name) }
                case .anything: for client in clients { client.mark(nil) }
                }
            }
        }
        let mail = mailbox.take()
        distribute(mail)
        for client in clients { client.settle() }
        let before = clients.count
        clients.removeAll { $0.isFinished }
        if clients.count < before { doorOpens = nil }
        if entries[1].ready.contains(.readable), !mail.isClosing { letIn() }
        return !mail.isClosing
    }

    private func distribute(_ mail: IPCMailbox.Contents) {
        let events = mail.lostEvents ? mail.events + [.overflow] : mail.events
        for client in clients {
            for event in events { client.deliver(event) }
            if mail.anyPropertyChanged { client.mark(nil) }
            for name in mail.changedProperties { client.mark(name) }
        }
    }

    /// Accepts one client. Further waiting clients are accepted in later iterations.
    private func letIn() {
        do throws(SystemCallError) {
            guard let descriptor = try file.accept() else { return }
            guard clients.count < limits.clients else { return }
            let session = IPCSession(name: "ipc_\(clientCount)", target: target, limits: limits, start: start)
            clientCount += 1
            clients.append(IPCClient(descriptor: descriptor, session: session, limits: limits))
        } catch {
            // The socket stays readable, so an immediate retry would only keep the processor busy: wait a second.
            doorOpens = MonotonicTime.now + MonotonicTime.nanosecondsPerSecond
        }
    }
}
