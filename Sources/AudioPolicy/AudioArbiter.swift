/// The rules between the audio sessions of all programs: which are audible, and how loud. A pure value that turns
/// inputs and times into actions.
///
/// It guarantees: two sessions that do not mix never run at the same time; each `began` is followed by exactly one
/// `ended` or by the session's own activation or deactivation (except after the removal of a device); a session that
/// has ended does not hold or lower others; several ducking sessions lower a session only once. Derived state (lowered,
/// silenced, notified) is computed after every input, so that it cannot become stale.
package struct AudioArbiter: Hashable, Sendable {
    /// The identifier of a session among all programs.
    package struct ID: Hashable, Comparable, Sendable {
        package let client: UInt64
        package let session: UInt32
        package init(client: UInt64, session: UInt32) { (self.client, self.session) = (client, session) }
        package static func < (one: ID, other: ID) -> Bool { (one.client, one.session) < (other.client, other.session) }
    }

    /// The reason that keeps a session interrupted.
    package enum Holder: Hashable, Sendable {
        case session(ID)
        case call
        /// The screen is locked, and the program has no right to be heard.
        case lock
    }

    package enum Presence: Hashable, Sendable, CaseIterable {
        case foreground
        case background
        /// In the background, with a picture in a floating window.
        case pictureInPicture
    }

    /// The settings of the rules.
    package struct Rules: Hashable, Sendable {
        /// The time after which a silent ducking session stops lowering others until it is heard again, in nanoseconds;
        /// nil if it lowers others as long as it is active.
        package var idleDuckLimit: Int64? = 10_000_000_000
        /// Whether a deactivation while audio runs stops it and reports an error.
        package var hasBusyError = true
        package init() {}
    }

    // All times are in nanoseconds.
    /// The longest pause of primary audio that does not end the hint.
    package static let hintGrace: Int64 = 1_000_000_000
    /// The time that the end of a hint waits for a session that was told to resume.
    package static let resumeGrace: Int64 = 3_000_000_000
    /// The time in the background and silent after which a released session stops holding others.
    package static let staleness: Int64 = 60_000_000_000

    package var rules: Rules
    var sessions: [ID: Session] = [:]
    /// The number of activations, which orders sessions.
    var activations: UInt64 = 0
    var interruptions: UInt64 = 0
    /// The now playing program: the last one that started playback that does not mix.
    var nowPlaying: UInt64?
    var call = Call.none
    var isSilent = false
    var isLocked = false
    var hasDevice = true
    /// Primary audio of ended sessions: the program, and the time until which it counts.
    var echoes: [Echo] = []
    /// The sessions that were told to resume and have not yet, with the time limit.
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

    /// Whether a call is active or rings.
    var isCalled: Bool { call == .accepted || call == .ringing(isBanner: false) }

    // MARK: Sessions come and go

    /// Adds an inactive session with the initial configuration.
    ///
    /// - Parameters:
    ///   - presence: The visibility of the program.
    ///   - mayPlayInBackground: See ``setMayPlayInBackground(_:of:now:)``.
    package mutating func add(
        _ id: ID, presence: Presence = .foreground, mayPlayInBackground: Bool = true, now: Int64
    ) -> [Action] {
        guard sessions[id] == nil else { return [] }
        sessions[id] = Session(presence: presence, mayPlayInBackground: mayPlayInBackground)
        return settle(now: now)
    }

    /// Removes a session, or all of a program, as if it had been deactivated with `notifyOthersOnDeactivation`.
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

    /// Sets the visibility of a program, which decides what it may start.
    package mutating func setPresence(_ presence: Presence, of client: UInt64, now: Int64) -> [Action] {
        for id in sessions.keys where id.client == client { sessions[id]?.presence = presence }
        return settle(now: now)
    }

    /// Sets whether banners do not interrupt a session (`prefersNoInterruptionsFromSystemAlerts`).
    package mutating func setPrefersNoInterruptions(_ prefers: Bool, of id: ID) {
        sessions[id]?.prefersNoInterruptions = prefers
    }

    package mutating func setPrefersInterruptionOnRouteDisconnect(_ prefers: Bool, of id: ID) {
        sessions[id]?.prefersInterruptionOnRouteDisconnect = prefers
    }

    /// Sets whether a program may start audio in the background and be heard while the screen is locked.
    package mutating func setMayPlayInBackground(_ mayPlay: Bool, of client: UInt64, now: Int64) -> [Action] {
        for id in sessions.keys where id.client == client { sessions[id]?.mayPlayInBackground = mayPlay }
        return applyLock(now: now)
    }

    // MARK: Sound

    /// Records whether samples are rendered.
    package mutating func setRunning(_ isRunning: Bool, of id: ID, now: Int64) -> [Action] {
        guard var session = sessions[id], session.isRunning != isRunning else { return [] }
        session.isRunning = isRunning
        session.stoppedAt = isRunning ? nil : now
        sessions[id] = session
        if isRunning, session.claim == .active { resuming[id] = nil }
        return settle(now: now)
    }

    // MARK: Time

    /// The time at which ``tick(now:)`` is needed; nil if no time is pending.
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

    /// Whether audio that does not mix is audible, and whether any session plays it or waits to resume it.
    package var exclusive: (isHeard: Bool, isClaimed: Bool) {
        let all = sessions.values.filter { $0.claim != .inactive && !$0.configuration.isMixable }
        return (all.contains { $0.isPrimary }, !all.isEmpty)
    }

    /// The state of a session, for tests and tables.
    package func session(_ id: ID) -> Session? { sessions[id] }
    package var ids: [ID] { sessions.keys.sorted() }
    package var nowPlayingClient: UInt64? { nowPlaying }
}
