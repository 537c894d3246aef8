import AudioOutput
import AudioPolicy
import CompositorProtocol
import SystemCalls
import WireFormat

/// The audio sessions of all programs: what they ask goes to the arbiter, and what it decides to them.
extension CompositorServer {
    /// Of one program; each costs every other a line in the arbiter's book.
    static let audioSessionLimit = 16

    func handle(
        _ request: AudioRequest, of number: UInt32, _ descriptors: [SharedDescriptor], from client: ClientConnection
    ) throws(MalformedMessage) {
        let id = AudioArbiter.ID(client: client.id, session: number), now = MonotonicTime.now
        if case .open(let mayPlay) = request {
            guard client.audioSessions.count < Self.audioSessionLimit, client.audioSessions[number] == nil else {
                throw MalformedMessage("an audio session is opened twice, or too many are")
            }
            do throws(SystemCallError) {
                let page = try SessionGain(received: FileDescriptor(duplicating: descriptors[0].raw))
                client.audioSessions[number] = IssuedAudioOrders(page, check: silence.gate(of: client.processID))
            } catch { throw MalformedMessage("\(error)") }
            client.mayPlayInBackground = mayPlay
            perform(audio.add(id, mayPlayInBackground: mayPlay && settings.settings.allowsBackgroundAudio, now: now), now: now)
            if let routes, routes.isReady { tell(id, .route(routes.current)) }
            return
        }
        // Of one that a reset took away a program may speak for a moment longer.
        guard client.audioSessions[number] != nil else { return }
        switch request {
        case .open: break
        case .configure(let configuration):
            let before = audio.session(id)
            perform(audio.configure(id, configuration, now: now), now: now)
            if let before, before.claim == .active { tellCategoryChange(of: id, from: before.configuration.category) }
        case .activate(let hasGesture):
            let isAsked = client.takeGesture(now: now)
            perform(audio.activate(id, hasGesture: hasGesture || isAsked, now: now), now: now)
        case .deactivate(let isNotified):
            isReleaseNotified = isNotified
            perform(audio.deactivate(id, isNotified: isNotified, now: now), now: now)
        case .running(let isRunning):
            if !isRunning { noteTail(of: id, now: now) }
            perform(audio.setRunning(isRunning, of: id, now: now), now: now)
        case .presence(let presence): perform(audio.setPresence(presence, of: client.id, now: now), now: now)
        case .prefersNoInterruptions(let prefers): audio.setPrefersNoInterruptions(prefers, of: id)
        case .prefersInterruptionOnRouteDisconnect(let prefers): audio.setPrefersInterruptionOnRouteDisconnect(prefers, of: id)
        case .mayPlayInBackground(let mayPlay):
            client.mayPlayInBackground = mayPlay
            applyBackgroundRight(of: client, now: now)
        case .overrideOutput(let isSpeaker): overrideOutput(isSpeaker, of: id)
        case .close:
            isReleaseNotified = true
            noteTail(of: id, now: now)
            client.audioSessions[number] = nil
            perform(audio.remove(id, now: now), now: now)
        }
    }

    /// What the program declares holds as far as the user's setting allows it.
    func applyBackgroundRight(of client: ClientConnection, now: Int64) {
        let mayPlay = client.mayPlayInBackground && settings.settings.allowsBackgroundAudio
        perform(audio.setMayPlayInBackground(mayPlay, of: client.id, now: now), now: now)
    }

    /// How long it takes until what is asked of a render thread is heard: it looks once in a period, and some 60 ms lie in the device.
    static let transport: Int64 = 85_000_000

    /// Obeys first, then tells: everyone hears of what is so already, in the order in which it was decided.
    func perform(_ actions: [AudioArbiter.Action], now: Int64) {
        var quietAt: Int64 = 0, duckedAt: Int64 = 0
        for action in actions {
            switch action {
            case .gate(let id, let isOpen, let time):
                let isChecked = isTakenAway(id)
                order(id) { $0.issue(GateOrder(isOpen: isOpen, milliseconds: time, time: now), isChecked: isChecked) }
                if !isOpen, audio.session(id)?.isRunning == true { quietAt = now + Self.transport + Int64(time) * 1_000_000 }
            case .duck(let id, let isDucked, let time):
                order(id) { $0.issue(DuckOrder(decibels: isDucked ? duckDecibels : 0, milliseconds: time, time: now)) }
                if isDucked, audio.session(id)?.isRunning == true { duckedAt = now + Self.transport + Int64(time) * 1_000_000 }
            case .activated(let id, _, let isDucked, let isSilenced):
                clients[id.client]?.audioSessions[id.session]?.noteActivation(isSilenced: isSilenced)
                if audio.session(id)?.configuration.isMixable == false {
                    quietAt = tails.reduce(quietAt) { $1.key == id.client ? $0 : max($0, $1.value) }
                }
                // Where a device still sounds of somebody else, it waits.
                let isNew = clients[id.client]?.audioSessions[id.session]?.gate.isOpen == false || quietAt > now
                if isNew || isSilenced {
                    let gate = GateOrder(
                        isOpen: !isSilenced, milliseconds: AudioArbiter.Fade.interruption, time: max(now, quietAt))
                    order(id) { $0.issue(gate, isChecked: true) }
                }
                order(id) { $0.issue(DuckOrder(decibels: isDucked ? duckDecibels : 0, milliseconds: 0, time: now)) }
            default: break
            }
        }
        for action in actions {
            let (id, report): (AudioArbiter.ID, AudioReport)
            switch action {
            case .gate, .duck: continue
            case .notify(let who, let notice): (id, report) = (who, .notice(notice))
            case .properties(let who, let all): (id, report) = (who, .properties(all))
            case .activated(let who, _, _, _): (id, report) = (who, .activated(quietAt: quietAt, duckedAt: duckedAt))
            case .refused(let who, let code): (id, report) = (who, .refused(code))
            case .done(let who, let code): (id, report) = (who, .done(code))
            case .note(let who, let text):
                logger.notice("\(text)", metadata: ["pid": "\(clients[who.client]?.processID ?? 0)"])
                continue
            }
            tell(id, report)
        }
        silenceOthers()
        endOutputOverrides()
    }

