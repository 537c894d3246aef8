import CompositorProtocol
import SystemCalls
import WireFormat

extension CompositorServer {
    func handle(_ message: ClientMessage, _ descriptors: [SharedDescriptor], from client: ClientConnection) throws(MalformedMessage) {
        if case .hello(let current, let oldest, let program) = message {
            logger.debug("a program says hello", metadata: ["program": "\(program)", "pid": "\(client.processID)"])
            guard let version = ProtocolVersion.agree(current: current, oldest: oldest) else {
                try client.send(.refused(
                    reason: "this compositor speaks versions \(ProtocolVersion.oldest) to \(ProtocolVersion.current), the program \(oldest) to \(current)"))
                throw MalformedMessage("no version of the protocol in common")
            }
            client.isWelcome = true
            (client.version, client.program) = (version, program)
            try client.send(.welcome(version: version))
            // Its directory may not have been there to be watched.
            if settings.descriptor == nil { readSettings() }
            return try tellSettings(client)
        }
        guard client.isWelcome else { throw MalformedMessage("a message before hello") }
        switch message {
        case .hello: break
        case .audio(let number, let request): try handle(request, of: number, descriptors, from: client)
        case .system(let request, let isKept): try handle(request, isKept: isKept, from: client)
        default:
            let program = WindowService.Program(id: client.id, processID: client.processID, version: client.version)
            try windows.handle(message, descriptors, from: program)
        }
    }

    /// Carries out what the windows' service has done to programs.
    func performWindowOutputs() {
        while !windowOutputs.waiting.isEmpty {
            let outputs = windowOutputs.waiting
            windowOutputs.waiting = []
            for output in outputs { perform(output) }
        }
    }

    private func perform(_ output: WindowService.Output) {
        switch output {
        case .cut(let id, let error): if let client = clients[id] { remove(client, reason: error.what) }
        case .send(let message, let id): send(message, to: id)
        case .action(let key, let action):
            guard let client = clients[key.client], client.version >= action.version else { return }
            if action == .playPause { client.noteGesture(now: MonotonicTime.now) }
            send(.action(session: key.session, action), to: key.client)
        }
    }

    private func send(_ message: ServerMessage, to id: UInt64) {
        guard let client = clients[id] else { return }
        do throws(MalformedMessage) {
            if case .suspended = message, client.version < ProtocolVersion.audio { return }
            try client.send(message)
        } catch { remove(client, reason: error.what) }
    }

    func applyWindowSettings() {
        windows.setLimit(settings.settings.windows)
        windows.isOnAllWorkspaces = settings.settings.isOnAllWorkspaces
    }

    /// Reads the user's settings again and tells the programs.
    func readSettings() {
        guard settings.refresh() else { return }
        applyWindowSettings()
        foreignPlayers.isEnabled = settings.settings.pausesOtherPlayers
        for client in clients.values where client.isWelcome {
            applyBackgroundRight(of: client, now: MonotonicTime.now)
            do throws(MalformedMessage) {
                try tellSettings(client)
            } catch { remove(client, reason: error.what) }
        }
    }

    private func tellSettings(_ client: ClientConnection) throws(MalformedMessage) {
        guard client.version >= ProtocolVersion.settings else { return }
        try client.send(.settings(startsAutomatically: settings.settings.startsAutomatically))
    }
}

/// What ``WindowService`` has done to programs and is to be carried out. Used by the compositor's main thread.
final class OutputQueue {
    var waiting: [WindowService.Output] = []
}
