extension AudioArbiter {
    // MARK: Calls

    /// Advances the call to `new`, through the steps in between. A call does not go back before it ends.
    package mutating func setCall(_ new: Call, now: Int64) -> [Action] {
        switch (call, new) {
        case (_, .none): return callEnds(now: now)
        case (.none, .ringing(let isBanner)): return callComes(isBanner: isBanner, now: now)
        case (.none, .accepted): return callComes(isBanner: false, now: now) + callAccepted(now: now)
        case (_, .accepted): return callAccepted(now: now)
        case (.ringing(isBanner: true), .ringing(isBanner: false)):
            call = new
            return interrupt(Array(sessions.keys), by: .call) + settle(now: now)
        default: return []
        }
    }

    /// Starts a call.
    ///
    /// - Parameter isBanner: Whether the call is shown as a banner, which does not interrupt programs that prefer that
    ///   until it is accepted.
    package mutating func callComes(isBanner: Bool, now: Int64) -> [Action] {
        guard call == .none else { return [] }
        call = .ringing(isBanner: isBanner)
        let disturbed = sessions.keys.filter { !isBanner || sessions[$0]?.prefersNoInterruptions != true }
        return interrupt(disturbed, by: .call) + settle(now: now)
    }

    package mutating func callAccepted(now: Int64) -> [Action] {
        guard call != .none, call != .accepted else { return [] }
        call = .accepted
        return interrupt(Array(sessions.keys), by: .call) + settle(now: now)
    }

    /// Ends the call, declined or not.
    package mutating func callEnds(now: Int64) -> [Action] {
        guard call != .none else { return [] }
        call = .none
        let freed = release(.call, isNotified: true, now: now)
        return settle(now: now) + freed
    }

    // MARK: Switch and lock

    package mutating func setSilent(_ isSilent: Bool, now: Int64) -> [Action] {
        self.isSilent = isSilent
        return settle(now: now)
    }

    /// A program without the right to be heard on a locked screen is interrupted while the screen is locked.
    package mutating func setLocked(_ isLocked: Bool, now: Int64) -> [Action] {
        guard self.isLocked != isLocked else { return [] }
        self.isLocked = isLocked
        return applyLock(now: now)
    }

    /// Interrupts the sessions that the lock forbids, and releases those that may be heard again.
    mutating func applyLock(now: Int64) -> [Action] {
        let locked = Set(sessions.filter { isLockedOut($0.value, $0.value.configuration) }.keys)
        let victims = locked.filter { sessions[$0]?.heldBy.contains(.lock) == false }
        let interruptions = interrupt(Array(victims), by: .lock)
        let freed = release(.lock, isNotified: true, only: sessions.keys.filter { !locked.contains($0) }, now: now)
        return interruptions + settle(now: now) + freed
    }

    /// Audio that the lock silences needs no interruption.
    func isLockedOut(_ session: Session, _ configuration: AudioConfiguration) -> Bool {
        isLocked && !session.mayPlayInBackground && !configuration.category.obeysSilentSwitch
    }

    // MARK: Frozen programs

    /// Handles a stopped program (SIGSTOP, Ctrl-Z): its sessions become inactive, and it is notified when it continues.
    package mutating func suspend(client: UInt64, now: Int64) -> [Action] {
        var actions: [Action] = []
        for id in sessions.keys.filter({ $0.client == client }).sorted() {
            guard var session = sessions[id], !session.isSuspended else { continue }
            session.isSuspended = true
            session.wasSuspendedActive = session.claim == .active
            let wasActive = session.wasSuspendedActive
            if wasActive { (session.claim, session.wasRunning) = (.inactive, session.isRunning) }
            session.isDucked = false
            sessions[id] = session
            guard wasActive else { continue }
            actions.append(.gate(id, isOpen: false, milliseconds: Fade.interruption))
            actions += release(.session(id), isNotified: false, now: now)
        }
        return settle(now: now) + actions
    }

    /// Handles a program that continues. It may resume if it was running and no other program has replaced it.
    package mutating func thaw(client: UInt64, now: Int64) -> [Action] {
        var actions: [Action] = []
        for id in sessions.keys.filter({ $0.client == client }).sorted() {
            guard var session = sessions[id], session.isSuspended else { continue }
            session.isSuspended = false
            if session.wasSuspendedActive {
                let resumes =
                    session.wasRunning && !isCalled && !isLockedOut(session, session.configuration)
                    && !hasRival(id, session)
                if resumes { resuming[id] = now + Self.resumeGrace }
                actions += [.notify(id, .began(.appWasSuspended)), .notify(id, .ended(shouldResume: resumes))]
            }
            session.wasSuspendedActive = false
            sessions[id] = session
        }
        return settle(now: now) + actions
    }

    /// Returns whether another program's active session would be interrupted for this one.
    private func hasRival(_ id: ID, _ session: Session) -> Bool {
        others(than: id).contains { other in
            sessions[other].map { $0.claim == .active && effect(of: session.configuration, on: $0) == .interrupted }
                ?? false
        }
    }

    // MARK: Devices

    package mutating func setHasDevice(_ hasDevice: Bool) { self.hasDevice = hasDevice }

    /// Handles the removal of a device: interrupts the now playing program, without a later `ended`.
    ///
    /// - Parameter heard: The sessions that were audible on the device.
    /// - Returns: Gates and interruptions. The route change is sent after them.
    package mutating func outputIsGone(heardBy heard: [ID], now: Int64) -> [Action] {
        var gates: [Action] = [], words: [Action] = []
        for id in heard.sorted() {
            guard var session = sessions[id], session.claim == .active, session.isRunning, id.client == nowPlaying,
                !session.configuration.isMixable, session.prefersInterruptionOnRouteDisconnect
            else { continue }
            session.takeClaim()
            // Even if another holder releases it later, it does not resume automatically.
            session.wasRunning = false
            sessions[id] = session
            gates.append(.gate(id, isOpen: false, milliseconds: 5))
            words.append(.notify(id, .began(.routeDisconnected)))
        }
        return gates + words + settle(now: now)
    }
}
