/// Computes gains, properties, and hints to silence secondary audio, from the states of all sessions after every input.
/// Only changed values are sent to the programs.
extension AudioArbiter {
    /// The programs with active sessions, grouped by what their sessions do. Collected once for each input of the
    /// arbiter, so that a thousand sessions are processed in one pass.
    struct ActiveSessions {
        /// The programs with primary audio: audible audio that does not mix.
        var primaryPrograms: Set<UInt64> = []
        /// The programs whose primary audio ended less than ``AudioArbiter/secondaryAudioHintDelay`` ago.
        var recentPrimaryPrograms: Set<UInt64> = []
        /// The programs with an active session that renders samples.
        var renderingPrograms: Set<UInt64> = []
        /// The programs with an active or interrupted session.
        var activeOrInterruptedPrograms: Set<UInt64> = []
        /// The programs with an active session that ducks (attenuates) other programs.
        var duckingPrograms: Set<UInt64> = []
    }

    /// Recomputes, for all sessions, the gains, the properties, and the hints to silence secondary audio.
    ///
    /// - Returns: The actions: first gain changes, then properties, then hints, so that a program that receives a hint
    ///   reads the new properties.
    mutating func updateDerivedState(now: Int64) -> [Action] {
        recentPrimaryAudio.removeAll { $0.countsAsAudibleUntil <= now }
        resumeDeadlines = resumeDeadlines.filter { $0.value > now }
        let sessionIDs = ids
        var actions: [Action] = []
        for id in sessionIDs {
            updatePrimaryAudioTime(id, now: now)
            actions += updateIdleDucking(id, now: now)
        }
        updateStaleSessions(now: now)
        let activeSessions = collectActiveSessions(now: now)
        for id in sessionIDs { actions += updateGain(id, activeSessions) }
        for id in sessionIDs { actions += updateProperties(id, activeSessions) }
        for id in sessionIDs { actions += updateSilenceHint(id, activeSessions) }
        return actions
    }

    /// Collects the programs with active sessions.
    func collectActiveSessions(now: Int64) -> ActiveSessions {
        var activeSessions = ActiveSessions()
        for (id, session) in sessions {
            if session.isPrimary { activeSessions.primaryPrograms.insert(id.client) }
            if session.countsAsPrimaryUntil.map({ $0 > now }) ?? false {
                activeSessions.recentPrimaryPrograms.insert(id.client)
            }
            if session.activation != .inactive { activeSessions.activeOrInterruptedPrograms.insert(id.client) }
            guard session.activation == .active else { continue }
            if session.isRunning { activeSessions.renderingPrograms.insert(id.client) }
            if session.configuration.ducksOthers, !session.hasStoppedDucking {
                activeSessions.duckingPrograms.insert(id.client)
            }
        }
        for primary in recentPrimaryAudio where primary.countsAsAudibleUntil > now {
            activeSessions.recentPrimaryPrograms.insert(primary.client)
        }
        return activeSessions
    }

    /// Returns whether the program numbers `clients` contain a number other than `client`.
    private static func containsOther(_ clients: Set<UInt64>, than client: UInt64) -> Bool {
        clients.count > (clients.contains(client) ? 1 : 0)
    }

    // MARK: Gain

    /// Returns whether a session of another program or a phone call ducks the session.
    func isDuckedByOthers(_ id: ID, _ session: Session, _ activeSessions: ActiveSessions) -> Bool {
        guard session.activation == .active, session.configuration.hasOutput else { return false }
        return isInCall
            || !session.configuration.ducksOthers && Self.containsOther(activeSessions.duckingPrograms, than: id.client)
    }

    /// Returns whether the silent switch or the screen lock mutes the session.
    func isSilenced(_ session: Session) -> Bool {
        (isSilent || isLocked) && session.configuration.category.isSilencedBySwitch
    }

    /// Returns the actions that duck, restore, mute or unmute the session; empty if its gain does not change.
    private mutating func updateGain(_ id: ID, _ activeSessions: ActiveSessions) -> [Action] {
        guard let session = sessions[id] else { return [] }
        var actions: [Action] = []
        let isDucked = isDuckedByOthers(id, session, activeSessions), isSilenced = isSilenced(session)
        if session.activation == .active, isSilenced != session.isSilenced {
            actions.append(.gate(id, isOpen: !isSilenced, milliseconds: Fade.silence))
        }
        if session.activation == .active, isDucked != session.isDucked {
            actions.append(.duck(id, isDucked, milliseconds: isDucked ? Fade.duck : Fade.unduck))
        }
        sessions[id]?.isDucked = isDucked
        sessions[id]?.isSilenced = isSilenced
        return actions
    }

