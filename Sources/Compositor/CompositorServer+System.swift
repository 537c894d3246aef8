import AudioPolicy
import CompositorProtocol
import SystemCalls
import WireFormat

/// What happens to the whole machine, and who asks how things stand.
extension CompositorServer {
    func handle(_ request: SystemRequest, from client: ClientConnection) throws(MalformedMessage) {
        let now = MonotonicTime.now
        switch request {
        case .callComes(let isBanner): perform(audio.callComes(isBanner: isBanner, now: now), now: now)
        case .callAccepted: perform(audio.callAccepted(now: now), now: now)
        case .callEnds: perform(audio.callEnds(now: now), now: now)
        case .silentSwitch(let on): perform(audio.setSilent(on, now: now), now: now)
        case .screenLock(let on): perform(audio.setLocked(on, now: now), now: now)
        case .resetMediaServices: resetMediaServices()
        case .deviceLost: handleRoutes(.movedByServer(isLoss: true, name: nil))
        case .deviceAdded(let name): handleRoutes(.movedByServer(isLoss: false, name: name.isEmpty ? nil : name))
        case .videoCall(let on): setVideoCall(on)
        case .listSessions:
            try client.send(.audioRoute(routes?.current))
            for id in audio.ids { if let facts = facts(of: id) { try client.send(.audioSession(facts)) } }
        }
        if clients[client.id] != nil { try client.send(.systemDone) }
    }

    /// Windows leave the screen, their programs pause, and both come back as they were.
    private func setVideoCall(_ on: Bool) {
        guard on != isVideoCalled else { return }
        isVideoCalled = on
        for client in clients.values {
            for session in client.sessions.values {
                do throws(MalformedMessage) {
                    try tellSuspended(session.key.session, client)
                    if on, session.awaitsShown { try call(off: session, of: client) } else { try session.setSuspended(on) }
                } catch { remove(client, reason: error.what) }
            }
        }
    }

    func tellSuspended(_ number: UInt32, _ client: ClientConnection) throws(MalformedMessage) {
        if client.version >= ProtocolVersion.audio { try client.send(.suspended(session: number, isVideoCalled)) }
    }

    /// As if this process had been started anew, for sound: everyone begins from nothing (section 2.11).
    private func resetMediaServices() {
        audio = AudioArbiter()
        audioOrders = []
        for client in clients.values.sorted(by: { $0.id < $1.id }) {
            let numbers = client.audioSessions.keys.sorted()
            client.audioSessions = [:]
            for number in numbers { tell(AudioArbiter.ID(client: client.id, session: number), .reset) }
        }
    }

    private func facts(of id: AudioArbiter.ID) -> AudioSessionFacts? {
        guard let session = audio.session(id), let client = clients[id.client] else { return nil }
        let gain = client.audioSessions[id.session]
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
            duckDecibels: UInt8(clamping: gain?.duck.decibels ?? 0), isSilent: session.claim == .interrupted || gain?.gate.isOpen == false,
            heldBy: holders.sorted())
    }
}
