import SystemCalls

/// A server for mpv's JSON IPC at a Unix socket, which `--input-ipc-server=PATH` starts.
///
/// One thread serves all clients, and only this thread calls the target. Methods may be called from any thread; they do
/// not wait for clients.
final class IPCServer: Sendable {
    /// The path of the socket.
    let path: String
    /// The queue of events and property changes from all threads to the server's thread.
    private let mailbox: IPCMailbox
    /// The server's thread.
    private let thread: NamedThread

    /// Listens at `path` and starts the server's thread.
    ///
    /// - Parameters:
    ///   - path: The path of the socket to create.
    ///   - target: The player to control. The server retains it until it has closed.
    ///   - limits: The limits on the resources that clients may use.
    /// - Throws: ``IPCServerError`` if the socket or the thread cannot be created. A file at `path` that is not an
    ///   abandoned socket of this user stays unchanged.
    init(path: String, target: any IPCTarget, limits: IPCLimits = IPCLimits()) throws(IPCServerError) {
        self.path = path
        let file = try IPCSocketFile(listeningAt: path)
        do throws(SystemCallError) {
            let mailbox = try IPCMailbox(eventLimit: limits.maximumEvents)
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

    /// Makes the server's thread read a property soon and notify its observers if the value has changed.
    func reportChange(of name: String) { mailbox.postChange(of: name) }

    /// Makes the server's thread read all observed properties soon, except constant ones, and notify their observers of
    /// changes.
    func reportPossibleChanges() { mailbox.postChange(of: nil) }

    /// Makes the server's thread read the observed properties that change while a file plays, such as the position, and
    /// notify their observers. This method is fast enough to be called for every video frame.
    func reportPlaybackAdvance() { mailbox.postPlaybackAdvance() }

    /// Closes the server: sends pending events without waiting, disconnects all clients and removes the socket's file.
    ///
    /// Returns when the server has closed. If the target calls this method on the server's thread, it returns
    /// immediately, and the server closes after the target's method has returned. Further calls have no effect.
    func close() {
        mailbox.close()
        // A thread cannot wait for its own end: a later call of `close()` or `deinit` waits for the thread.
        if !thread.isCurrent { thread.join() }
    }
}