    /// Stops a session from ducking others while it has been silent for ``Rules/idleDuckTimeout``, such as a prompt
    /// that ended without a deactivation.
    private mutating func updateIdleDucking(_ id: ID, now: Int64) -> [Action] {
        guard let timeout = rules.idleDuckTimeout, let session = sessions[id], session.activation == .active,
            session.configuration.ducksOthers
        else { return [] }
        let isIdle = !session.isRunning && now >= (session.stoppedRenderingAt ?? session.activatedAt) + timeout
        guard isIdle != session.hasStoppedDucking else { return [] }
        sessions[id]?.hasStoppedDucking = isIdle
        return isIdle
            ? [
                .log(
                    id,
                    "it ducks other audio but has been silent for \(timeout / 1_000_000_000) s: ducking is lifted"
                )
            ] : []
    }

    // MARK: Hints

    /// Updates the time until which the session's primary audio counts as audible after it has stopped.
    private mutating func updatePrimaryAudioTime(_ id: ID, now: Int64) {
        guard var session = sessions[id] else { return }
        if session.isPrimary {
            session.countsAsPrimaryUntil = nil
        } else if session.wasPrimary {
            session.countsAsPrimaryUntil = now + Self.secondaryAudioHintDelay
        } else if let endTime = session.countsAsPrimaryUntil, endTime <= now {
            session.countsAsPrimaryUntil = nil
        }
        session.wasPrimary = session.isPrimary
        sessions[id] = session
    }

    /// Returns whether the session's program should silence its secondary audio, because primary audio of another
    /// program or a phone call is audible. An active session that does not mix ignores other programs' audio that ended
    /// less than ``AudioArbiter/secondaryAudioHintDelay`` ago.
    private func shouldBeSilenced(_ id: ID, _ session: Session, _ activeSessions: ActiveSessions) -> Bool {
        if isInCall || Self.containsOther(activeSessions.primaryPrograms, than: id.client) { return true }
        let playsExclusively = session.activation == .active && !session.configuration.isMixable
        return !playsExclusively && Self.containsOther(activeSessions.recentPrimaryPrograms, than: id.client)
    }

    /// Notifies the session if its secondary audio should become silent or may be heard again.
    private mutating func updateSilenceHint(_ id: ID, _ activeSessions: ActiveSessions) -> [Action] {
        guard var session = sessions[id] else { return [] }
        defer { sessions[id] = session }
        let shouldSilence = shouldBeSilenced(id, session, activeSessions),
            canReceiveHints = session.activation == .active && session.visibility == .foreground
        defer { session.couldReceiveHints = canReceiveHints }
        // A session that becomes able to receive hints about secondary audio is notified of later changes only, not of
        // the current state.
        guard canReceiveHints, session.couldReceiveHints else {
            session.lastSilenceHint = shouldSilence
            return []
        }
        guard shouldSilence != session.lastSilenceHint else { return [] }
        // Do not withdraw the hint to silence secondary audio while another program is about to resume its audio: the
        // hint would have to be sent again at once.
        if !shouldSilence, resumeDeadlines.keys.contains(where: { $0.client != id.client }) { return [] }
        session.lastSilenceHint = shouldSilence
        return [.notify(id, .silenceSecondaryAudioHint(shouldSilence))]
    }

    /// Publishes the session's properties if they changed.
    private mutating func updateProperties(_ id: ID, _ activeSessions: ActiveSessions) -> [Action] {
        guard let session = sessions[id] else { return [] }
        var newProperties = Properties()
        newProperties.secondaryAudioShouldBeSilenced = shouldBeSilenced(id, session, activeSessions)
        newProperties.isOtherAudioPlaying = Self.containsOther(activeSessions.renderingPrograms, than: id.client)
        newProperties.isOtherAudioAudible = Self.containsOther(
            activeSessions.activeOrInterruptedPrograms, than: id.client)
        newProperties.isNowPlaying = nowPlayingProgram == id.client
        newProperties.promptStyle = isInCall ? .none : .normal
        guard newProperties != session.properties else { return [] }
        sessions[id]?.properties = newProperties
        return [.sendProperties(id, newProperties)]
    }

    // MARK: Stale sessions

    /// Sets the time (``Session/endsInterruptionsAt``) at which inactive sessions of background programs stop keeping
    /// others interrupted.
    private mutating func updateStaleSessions(now: Int64) {
        let backgroundSessions = sessions.filter {
            $0.value.activation == .inactive && $0.value.visibility == .background && nowPlayingProgram != $0.key.client
        }
        for (id, session) in sessions where session.endsInterruptionsAt != nil && backgroundSessions[id] == nil {
            sessions[id]?.endsInterruptionsAt = nil
        }
        guard !backgroundSessions.isEmpty else { return }
        var activeCauses: Set<InterruptionCause> = []
        for session in sessions.values { activeCauses.formUnion(session.interruptedBy) }
        for (id, session) in backgroundSessions {
            if !activeCauses.contains(.session(id)) {
                sessions[id]?.endsInterruptionsAt = nil
            } else if session.endsInterruptionsAt == nil {
                sessions[id]?.endsInterruptionsAt = now + Self.staleSessionTimeout
            }
        }
    }
}
