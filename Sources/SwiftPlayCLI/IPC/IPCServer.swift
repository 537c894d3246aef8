import SystemCalls

/// mpv's JSON IPC at a Unix socket: what `--input-ipc-server=PATH` starts.
///
/// One thread serves all clients and is the only one that calls the target. Every method may be called from any thread,
/// and none waits for a client.
final class IPCServer: Sendable {
    /// Where clients connect.
    let path: String
    private let mailbox: IPCMailbox
    private let thread: NamedThread

    /// Listens at `path` and begins to serve.
    ///
    /// - Parameter target: held until the server has closed.
    /// - Throws: when the path cannot be used; the file that is there stays as it is.
    init(path: String, target: any IPCTarget, limits: IPCLimits = IPCLimits()) throws(IPCServerError) {
        self.path = path
        let file = try IPCSocketFile(listeningAt: path)
        do throws(SystemCallError) {
            let mailbox = try IPCMailbox(eventLimit: limits.events)
            self.mailbox = mailbox
            thread = try NamedThread("ipc") {
                IPCLoop(file: file, mailbox: mailbox, target: target, limits: limits).run()
            }
        } catch {
            file.remove()
            throw .system(path: path, error)
        }
    }

    deinit {
        mailbox.close()
        thread.join()
    }

    /// Tells all clients, except those that disabled the event by its name.
    func broadcast(_ event: IPCEvent) { mailbox.post(event) }

    /// The property may have changed: whoever observes it is told, if it has.
    func propertyChanged(_ name: String) { mailbox.postChange(of: name) }

    /// Any property may have changed. Good to call at every picture: it costs little when nobody observes.
    func propertiesMayHaveChanged() { mailbox.postChange(of: nil) }

    /// Passes on what was broadcast before, as far as clients take it without being waited for, hangs up on all of them
    /// and removes the socket's file. Returns when that is done; called by the target, on the server's own thread, it
    /// returns at once and all that happens after the target has returned. May be called again.
    func close() {
        mailbox.close()
        // The thread is joined exactly once, by another: its own call must leave that to the next or to deinit.
        if !thread.isCurrent { thread.join() }
    }
}
