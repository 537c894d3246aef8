import CompositorProtocol

/// The role of the process's program among all programs.
extension CompositorLink {
    /// An event of the program as a whole.
    enum ProgramEvent: Sendable {
        /// The program has this role.
        case role(ProgramRole)
        /// Memory is short, or no longer.
        case memoryPressure(MemoryPressureLevel)
        /// The compositor wants a report of the program's memory.
        case memoryReportRequested
        /// The program must save its state and exit, because memory is short.
        case exitRequested
        /// The connection to the compositor was lost.
        case lost
    }

    /// Sets the function that receives events of the program, on the link's thread.
    func setProgramHandler(_ handler: @escaping @Sendable (ProgramEvent) -> Void) {
        state.withLock { $0.programHandler = handler }
    }

    /// Reports the state of the program's windows, to the running compositor and to each later one. Does not open a
    /// connection.
    func setPresence(_ presence: ProgramPresence) {
        // Send under the lock, so that the compositor receives the changes in order. A failure to send is ignored: if
        // the compositor has exited, the next one receives the current state.
        state.withLock { state in
            guard state.presence != presence else { return }
            state.presence = presence
            state.sendPresence()
        }
    }

    /// Sets whether the program can be started again without a loss, for the running compositor and each later one.
    func setIsRestartable(_ isRestartable: Bool) {
        state.withLock { state in
            guard state.isRestartable != isRestartable else { return }
            state.isRestartable = isRestartable
            guard let socket = state.socket, state.interfaces[.programs] >= 2 else { return }
            try? socket.send(ClientMessage.report(.isRestartable(isRestartable)).encoded)
        }
    }

    /// Whether the program can be started again without a loss.
    var isRestartable: Bool { state.withLock { $0.isRestartable } }
}

extension CompositorLink.State {
    /// Sends the state of the program's windows, if the compositor assigns roles.
    func sendPresence() {
        guard let presence, let socket, interfaces[.programs] >= 1 else { return }
        try? socket.send(ClientMessage.presence(presence).encoded)
        // The compositor's default is false.
        if isRestartable, interfaces[.programs] >= 2 {
            try? socket.send(ClientMessage.report(.isRestartable(true)).encoded)
        }
    }
}
