extension AudioArbiter {
    // MARK: Phone calls

    /// Advances the phone call to the state `newState`, through the states in between. A call never returns to an
    /// earlier state; it can only end.
    package mutating func setPhoneCall(_ newState: PhoneCall, now: Int64) -> [Action] {
        switch (phoneCall, newState) {
        case (_, .none): return handleEndOfCall(now: now)
        case (.none, .ringing(let isBanner)): return handleIncomingCall(isBanner: isBanner, now: now)
        case (.none, .accepted): return handleIncomingCall(isBanner: false, now: now) + handleAcceptedCall(now: now)
        case (_, .accepted): return handleAcceptedCall(now: now)
        case (.ringing(isBanner: true), .ringing(isBanner: false)):
            phoneCall = newState
            return interrupt(Array(sessions.keys), by: .call) + updateDerivedState(now: now)
        default: return []
        }
    }

    /// Handles an incoming phone call.
    ///
    /// - Parameter isBanner: Whether the phone call is shown as a banner. Until the user accepts it, such a call does
    ///   not interrupt sessions that prefer no interruptions (``setPrefersNoInterruptions(_:of:)``).
    package mutating func handleIncomingCall(isBanner: Bool, now: Int64) -> [Action] {
        guard phoneCall == .none else { return [] }
        phoneCall = .ringing(isBanner: isBanner)
        let interruptedIDs = sessions.keys.filter { !isBanner || sessions[$0]?.prefersNoInterruptions != true }
        return interrupt(interruptedIDs, by: .call) + updateDerivedState(now: now)
    }

    /// Handles the user's acceptance of the ringing phone call. The call then interrupts all sessions.
    package mutating func handleAcceptedCall(now: Int64) -> [Action] {
        guard phoneCall != .none, phoneCall != .accepted else { return [] }
        phoneCall = .accepted
        return interrupt(Array(sessions.keys), by: .call) + updateDerivedState(now: now)
    }

    /// Handles the end of the phone call, also of a call that the user declined.
    package mutating func handleEndOfCall(now: Int64) -> [Action] {
        guard phoneCall != .none else { return [] }
        phoneCall = .none
        let notices = endInterruptions(by: .call, notifiesOthers: true, now: now)
        return updateDerivedState(now: now) + notices
    }

    // MARK: Silent switch and screen lock

    /// Sets whether the silent switch is on, which mutes some sessions.
    package mutating func setSilent(_ isSilent: Bool, now: Int64) -> [Action] {
        self.isSilent = isSilent
        return updateDerivedState(now: now)
    }

    /// Sets whether the screen is locked. The lock interrupts programs that may not be heard on a locked screen.
    package mutating func setLocked(_ isLocked: Bool, now: Int64) -> [Action] {
        guard self.isLocked != isLocked else { return [] }
        self.isLocked = isLocked
        return applyScreenLock(now: now)
    }

    /// Interrupts the sessions that may not be heard on the locked screen, and ends this interruption for sessions that
    /// may be heard again.
    mutating func applyScreenLock(now: Int64) -> [Action] {
        let lockedOutIDs = Set(sessions.filter { isLockedOut($0.value, $0.value.configuration) }.keys)
        let newlyLockedOutIDs = lockedOutIDs.filter { sessions[$0]?.interruptedBy.contains(.lock) == false }
        let interruptions = interrupt(Array(newlyLockedOutIDs), by: .lock)
        let audibleIDs = sessions.keys.filter { !lockedOutIDs.contains($0) }
        let notices = endInterruptions(by: .lock, notifiesOthers: true, only: audibleIDs, now: now)
        return interruptions + updateDerivedState(now: now) + notices
    }

    /// Returns whether the screen lock interrupts the session; false if the lock only mutes it.
    func isLockedOut(_ session: Session, _ configuration: AudioConfiguration) -> Bool {
        isLocked && !session.mayPlayInBackground && !configuration.category.isSilencedBySwitch
    }

    // MARK: Stopped programs

    /// Handles a program that was stopped (SIGSTOP, Ctrl-Z). The program's sessions become inactive; the program is
    /// notified when it continues.
    package mutating func suspend(client: UInt64, now: Int64) -> [Action] {
        var actions: [Action] = []
        for id in sessions.keys.filter({ $0.client == client }).sorted() {
            guard var session = sessions[id], !session.isSuspended else { continue }
            session.isSuspended = true
            session.wasActiveWhenSuspended = session.activation == .active
            let wasActive = session.wasActiveWhenSuspended
            if wasActive { (session.activation, session.wasRunningBeforeInterruption) = (.inactive, session.isRunning) }
            session.isDucked = false
            sessions[id] = session
            guard wasActive else { continue }
            actions.append(.gate(id, isOpen: false, milliseconds: Fade.interruption))
            actions += endInterruptions(by: .session(id), notifiesOthers: false, now: now)
        }
        return updateDerivedState(now: now) + actions
    }

    /// Handles a program that continues after a stop. The program's sessions may resume if they were running and no
    /// other program has replaced them.
    package mutating func resume(client: UInt64, now: Int64) -> [Action] {
        var actions: [Action] = []
        for id in sessions.keys.filter({ $0.client == client }).sorted() {
            guard var session = sessions[id], session.isSuspended else { continue }
            session.isSuspended = false
            if session.wasActiveWhenSuspended {
                let shouldResume =
                    session.wasRunningBeforeInterruption && !isInCall && !isLockedOut(session, session.configuration)
                    && !hasConflictingSession(id, session)
                if shouldResume { resumeDeadlines[id] = now + Self.resumeDelay }
                actions += [.notify(id, .began(.appWasSuspended)), .notify(id, .ended(shouldResume: shouldResume))]
            }
            session.wasActiveWhenSuspended = false
            sessions[id] = session
        }
        return updateDerivedState(now: now) + actions
    }

    /// Returns whether activating this session would interrupt another program's active session.
    private func hasConflictingSession(_ id: ID, _ session: Session) -> Bool {
        sessionsOfOtherPrograms(than: id).contains { other in
            sessions[other].map {
                $0.activation == .active && effect(of: session.configuration, on: $0) == .interrupted
            }
                ?? false
        }
    }

    // MARK: Audio devices

    /// Sets whether an audio device exists; without one, no session can be activated.
    package mutating func setHasDevice(_ hasDevice: Bool) { self.hasDevice = hasDevice }

    /// Handles the removal of an audio device: interrupts the now playing program. No notification of the
    /// interruption's end follows.
    ///
    /// - Parameter audibleSessions: The sessions that were audible on the removed device.
    /// - Returns: The actions that mute the sessions, and their interruption notifications. The caller sends the route
    ///   change afterwards.
    package mutating func handleOutputRemoval(affecting audibleSessions: [ID], now: Int64) -> [Action] {
        var muteActions: [Action] = [], notices: [Action] = []
        for id in audibleSessions.sorted() {
            guard var session = sessions[id], session.activation == .active, session.isRunning,
                id.client == nowPlayingProgram,
                !session.configuration.isMixable, session.prefersInterruptionOnRouteDisconnect
            else { continue }
            session.markInterrupted()
            // If a phone call or the screen lock also interrupts the session and ends later, the session must not
            // resume automatically.
            session.wasRunningBeforeInterruption = false
            sessions[id] = session
            muteActions.append(.gate(id, isOpen: false, milliseconds: 5))
            notices.append(.notify(id, .began(.routeDisconnected)))
        }
        return muteActions + notices + updateDerivedState(now: now)
    }
}
