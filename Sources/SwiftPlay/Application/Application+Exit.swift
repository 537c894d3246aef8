import Dispatch

/// The end of the program as the last resort when memory is short.
extension Application {
    /// Whether the compositor process may end the program when memory stays critically short; false by default
    /// (NSProcessInfo.enableSuddenTermination has a similar meaning).
    ///
    /// Set it if the program can be started again without a loss. The user can permit it for all programs
    /// (`end-programs` in `compositor.conf`). The compositor ends the least important program first, and only programs
    /// that use more memory than their role permits. It posts ``willTerminateNotification``; after 2 s the process
    /// receives SIGTERM, and after 2 more seconds SIGKILL.
    public var isRestartable: Bool {
        get { link.isRestartable }
        set { link.setIsRestartable(newValue) }
    }

    /// Sets the function that is called on the main queue when the program must exit because memory is short, before
    /// ``willTerminateNotification`` is posted.
    package func setExitHandler(_ handler: @escaping @MainActor @Sendable () -> Void) {
        state.withLock { $0.exitHandler = handler }
    }

    /// Calls the exit handler and posts the notification that the program must exit.
    func handleExitRequest() {
        if let handler = state.withLock({ $0.exitHandler }) {
            DispatchQueue.main.async { MainActor.assumeIsolated(handler) }
        }
        Self.postNotifications(of: [.willTerminate])
    }
}
