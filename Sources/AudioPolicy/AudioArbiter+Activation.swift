extension AudioArbiter {
    // MARK: Configuration

    /// Configures a session. If it is active, its effect on other sessions changes at once.
    package mutating func configure(_ id: ID, _ configuration: AudioConfiguration, now: Int64) -> [Action] {
        guard var session = sessions[id] else { return [.done(id, .expiredSession)] }
        guard session.claim == .active, configuration != session.configuration else {
            sessions[id]?.configuration = configuration
            return applyLock(now: now) + [.done(id, nil)]
        }
        // A session that no longer mixes is activated again.
        if session.configuration.isMixable, !configuration.isMixable,
            let code = refusal(of: id, configuration, hasGesture: false)
        {
            return [.done(id, code)]
        }
        session.configuration = configuration
        session.isDuckLifted = false
        sessions[id] = session
        let spared = others(than: id).filter { other in
            sessions[other].map {
                $0.heldBy.contains(.session(id)) && effect(of: configuration, on: $0) != .interrupted
            } ?? false
        }
        let freed = release(.session(id), isNotified: true, only: spared, now: now)
        return interrupt(by: id, configuration) + applyLock(now: now) + freed + [.done(id, nil)]
    }

    // MARK: Activation

    /// Activates a session.
    ///
    /// - Parameter hasGesture: Whether the user requested it, for example at the floating window, which permits it in
    ///   the background.
    package mutating func activate(_ id: ID, hasGesture: Bool = false, now: Int64) -> [Action] {
        guard let before = sessions[id] else { return [.refused(id, .expiredSession)] }
        if before.claim == .active {
            return [.activated(id, epoch: before.epoch, isDucked: before.isDucked, isSilenced: before.isSilenced)]
        }
        if let code = refusal(of: id, before.configuration, hasGesture: hasGesture) { return [.refused(id, code)] }
        let victims = interrupt(by: id, before.configuration)
        var session = before
        activations += 1
        (session.claim, session.order, session.activatedAt) = (.active, activations, now)
        session.epoch &+= 1
        session.heldBy = []
        // A session that acts is not frozen any more.
        session.wasSuspendedActive = false
        (session.stoppedAt, session.isDuckLifted) = (session.isRunning ? nil : now, false)
        sessions[id] = session
        if session.configuration.category == .playback, !session.configuration.isMixable { nowPlaying = id.client }
        // The initial gain is part of the answer and has no ramp.
        (session.isDucked, session.isSilenced) = (isLowered(id, session, gather(now: now)), isSilenced(session))
        sessions[id] = session
        let consequences = settle(now: now)
        guard let made = sessions[id] else { return consequences }
        return victims + consequences
            + [.activated(id, epoch: made.epoch, isDucked: made.isDucked, isSilenced: made.isSilenced)]
    }

    /// Returns the reason why a session may not be activated: the first check that fails; nil if it may.
    func refusal(of id: ID, _ configuration: AudioConfiguration, hasGesture: Bool) -> AudioSessionErrorCode? {
        guard let session = sessions[id] else { return .expiredSession }
        if isCalled, configuration.category.hasInput || configuration.category == .soloAmbient {
            return .insufficientPriority
        }
        if isLockedOut(session, configuration) {
            return configuration.category.hasInput ? .cannotStartRecording : .cannotStartPlaying
        }
        // A session that was told to resume may do so, even in the background.
        if session.presence != .foreground, !hasGesture, resuming[id] == nil,
            let code = backgroundRefusal(of: id, session, configuration)
        {
            return code
        }
        return hasDevice ? nil : .resourceNotAvailable
    }

    /// Returns the reason why a session may not start in the background; nil if it may.
    private func backgroundRefusal(of id: ID, _ session: Session, _ configuration: AudioConfiguration)
        -> AudioSessionErrorCode?
    {
        // If no other session is affected, no rule applies.
        let isListenedTo = nowPlaying == id.client || nowPlaying == nil
        switch configuration.category {
        case .ambient, .soloAmbient: return .cannotStartPlaying
        case .record, .playAndRecord:
            if !session.mayPlayInBackground || configuration.isMixable { return .cannotStartRecording }
            return isListenedTo && session.isRunning ? nil : .cannotInterruptOthers
        case .playback, .multiRoute:
            if !session.mayPlayInBackground { return .cannotStartPlaying }
            return configuration.isMixable || isListenedTo ? nil : .cannotInterruptOthers
        }
    }

    /// Interrupts the sessions that `id` interrupts, and holds those that are interrupted already.
    private mutating func interrupt(by id: ID, _ configuration: AudioConfiguration) -> [Action] {
        let victims = others(than: id).filter {
            sessions[$0].map { effect(of: configuration, on: $0) == .interrupted } ?? false
        }
        return interrupt(victims, by: .session(id))
    }

    func effect(of configuration: AudioConfiguration, on other: Session) -> AudioEffect {
        .of(.program(configuration), on: .program(other.configuration))
    }

    /// Returns the affected sessions of other programs.
    func others(than id: ID) -> [ID] { sessions.keys.filter { $0.client != id.client } }

    /// Closes gates first, then notifies, the newest session first.
    mutating func interrupt(_ victims: [ID], by holder: Holder, reason: Reason = .default) -> [Action] {
        var gates: [Action] = [], words: [Action] = []
        for victim in victims.sorted(by: { (sessions[$0]?.order ?? 0, $0) > (sessions[$1]?.order ?? 0, $1) }) {
            guard var session = sessions[victim], session.claim != .inactive else { continue }
            session.heldBy.insert(holder)
            if session.claim == .active {
                gates.append(.gate(victim, isOpen: false, milliseconds: Fade.interruption))
                words.append(.notify(victim, .began(reason)))
                session.takeClaim()
                interruptions += 1
                session.interruption = interruptions
            }
            sessions[victim] = session
        }
        return gates + words
    }

    // MARK: Release

    /// Deactivates a session.
    ///
    /// - Parameter isNotified: Whether the sessions that it interrupted may resume (`notifyOthersOnDeactivation`).
    package mutating func deactivate(_ id: ID, isNotified: Bool, now: Int64) -> [Action] {
        guard var session = sessions[id] else { return [.done(id, .expiredSession)] }
        let wasActive = session.claim == .active, isBusy = wasActive && session.isRunning && rules.hasBusyError
        session.claim = .inactive
        session.heldBy = []
        session.wasSuspendedActive = false
        session.isDucked = false
        sessions[id] = session
        resuming[id] = nil
        let gate: [Action] = wasActive ? [.gate(id, isOpen: false, milliseconds: Fade.interruption)] : []
        let freed = release(.session(id), isNotified: isNotified, now: now)
        return gate + settle(now: now) + freed + [.done(id, isBusy ? .isBusy : nil)]
    }

    /// Releases all sessions that `holder` holds.
    ///
    /// - Returns: The notifications of the released sessions, the last one interrupted first.
    mutating func release(_ holder: Holder, isNotified: Bool, only some: [ID]? = nil, now: Int64) -> [Action] {
        var freed: [ID] = []
        for id in some ?? Array(sessions.keys) {
            guard var session = sessions[id], session.heldBy.remove(holder) != nil else { continue }
            if !isNotified { session.allNotified = false }
            if session.heldBy.isEmpty, session.claim == .interrupted {
                session.claim = .inactive
                freed.append(id)
            }
            sessions[id] = session
        }
        return freed.sorted { (sessions[$0]?.interruption ?? 0) > (sessions[$1]?.interruption ?? 0) }.map { id in
            let resumes = sessions[id].map { $0.wasRunning && $0.allNotified } ?? false
            if resumes { resuming[id] = now + Self.resumeGrace }
            return .notify(id, .ended(shouldResume: resumes))
        }
    }
}

extension AudioArbiter.Session {
    mutating func takeClaim() {
        claim = .interrupted
        wasRunning = isRunning
        allNotified = true
        isDucked = false
    }
}
