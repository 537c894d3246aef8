import AudioPolicy
import CompositorProtocol
import SystemCalls
import WireFormat

/// What happens to the whole machine, and who asks how things stand.
extension CompositorServer {
    /// - Parameter isKept: the condition outlives the connection (a user's command).
    func handle(_ request: SystemRequest, isKept: Bool, from client: ClientConnection) throws(MalformedMessage) {
        // Version 6 has no conditions that end with their connection.
        let owner: SystemState.Owner = isKept || client.version < ProtocolVersion.leases ? .user : .client(client.id)
        let holders = system.holders
        changeSystemState { $0.handle(request, from: owner) }
        // A program whose announcement this event has ended need not keep it up.
        for id in holders.subtracting(system.holders) where id != client.id { try? clients[id]?.send(.systemDone) }
        switch request {
        case .callComes, .callAccepted, .callEnds, .silentSwitch, .screenLock, .videoCall: break
        case .resetMediaServices: resetMediaServices()
        case .deviceLost: handleRoutes(.movedByServer(isLoss: true, name: nil))
        case .deviceAdded(let name): handleRoutes(.movedByServer(isLoss: false, name: name.isEmpty ? nil : name))
        case .deviceChosen(let name): handleRoutes(.chosenAtServer(name: name))
        case .listSessions:
            try client.send(.audioRoute(routes?.current))
            if client.version >= ProtocolVersion.leases { try client.send(.systemState(systemSnapshot)) }
            for id in audio.ids { if let facts = facts(of: id) { try client.send(.audioSession(facts)) } }
        }
        if clients[client.id] != nil { try client.send(.systemDone) }
    }

    private var systemSnapshot: SystemSnapshot {
        let call: SystemSnapshot.Call = switch system.call {
        case nil: .none
        case .banner: .banner
        case .fullScreen: .fullScreen
        case .accepted: .accepted
        }
        return SystemSnapshot(call: call, isSilent: system.isSilent, isLocked: system.isLocked, isVideoCalled: system.isVideoCalled)
    }

    /// Applies the system state to the arbiter. Conditions that already hold there change nothing.
    func applySystemState(now: Int64) {
        perform(audio.setCall(AudioArbiter.Call(system.call), now: now), now: now)
        perform(audio.setSilent(system.isSilent, now: now), now: now)
        perform(audio.setLocked(system.isLocked, now: now), now: now)
    }

    /// As if this process had been started anew, for sound: everyone begins from nothing (section 2.11).
    private func resetMediaServices() {
        audio = AudioArbiter()
        audioOrders = []
        // The system state survives the reset: a call does not end because sessions start over.
        applySystemState(now: MonotonicTime.now)
        applyDevice()
        for client in clients.values.sorted(by: { $0.id < $1.id }) {
            let numbers = client.audioSessions.keys.sorted()
            client.audioSessions = [:]
            for number in numbers { tell(AudioArbiter.ID(client: client.id, session: number), .reset) }
        }
    }

    private func facts(of id: AudioArbiter.ID) -> AudioSessionFacts? {
        guard let session = audio.session(id), let client = clients[id.client] else { return nil }
        let orders = client.audioSessions[id.session]
        let claim: AudioSessionFacts.Claim = switch session.claim {
        case .inactive: .inactive
        case .active: .active
        case .interrupted: .interrupted
        }
        let holders: [Int32] = session.heldBy.compactMap { holder in
            switch holder {
            case .session(let other): clients[other.client]?.processID
            case .call: 0
            case .lock: -1
            }
        }
        return AudioSessionFacts(
            processID: client.processID, program: client.program, session: id.session, configuration: session.configuration, claim: claim,
            isRunning: session.isRunning, isNowPlaying: audio.nowPlayingClient == id.client, presence: session.presence,
            duckDecibels: UInt8(clamping: orders?.duck.decibels ?? 0), isSilent: session.claim == .interrupted || orders?.gate.isOpen == false,
            heldBy: holders.sorted())
    }
}