    /// Other people's players make room for what does not mix, as ours do: from when it is heard until its claim is given back.
    private func silenceOthers() {
        let (isHeard, isClaimed) = audio.exclusive
        if isHeard { foreignPlayers.setSilence(.wanted) } else if !isClaimed { foreignPlayers.setSilence(.released(notify: isReleaseNotified)) }
    }

    func tell(_ id: AudioArbiter.ID, _ report: AudioReport) {
        guard let client = clients[id.client] else { return }
        sequence += 1
        do throws(MalformedMessage) {
            try client.send(.audio(session: id.session, sequence: client.version >= ProtocolVersion.sequences ? sequence : 0, report))
        } catch { remove(client, reason: error.what) }
    }

    /// By how much others are lowered, as the user has it (D-1).
    private var duckDecibels: Int { settings.settings.duckDecibels }

    /// It makes no sound any more, but what its device holds is heard for a moment: whoever comes after it begins when that is over.
    func noteTail(of id: AudioArbiter.ID, now: Int64) {
        tails = tails.filter { $0.value > now }
        guard let session = audio.session(id), session.claim == .active, session.isRunning, !session.configuration.isMixable else { return }
        tails[id.client] = now + Self.transport
    }

    // MARK: obedience

    /// Something that was asked of a render thread.
    struct AudioOrder {
        let id: AudioArbiter.ID
        let due: Int64
    }

    private func order(_ id: AudioArbiter.ID, _ give: (IssuedAudioOrders) -> Void) {
        guard let orders = clients[id.client]?.audioSessions[id.session] else { return }
        give(orders)
        let due = MonotonicTime.now + Self.obedience
        if audio.session(id)?.isRunning == true, audioOrders.count < Self.orderLimit, audioOrders.last.map({ $0.id == id && $0.due >= due - 1_000_000 }) != true {
            audioOrders.append(AudioOrder(id: id, due: due))
        }
    }

    /// Whether a session that is closed is closed by others: it is running, or has a claim that it did not give back.
    private func isTakenAway(_ id: AudioArbiter.ID) -> Bool {
        audio.session(id).map { $0.isRunning || $0.claim != .inactive } ?? false
    }

    /// So many are looked after; who gives more in a tenth of a second does so to no purpose.
    private static let orderLimit = 4096

    /// Nanoseconds that a sound may go on against the rules (D-9).
    private static let obedience: Int64 = 100_000_000

    /// A render thread that has not seen an order is frozen, or plays nothing: what its device holds is over by now, and the order is the first
    /// thing that it sees. Else it plays against the rules: where it may not be heard at all its streams are taken from it, as long as it
    /// goes on so.
    func lookForTheDisobedient(now: Int64) {
        while let order = audioOrders.first, order.due <= now {
            audioOrders.removeFirst()
            guard let client = clients[order.id.client], let orders = client.audioSessions[order.id.session], !orders.areObeyed,
                audio.session(order.id)?.isRunning == true
            else { continue }
            if !client.isDisobedient {
                logger.notice(
                    "a program has not obeyed an order to its sound within \(Self.obedience / 1_000_000) ms: it is frozen, or does not play",
                    metadata: ["pid": "\(client.processID)"])
            }
            client.isDisobedient = true
            guard !orders.gate.isOpen else { continue }
            if !ProcessState.isStopped(client.processID) { cutOff(client.processID) }
            // One look at it is enough, however many orders it did not obey.
            if !audioOrders.contains(where: { $0.id == order.id }) { audioOrders.append(AudioOrder(id: order.id, due: now + Self.obedience)) }
        }
    }

    private func cutOff(_ process: Int32) {
        do {
            try streams.end(process)
        } catch { logger.error("the sound of a program that does not obey goes on: \(error)", metadata: ["pid": "\(process)"]) }
    }
}
