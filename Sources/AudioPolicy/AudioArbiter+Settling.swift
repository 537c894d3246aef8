/// The consequences of the sessions' states, computed after every input. Only changes are sent.
extension AudioArbiter {
    /// The active sessions of all programs, gathered once, so that a thousand sessions are settled in one pass.
    struct Crowd {
        /// The programs whose audio does not mix and is audible.
        var primaries: Set<UInt64> = []
        /// The programs whose audio did so a moment ago.
        var fading: Set<UInt64> = []
        var running: Set<UInt64> = []
        var claiming: Set<UInt64> = []
        var duckers: Set<UInt64> = []
    }

    /// Ramps first, then properties, then hints, so that a notified program reads the new properties.
    mutating func settle(now: Int64) -> [Action] {
        echoes.removeAll { $0.until <= now }
        resuming = resuming.filter { $0.value > now }
        let all = ids
        var actions: [Action] = []
        for id in all {
            watchPrimary(id, now: now)
            actions += watchIdleDuck(id, now: now)
        }
        watchStaleness(now: now)
        let crowd = gather(now: now)
        for id in all { actions += setGain(id, crowd) }
        for id in all { actions += setProperties(id, crowd) }
        for id in all { actions += setHint(id, crowd) }
        return actions
    }

    func gather(now: Int64) -> Crowd {
        var crowd = Crowd()
        for (id, session) in sessions {
            if session.isPrimary { crowd.primaries.insert(id.client) }
            if session.primaryUntil.map({ $0 > now }) ?? false { crowd.fading.insert(id.client) }
            if session.claim != .inactive { crowd.claiming.insert(id.client) }
            guard session.claim == .active else { continue }
            if session.isRunning { crowd.running.insert(id.client) }
            if session.configuration.ducks, !session.isDuckLifted { crowd.duckers.insert(id.client) }
        }
        for echo in echoes where echo.until > now { crowd.fading.insert(echo.client) }
        return crowd
    }

    private static func hasOther(_ clients: Set<UInt64>, than client: UInt64) -> Bool {
        clients.count > (clients.contains(client) ? 1 : 0)
    }

    // MARK: Gain

    /// Returns whether a session of another program or a call lowers the session.
    func isLowered(_ id: ID, _ session: Session, _ crowd: Crowd) -> Bool {
        guard session.claim == .active, session.configuration.hasOutput else { return false }
        return isCalled || !session.configuration.ducks && Self.hasOther(crowd.duckers, than: id.client)
    }

    func isSilenced(_ session: Session) -> Bool {
        (isSilent || isLocked) && session.configuration.category.obeysSilentSwitch
    }

    private mutating func setGain(_ id: ID, _ crowd: Crowd) -> [Action] {
        guard let session = sessions[id] else { return [] }
        var actions: [Action] = []
        let isDucked = isLowered(id, session, crowd), isSilenced = isSilenced(session)
        if session.claim == .active, isSilenced != session.isSilenced {
            actions.append(.gate(id, isOpen: !isSilenced, milliseconds: Fade.silence))
        }
        if session.claim == .active, isDucked != session.isDucked {
            actions.append(.duck(id, isDucked, milliseconds: isDucked ? Fade.duck : Fade.unduck))
        }
        sessions[id]?.isDucked = isDucked
        sessions[id]?.isSilenced = isSilenced
        return actions
    }

    /// A prompt that has ended without a deactivation.
    private mutating func watchIdleDuck(_ id: ID, now: Int64) -> [Action] {
        guard let limit = rules.idleDuckLimit, let session = sessions[id], session.claim == .active,
            session.configuration.ducks
        else { return [] }
        let isIdle = !session.isRunning && now >= (session.stoppedAt ?? session.activatedAt) + limit
        guard isIdle != session.isDuckLifted else { return [] }
        sessions[id]?.isDuckLifted = isIdle
        return isIdle
            ? [
                .note(
                    id,
                    "it lowers other sound and has made none for \(limit / 1_000_000_000) s: the others are as loud as before"
                )
            ] : []
    }

    // MARK: Hints

    private mutating func watchPrimary(_ id: ID, now: Int64) {
        guard var session = sessions[id] else { return }
        if session.isPrimary {
            session.primaryUntil = nil
        } else if session.wasPrimary {
            session.primaryUntil = now + Self.hintGrace
        } else if let until = session.primaryUntil, until <= now {
            session.primaryUntil = nil
        }
        session.wasPrimary = session.isPrimary
        sessions[id] = session
    }

    /// For an active session that does not mix, the others' audio of a moment ago has ended.
    private func shouldBeSilenced(_ id: ID, _ session: Session, _ crowd: Crowd) -> Bool {
        if isCalled || Self.hasOther(crowd.primaries, than: id.client) { return true }
        let isAlone = session.claim == .active && !session.configuration.isMixable
        return !isAlone && Self.hasOther(crowd.fading, than: id.client)
    }

    private mutating func setHint(_ id: ID, _ crowd: Crowd) -> [Action] {
        guard var session = sessions[id] else { return [] }
        defer { sessions[id] = session }
        let hint = shouldBeSilenced(id, session, crowd),
            hears = session.claim == .active && session.presence == .foreground
        defer { session.couldHearHints = hears }
        // A session that becomes able to receive hints receives no earlier one.
        guard hears, session.couldHearHints else {
            session.hint = hint
            return []
        }
        guard hint != session.hint else { return [] }
        // A session is about to resume, so the hint would begin again at once.
        if !hint, resuming.keys.contains(where: { $0.client != id.client }) { return [] }
        session.hint = hint
        return [.notify(id, .hint(hint))]
    }

    private mutating func setProperties(_ id: ID, _ crowd: Crowd) -> [Action] {
        guard let session = sessions[id] else { return [] }
        var new = Properties()
        new.secondaryAudioShouldBeSilenced = shouldBeSilenced(id, session, crowd)
        new.isOtherAudioPlaying = Self.hasOther(crowd.running, than: id.client)
        new.hasCompany = Self.hasOther(crowd.claiming, than: id.client)
        new.isNowPlaying = nowPlaying == id.client
        new.promptStyle = isCalled ? .none : .normal
        guard new != session.properties else { return [] }
        sessions[id]?.properties = new
        return [.properties(id, new)]
    }

    // MARK: Stale sessions

    /// Updates the sessions that were released, did not resume and are in the background.
    private mutating func watchStaleness(now: Int64) {
        let away = sessions.filter {
            $0.value.claim == .inactive && $0.value.presence == .background && nowPlaying != $0.key.client
        }
        for (id, session) in sessions where session.staleAt != nil && away[id] == nil { sessions[id]?.staleAt = nil }
        guard !away.isEmpty else { return }
        var holders: Set<Holder> = []
        for session in sessions.values { holders.formUnion(session.heldBy) }
        for (id, session) in away {
            if !holders.contains(.session(id)) {
                sessions[id]?.staleAt = nil
            } else if session.staleAt == nil {
                sessions[id]?.staleAt = now + Self.staleness
            }
        }
    }
}
