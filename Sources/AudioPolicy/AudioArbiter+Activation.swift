extension AudioArbiter {
    // MARK: Configuration

    /// Sets the category, mode and options of a session. For an active session the new configuration affects other
    /// sessions at once.
    package mutating func configure(_ id: ID, _ configuration: AudioConfiguration, now: Int64) -> [Action] {
        guard var session = sessions[id] else { return [.requestCompleted(id, .expiredSession)] }
        guard session.activation == .active, configuration != session.configuration else {
            sessions[id]?.configuration = configuration
            return applyScreenLock(now: now) + [.requestCompleted(id, nil)]
        }
        // An active session that stops mixing must pass the activation rules again.
        if session.configuration.isMixable, !configuration.isMixable,
            let code = activationError(of: id, configuration, hasGesture: false)
        {
            return [.requestCompleted(id, code)]
        }
        session.configuration = configuration
        session.hasStoppedDucking = false
        sessions[id] = session
        let noLongerInterruptedIDs = sessionsOfOtherPrograms(than: id).filter { other in
            sessions[other].map {
                $0.interruptedBy.contains(.session(id)) && effect(of: configuration, on: $0) != .interrupted
            } ?? false
        }
        let notices = endInterruptions(by: .session(id), notifiesOthers: true, only: noLongerInterruptedIDs, now: now)
        return interrupt(by: id, configuration) + applyScreenLock(now: now) + notices + [.requestCompleted(id, nil)]
    }

    // MARK: Activation

    /// Activates a session.
    ///
    /// - Parameter hasGesture: Whether the user requested the activation, for example at the floating window. Such an
    ///   activation is permitted in the background.
    package mutating func activate(_ id: ID, hasGesture: Bool = false, now: Int64) -> [Action] {
        guard var session = sessions[id] else { return [.refused(id, .expiredSession)] }
        if session.activation == .active {
            return [.activated(id, epoch: session.epoch, isDucked: session.isDucked, isSilenced: session.isSilenced)]
        }
        if let code = activationError(of: id, session.configuration, hasGesture: hasGesture) {
            return [.refused(id, code)]
        }
        let interruptions = interrupt(by: id, session.configuration)
        activationCount += 1
        (session.activation, session.activationNumber, session.activatedAt) = (.active, activationCount, now)
        session.epoch &+= 1
        session.interruptedBy = []
        // A program that activates a session is running, so it is no longer stopped (SIGSTOP).
        session.wasActiveWhenSuspended = false
        (session.stoppedRenderingAt, session.hasStoppedDucking) = (session.isRunning ? nil : now, false)
        sessions[id] = session
        if session.configuration.category == .playback, !session.configuration.isMixable {
            nowPlayingProgram = id.client
        }
        // The reply to the activation carries the initial gain, so no gain ramp is needed.
        session.isDucked = isDuckedByOthers(id, session, collectActiveSessions(now: now))
        session.isSilenced = isSilenced(session)
        sessions[id] = session
        let derivedActions = updateDerivedState(now: now)
        guard let activatedSession = sessions[id] else { return derivedActions }
        return interruptions + derivedActions
            + [
                .activated(
                    id, epoch: activatedSession.epoch, isDucked: activatedSession.isDucked,
                    isSilenced: activatedSession.isSilenced)
            ]
    }

    /// Returns the error of the first activation rule that a session violates; nil if the session may be activated.
    func activationError(of id: ID, _ configuration: AudioConfiguration, hasGesture: Bool) -> AudioSessionErrorCode? {
        guard let session = sessions[id] else { return .expiredSession }
        if isInCall, configuration.category.hasInput || configuration.category == .soloAmbient {
            return .insufficientPriority
        }
        if isLockedOut(session, configuration) {
            return configuration.category.hasInput ? .cannotStartRecording : .cannotStartPlaying
        }
        // A session that was notified that it should resume may be activated, even in the background.
        if session.visibility != .foreground, !hasGesture, resumeDeadlines[id] == nil,
            let code = backgroundActivationError(of: id, session, configuration)
        {
            return code
        }
        return hasDevice ? nil : .resourceNotAvailable
    }

    /// Returns the error of activating a session while its program is in the background; nil if this is permitted.
    private func backgroundActivationError(of id: ID, _ session: Session, _ configuration: AudioConfiguration)
        -> AudioSessionErrorCode?
    {
        // If no program is the now playing program (`nowPlayingProgram` is nil), no audio would be interrupted, so the
        // rule against interrupting others does not apply.
        let noOtherProgramIsNowPlaying = nowPlayingProgram == id.client || nowPlayingProgram == nil
        switch configuration.category {
        case .ambient, .soloAmbient: return .cannotStartPlaying
        case .record, .playAndRecord:
            if !session.mayPlayInBackground || configuration.isMixable { return .cannotStartRecording }
            return noOtherProgramIsNowPlaying && session.isRunning ? nil : .cannotInterruptOthers
        case .playback, .multiRoute:
            if !session.mayPlayInBackground { return .cannotStartPlaying }
            return configuration.isMixable || noOtherProgramIsNowPlaying ? nil : .cannotInterruptOthers
        }
    }

    /// Interrupts the sessions of other programs that the activation of session `id` with `configuration` must
    /// interrupt. Sessions that are already interrupted then stay interrupted until session `id` is deactivated, too.
    private mutating func interrupt(by id: ID, _ configuration: AudioConfiguration) -> [Action] {
        let interruptedSessions = sessionsOfOtherPrograms(than: id).filter {
            sessions[$0].map { effect(of: configuration, on: $0) == .interrupted } ?? false
        }
        return interrupt(interruptedSessions, by: .session(id))
    }

    /// Returns the effect of activating a session with `configuration` on the active session `other`.
    func effect(of configuration: AudioConfiguration, on other: Session) -> SessionActivationEffect {
        .of(.program(configuration), on: .program(other.configuration))
    }

    /// Returns the identifiers of the sessions of all programs except the program of session `id`.
    func sessionsOfOtherPrograms(than id: ID) -> [ID] { sessions.keys.filter { $0.client != id.client } }

    /// Interrupts sessions. Each stays interrupted until all causes of its interruption have ended.
    ///
    /// - Returns: The actions that mute the sessions, followed by the interruption notifications; in both groups the
    ///   session that was activated most recently comes first.
    mutating func interrupt(_ ids: [ID], by cause: InterruptionCause, reason: Reason = .default) -> [Action] {
        var muteActions: [Action] = [], notices: [Action] = []
        let newestFirstIDs = ids.sorted {
            (sessions[$0]?.activationNumber ?? 0, $0) > (sessions[$1]?.activationNumber ?? 0, $1)
        }
        for interruptedID in newestFirstIDs {
            guard var session = sessions[interruptedID], session.activation != .inactive else { continue }
            session.interruptedBy.insert(cause)
            if session.activation == .active {
                muteActions.append(.gate(interruptedID, isOpen: false, milliseconds: Fade.interruption))
                notices.append(.notify(interruptedID, .began(reason)))
                session.markInterrupted()
                interruptionCount += 1
                session.interruptionSequenceNumber = interruptionCount
            }
            sessions[interruptedID] = session
        }
        return muteActions + notices
    }

    // MARK: Deactivation and the end of interruptions

    /// Deactivates a session.
    ///
    /// - Parameter notifiesOthers: Whether the sessions that this session interrupted may resume
    ///   (`notifyOthersOnDeactivation`).
    package mutating func deactivate(_ id: ID, notifiesOthers: Bool, now: Int64) -> [Action] {
        guard var session = sessions[id] else { return [.requestCompleted(id, .expiredSession)] }
        let wasActive = session.activation == .active
        let isBusy = wasActive && session.isRunning && rules.reportsBusyOnDeactivation
        session.activation = .inactive
        session.interruptedBy = []
        session.wasActiveWhenSuspended = false
        session.isDucked = false
        sessions[id] = session
        resumeDeadlines[id] = nil
        let muteActions: [Action] = wasActive ? [.gate(id, isOpen: false, milliseconds: Fade.interruption)] : []
        let notices = endInterruptions(by: .session(id), notifiesOthers: notifiesOthers, now: now)
        return muteActions + updateDerivedState(now: now) + notices + [.requestCompleted(id, isBusy ? .isBusy : nil)]
    }

    /// Removes `cause` as a cause of interruptions. A session without a remaining cause is no longer interrupted, and
    /// its program is notified.
    ///
    /// - Parameters:
    ///   - notifiesOthers: Whether the programs whose interruption ends may resume playback.
    ///   - affectedSessions: The sessions from which the cause is removed; nil for all sessions.
    /// - Returns: The notifications of the sessions whose interruption ended; the session that was interrupted most
    ///   recently comes first.
    mutating func endInterruptions(
        by cause: InterruptionCause, notifiesOthers: Bool, only affectedSessions: [ID]? = nil, now: Int64
    ) -> [Action] {
        var releasedIDs: [ID] = []
        for id in affectedSessions ?? Array(sessions.keys) {
            guard var session = sessions[id], session.interruptedBy.remove(cause) != nil else { continue }
            if !notifiesOthers { session.mayResume = false }
            if session.interruptedBy.isEmpty, session.activation == .interrupted {
                session.activation = .inactive
                releasedIDs.append(id)
            }
            sessions[id] = session
        }
        let newestFirstIDs = releasedIDs.sorted {
            (sessions[$0]?.interruptionSequenceNumber ?? 0) > (sessions[$1]?.interruptionSequenceNumber ?? 0)
        }
        return newestFirstIDs.map { id in
            let shouldResume = sessions[id].map { $0.wasRunningBeforeInterruption && $0.mayResume } ?? false
            if shouldResume { resumeDeadlines[id] = now + Self.resumeDelay }
            return .notify(id, .ended(shouldResume: shouldResume))
        }
    }
}

extension AudioArbiter.Session {
    /// Marks this active session as interrupted.
    mutating func markInterrupted() {
        activation = .interrupted
        wasRunningBeforeInterruption = isRunning
        mayResume = true
        isDucked = false
    }
}
