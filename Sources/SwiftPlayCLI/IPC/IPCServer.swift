import SystemCalls

/// A server for mpv's JSON IPC at a Unix socket, which `--input-ipc-server=PATH` starts.
///
/// One thread serves all clients, and only this thread calls the target. Methods may be called from any thread; they do
/// not wait for clients.
final class IPCServer: Sendable {
    /// The path of the socket.
    let path: String
    private let mailbox: IPCMailbox
    private let thread: NamedThread

    /// Listens at `path` and starts the server's thread.
    ///
    /// - Parameters:
    ///   - path: The path of the socket to create.
    ///   - target: The player to control. The server retains it until it has closed.
    ///   - limits: The limits on what clients may use.
    /// - Throws: ``IPCServerError`` if the socket or the thread cannot be created. A file at `path` that is not an
    ///   abandoned socket of this user stays unchanged.
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

    /// Sends an event to all clients, except those that disabled it by name.
    func broadcast(_ event: IPCEvent) { mailbox.post(event) }

    /// Checks the property soon and notifies its observers if it has changed.
    func propertyChanged(_ name: String) { mailbox.postChange(of: name) }

    /// Checks all observed properties soon and notifies observers of changes. Without observers the call is cheap
    /// enough for every video frame.
    func propertiesMayHaveChanged() { mailbox.postChange(of: nil) }

    /// Closes the server: sends pending events without waiting, disconnects all clients and removes the socket's file.
    ///
    /// Returns when the server has closed. If the target calls this method on the server's thread, it returns
    /// immediately, and the server closes after the target has returned. Further calls have no additional effect.
    func close() {
        mailbox.close()
        // A thread cannot join itself: a later call or deinit joins it.
        if !thread.isCurrent { thread.join() }
    }
}
