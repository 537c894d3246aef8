/// The rules between the audio sessions of all programs: which sessions are audible, and how loud. A pure value that
/// turns inputs and times into actions.
///
/// Terms: until its deactivation, a session *holds* the sessions that it interrupted. An active session may *duck*
/// (attenuate) others. Closing the *gate* of a session mutes the session. Audible audio that does not mix is *primary*;
/// a *hint* notifies other programs of primary audio.
///
/// The arbiter guarantees:
///
/// - Two sessions that do not mix never run at the same time.
/// - Each notification `began` is followed by exactly one notification `ended`, or by the session's own activation or
///   deactivation. The removal of a device is the exception: no `ended` follows.
/// - A session that has ended does not hold or duck other sessions.
/// - Several ducking sessions duck a session only once.
///
/// Gains, properties and hints are computed after every input, so that they cannot become stale.
package struct AudioArbiter: Hashable, Sendable {
    /// The identifier of a session among all programs: the program's number and the session's number within it.
    package struct ID: Hashable, Comparable, Sendable {
        /// The number of the program.
        package let client: UInt64
        /// The number of the session within the program.
        package let session: UInt32
        package init(client: UInt64, session: UInt32) { (self.client, self.session) = (client, session) }
        package static func < (one: ID, other: ID) -> Bool { (one.client, one.session) < (other.client, other.session) }
    }

    /// A cause that keeps a session interrupted until the cause ends.
    package enum InterruptionCause: Hashable, Sendable {
        /// Another program's session whose activation interrupted this session.
        case session(ID)
        /// A phone call.
        case call
        /// The screen is locked, and the program may not be heard on a locked screen.
        case lock
    }

    /// The visibility of a program's windows.
    package enum Visibility: Hashable, Sendable, CaseIterable {
        /// A window of the program is visible, or the program has no window.
        case foreground
        /// All windows of the program are hidden, and it has no Picture-in-Picture window.
        case background
        /// All windows of the program are hidden except its Picture-in-Picture window.
        case pictureInPicture
    }

    /// The settings of the audio rules.
    package struct Rules: Hashable, Sendable {
        /// The time, in nanoseconds, after which a silent session stops ducking others until it is heard again; nil if
        /// a session ducks others as long as it is active.
        package var idleDuckTimeout: Int64? = 10_000_000_000
        /// Whether the deactivation of a running session, which stops its audio, also reports the error `isBusy`.
        package var reportsBusyOnDeactivation = true
        package init() {}
    }

    // All times are host times or durations in nanoseconds.
    /// The time, in nanoseconds, from the end of primary audio (audible audio that does not mix) to the notification
    /// that other programs may play secondary audio again.
    package static let secondaryAudioHintDelay: Int64 = 1_000_000_000
    /// The longest time, in nanoseconds, for which other programs' secondary audio stays silenced because a session
    /// should resume and has not resumed yet.
    package static let resumeDelay: Int64 = 3_000_000_000
    /// The time, in nanoseconds, after which an inactive session of a background program no longer keeps other sessions
    /// interrupted.
    package static let staleSessionTimeout: Int64 = 60_000_000_000

    /// The rules that this arbiter applies.
    package var rules: Rules
    /// All sessions, active or not.
    var sessions: [ID: Session] = [:]
    /// The number of activations of all sessions so far. Each session stores this number when it is activated, so that
    /// sessions can be sorted by their last activation.
    var activationCount: UInt64 = 0
    /// The number of interruptions of all sessions so far. Each session stores this number when it is interrupted, so
    /// that sessions can be sorted by their last interruption.
    var interruptionCount: UInt64 = 0
    /// The now playing program: the last program that activated a playback session that does not mix; nil if there is
    /// none.
    var nowPlayingProgram: UInt64?
    /// The state of the phone call.
    var phoneCall = PhoneCall.none
    /// Whether the silent switch is on.
    var isSilent = false
    /// Whether the screen is locked.
    var isLocked = false
    /// Whether an audio device exists.
    var hasDevice = true
    /// The primary audio of recently removed sessions, which still counts as audible for ``secondaryAudioHintDelay``.
    var recentPrimaryAudio: [RecentPrimaryAudio] = []
    /// For each session that should resume and has not resumed yet: the host time after which the arbiter no longer
    /// waits for the session to resume.
    var resumeDeadlines: [ID: Int64] = [:]

    /// The state of a phone call.
    package enum PhoneCall: Hashable, Sendable {
        /// There is no phone call.
        case none
        /// The phone call rings: shown as a banner, or on the whole screen.
        case ringing(isBanner: Bool)
        /// The user has accepted the phone call.
        case accepted
    }
    /// Primary audio (audible audio that does not mix) of a removed session. For a short time it still counts as
    /// audible, so that hints to other sessions do not change at once.
    struct RecentPrimaryAudio: Hashable, Sendable {
        /// The number of the program that had the session.
        let client: UInt64
        /// The host time, in nanoseconds, until which the audio counts as audible.
        let countsAsAudibleUntil: Int64
    }

    package init(rules: Rules = Rules()) { self.rules = rules }

    /// Whether a phone call was accepted, or rings on the whole screen; false while it rings as a banner.
    var isInCall: Bool { phoneCall == .accepted || phoneCall == .ringing(isBanner: false) }

    // MARK: Adding and removing sessions

    /// Adds an inactive session with the initial configuration.
    ///
    /// - Parameters:
    ///   - visibility: The visibility of the program.
    ///   - mayPlayInBackground: See ``setMayPlayInBackground(_:of:now:)``.
    package mutating func add(
        _ id: ID, visibility: Visibility = .foreground, mayPlayInBackground: Bool = true, now: Int64
    ) -> [Action] {
        guard sessions[id] == nil else { return [] }
        sessions[id] = Session(visibility: visibility, mayPlayInBackground: mayPlayInBackground)
        return updateDerivedState(now: now)
    }

    /// Removes a session as if it had been deactivated with `notifyOthersOnDeactivation`.
    package mutating func remove(_ id: ID, now: Int64) -> [Action] {
        guard let removedSession = sessions.removeValue(forKey: id) else { return [] }
        resumeDeadlines[id] = nil
        if removedSession.isPrimary || removedSession.countsAsPrimaryUntil != nil {
            recentPrimaryAudio.append(
                RecentPrimaryAudio(client: id.client, countsAsAudibleUntil: now + Self.secondaryAudioHintDelay))
        }
        if !sessions.keys.contains(where: { $0.client == id.client }), nowPlayingProgram == id.client {
            nowPlayingProgram = nil
        }
        let notices = endInterruptions(by: .session(id), notifiesOthers: true, now: now)
        return updateDerivedState(now: now) + notices
    }

    /// Removes all sessions of a program (``remove(_:now:)``).
    package mutating func removeAll(of client: UInt64, now: Int64) -> [Action] {
        sessions.keys.filter { $0.client == client }.sorted().flatMap { remove($0, now: now) }
    }

    /// Sets the visibility of a program, which determines which of its sessions may be activated.
    package mutating func setVisibility(_ visibility: Visibility, of client: UInt64, now: Int64) -> [Action] {
        for id in sessions.keys where id.client == client { sessions[id]?.visibility = visibility }
        return updateDerivedState(now: now)
    }

    /// Sets whether phone calls that are shown as a banner do not interrupt a session
    /// (`prefersNoInterruptionsFromSystemAlerts`).
    package mutating func setPrefersNoInterruptions(_ prefers: Bool, of id: ID) {
        sessions[id]?.prefersNoInterruptions = prefers
    }

    /// Sets whether the removal of the audio device in use interrupts a session; otherwise only the session's route
    /// changes.
    package mutating func setPrefersInterruptionOnRouteDisconnect(_ prefers: Bool, of id: ID) {
        sessions[id]?.prefersInterruptionOnRouteDisconnect = prefers
    }

    /// Sets whether a program may start audio in the background and be heard while the screen is locked.
    package mutating func setMayPlayInBackground(_ mayPlay: Bool, of client: UInt64, now: Int64) -> [Action] {
        for id in sessions.keys where id.client == client { sessions[id]?.mayPlayInBackground = mayPlay }
        return applyScreenLock(now: now)
    }

    // MARK: Rendering

    /// Records whether a session renders samples.
    package mutating func setRunning(_ isRunning: Bool, of id: ID, now: Int64) -> [Action] {
        guard var session = sessions[id], session.isRunning != isRunning else { return [] }
        session.isRunning = isRunning
        session.stoppedRenderingAt = isRunning ? nil : now
        sessions[id] = session
        if isRunning, session.activation == .active { resumeDeadlines[id] = nil }
        return updateDerivedState(now: now)
    }

    // MARK: Time

    /// The host time in nanoseconds at which ``tick(now:)`` must be called; nil if no work depends on time.
    package var deadline: Int64? {
        var deadlines = recentPrimaryAudio.map(\.countsAsAudibleUntil) + resumeDeadlines.values
        for session in sessions.values {
            deadlines += [session.countsAsPrimaryUntil, session.endsInterruptionsAt].compactMap(\.self)
            if session.activation == .active, session.configuration.ducksOthers, !session.isRunning,
                !session.hasStoppedDucking,
                let timeout = rules.idleDuckTimeout
            {
                deadlines.append((session.stoppedRenderingAt ?? session.activatedAt) + timeout)
            }
        }
        return deadlines.min()
    }

    /// Handles the passage of time: ends interruptions by sessions that became inactive in the background too long ago,
    /// and recomputes gains, properties and hints.
    package mutating func tick(now: Int64) -> [Action] {
        var notices: [Action] = []
        for (id, session) in sessions.sorted(by: { $0.key < $1.key }) {
            guard let endsInterruptionsAt = session.endsInterruptionsAt, endsInterruptionsAt <= now else { continue }
            sessions[id]?.endsInterruptionsAt = nil
            notices += endInterruptions(by: .session(id), notifiesOthers: false, now: now)
        }
        return updateDerivedState(now: now) + notices
    }

    /// The state of the audio that does not mix. `isAudible`: whether such audio is audible. `hasExclusiveSession`:
    /// whether a session with such audio is active or interrupted.
    package var exclusiveAudioState: (isAudible: Bool, hasExclusiveSession: Bool) {
        let exclusiveSessions = sessions.values.filter { $0.activation != .inactive && !$0.configuration.isMixable }
        return (exclusiveSessions.contains { $0.isPrimary }, !exclusiveSessions.isEmpty)
    }

    /// Returns the state of a session, for tests and for listing sessions; nil if no session has this identifier.
    package func session(_ id: ID) -> Session? { sessions[id] }
    /// The identifiers of all sessions, in ascending order.
    package var ids: [ID] { sessions.keys.sorted() }
    /// The now playing program, which receives media keys; nil if there is none.
    package var nowPlayingClient: UInt64? { nowPlayingProgram }
}
