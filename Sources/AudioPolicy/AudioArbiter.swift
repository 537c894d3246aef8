/// Who may be heard, and how loud: the rules between the audio sessions of all programs. A pure value: input in,
/// actions out, the time is told.
///
/// Its promises: two sessions that do not mix never run at once; every `began` is followed by exactly one `ended`, or
/// by the session's own activation or deactivation (but for a device that is gone); nobody is held or lowered by a
/// session that is gone; however many duck, a session is lowered once. What is derived from the sessions (who is
/// lowered, who is silenced, who hears of it) is computed anew after every input, so that it cannot get stuck.
package struct AudioArbiter: Hashable, Sendable {
    /// Names a session among all programs.
    package struct ID: Hashable, Comparable, Sendable {
        package let client: UInt64
        package let session: UInt32
        package init(client: UInt64, session: UInt32) { (self.client, self.session) = (client, session) }
        package static func < (one: ID, other: ID) -> Bool { (one.client, one.session) < (other.client, other.session) }
    }

    /// What holds an interrupted session.
    package enum Holder: Hashable, Sendable {
        case session(ID)
        case call
        /// The screen is locked, and the program has no right to be heard then.
        case lock
    }

    package enum Presence: Hashable, Sendable, CaseIterable {
        case foreground
        case background
        /// In the background, with its picture in a floating window.
        case pictureInPicture
    }

    /// What is decided here and may be decided otherwise.
    package struct Rules: Hashable, Sendable {
        /// A ducking session that has not made a sound for so long lowers nobody until it does again; nil: as long as
        /// it is active.
        package var idleDuckLimit: Int64? = 10_000_000_000
        /// Deactivating while sound runs ends it and is told as an error (D-7).
        package var hasBusyError = true
        package init() {}
    }

    // Nanoseconds.
    /// A primary sound that pauses for less is not over, for the hint.
    package static let hintGrace: Int64 = 1_000_000_000
    /// How long the end of a hint waits for a session that was told to resume.
    package static let resumeGrace: Int64 = 3_000_000_000
    /// After so long in the background, silent, a session that was set free holds nobody any longer.
    package static let staleness: Int64 = 60_000_000_000

    package var rules: Rules
    var sessions: [ID: Session] = [:]
    /// Counts activations, for the order of everything that has one.
    var activations: UInt64 = 0
    var interruptions: UInt64 = 0
    /// The program that the user listens to: who was last to begin playback that does not mix.
    var nowPlaying: UInt64?
    var call = Call.none
    var isSilent = false
    var isLocked = false
    var hasDevice = true
    /// Primary sounds of sessions that are not there any more: whose, and until when they count.
    var echoes: [Echo] = []
    /// Who was told to resume and has not yet, and until when that is waited for.
    var resuming: [ID: Int64] = [:]

    package enum Call: Hashable, Sendable {
        case none
        case ringing(isBanner: Bool)
        case accepted
    }
    struct Echo: Hashable, Sendable {
        let client: UInt64
        let until: Int64
    }

    package init(rules: Rules = Rules()) { self.rules = rules }

    /// A call is heard, or rings over everything.
    var isCalled: Bool { call == .accepted || call == .ringing(isBanner: false) }

    // MARK: sessions come and go

    /// Adds a session, inactive, with the configuration that all begin with.
    ///
    /// - Parameters:
    ///   - presence: where the session's program is seen.
    ///   - mayPlayInBackground: as ``setMayPlayInBackground(_:of:now:)``.
    package mutating func add(
        _ id: ID, presence: Presence = .foreground, mayPlayInBackground: Bool = true, now: Int64
    ) -> [Action] {
        guard sessions[id] == nil else { return [] }
        sessions[id] = Session(presence: presence, mayPlayInBackground: mayPlayInBackground)
        return settle(now: now)
    }

    /// The session is gone, or its whole program: as if it had been deactivated with notice (D-6).
    package mutating func remove(_ id: ID, now: Int64) -> [Action] {
        guard let gone = sessions.removeValue(forKey: id) else { return [] }
        resuming[id] = nil
        if gone.isPrimary || gone.primaryUntil != nil {
            echoes.append(Echo(client: id.client, until: now + Self.hintGrace))
        }
        if !sessions.keys.contains(where: { $0.client == id.client }), nowPlaying == id.client { nowPlaying = nil }
        let freed = release(.session(id), isNotified: true, now: now)
        return settle(now: now) + freed
    }

    package mutating func removeAll(of client: UInt64, now: Int64) -> [Action] {
        sessions.keys.filter { $0.client == client }.sorted().flatMap { remove($0, now: now) }
    }

    /// Where a program is seen: decides what it may begin.
    package mutating func setPresence(_ presence: Presence, of client: UInt64, now: Int64) -> [Action] {
        for id in sessions.keys where id.client == client { sessions[id]?.presence = presence }
        return settle(now: now)
    }

    /// A notice to the user's program that it does not want to be disturbed by a banner
    /// (`prefersNoInterruptionsFromSystemAlerts`).
    package mutating func setPrefersNoInterruptions(_ prefers: Bool, of id: ID) {
        sessions[id]?.prefersNoInterruptions = prefers
    }

    package mutating func setPrefersInterruptionOnRouteDisconnect(_ prefers: Bool, of id: ID) {
        sessions[id]?.prefersInterruptionOnRouteDisconnect = prefers
    }

    /// Sets whether a program may begin to be heard in the background and be heard behind the lock.
    package mutating func setMayPlayInBackground(_ mayPlay: Bool, of client: UInt64, now: Int64) -> [Action] {
        for id in sessions.keys where id.client == client { sessions[id]?.mayPlayInBackground = mayPlay }
        return applyLock(now: now)
    }

    // MARK: sound

    /// Samples begin to be heard, or cease.
    package mutating func setRunning(_ isRunning: Bool, of id: ID, now: Int64) -> [Action] {
        guard var session = sessions[id], session.isRunning != isRunning else { return [] }
        session.isRunning = isRunning
        session.stoppedAt = isRunning ? nil : now
        sessions[id] = session
        if isRunning, session.claim == .active { resuming[id] = nil }
        return settle(now: now)
    }

    // MARK: time

    /// When ``tick(now:)`` has something to do; nil: never.
    package var deadline: Int64? {
        var times = echoes.map(\.until) + resuming.values
        for session in sessions.values {
            times += [session.primaryUntil, session.staleAt].compactMap(\.self)
            if session.claim == .active, session.configuration.ducks, !session.isRunning, !session.isDuckLifted,
                let limit = rules.idleDuckLimit
            {
                times.append((session.stoppedAt ?? session.activatedAt) + limit)
            }
        }
        return times.min()
    }

    package mutating func tick(now: Int64) -> [Action] {
        var freed: [Action] = []
        for (id, session) in sessions.sorted(by: { $0.key < $1.key }) {
            guard let staleAt = session.staleAt, staleAt <= now else { continue }
            sessions[id]?.staleAt = nil
            freed += release(.session(id), isNotified: false, now: now)
        }
        return settle(now: now) + freed
    }

    /// What does not mix: whether any of it is heard, and whether any session has it or waits for it to come back.
    package var exclusive: (isHeard: Bool, isClaimed: Bool) {
        let all = sessions.values.filter { $0.claim != .inactive && !$0.configuration.isMixable }
        return (all.contains { $0.isPrimary }, !all.isEmpty)
    }

    /// For tests and tables: what a session is now.
    package func session(_ id: ID) -> Session? { sessions[id] }
    package var ids: [ID] { sessions.keys.sorted() }
    package var nowPlayingClient: UInt64? { nowPlaying }
}
