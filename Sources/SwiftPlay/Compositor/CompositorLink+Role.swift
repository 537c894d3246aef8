import CompositorProtocol

/// The events that concern the whole program, such as a new role, and the reports about the program.
extension CompositorLink {
    /// An event that concerns the whole program, not one of its sessions.
    enum ProgramEvent: Sendable {
        /// The compositor has assigned this role to the program.
        case role(ProgramRole)
        /// The memory pressure has changed to this level.
        case memoryPressure(MemoryPressureLevel)
        /// The compositor requests a report of the program's memory use.
        case memoryReportRequested
        /// The program must save its state and exit, because memory is short.
        case exitRequested
        /// The compositor requests the picture that the overview shows.
        case snapshotRequested
        /// The connection to the compositor was lost.
        case lost
    }

    /// Sets the function that receives the events of the program, on the thread "compositor".
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

    /// Sets whether the program can be ended and started again without losing data, for the running compositor and
    /// each later one.
    func setIsRestartable(_ isRestartable: Bool) {
        state.withLock { state in
            guard state.isRestartable != isRestartable else { return }
            state.isRestartable = isRestartable
            guard let socket = state.socket, state.interfaces[.programs] >= 2 else { return }
            try? socket.send(ClientMessage.report(.isRestartable(isRestartable)).encoded)
        }
    }

    /// Whether the program can be ended and started again without losing data.
    var isRestartable: Bool { state.withLock { $0.isRestartable } }
}

extension CompositorLink.State {
    /// Sends the state of the program's windows, if the compositor assigns roles.
    func sendPresence() {
        guard let presence, let socket, interfaces[.programs] >= 1 else { return }
        try? socket.send(ClientMessage.presence(presence).encoded)
        // A new compositor assumes that the program is not restartable.
        if isRestartable, interfaces[.programs] >= 2 {
            try? socket.send(ClientMessage.report(.isRestartable(true)).encoded)
        }
    }
}
