/// A player's hold on the process's audio session: a pure value, events in, actions out.
///
/// A player requests the session before it is first heard, pauses when the session is taken away, and goes on when it
/// may.
struct AudioHold: Hashable, Sendable {
    enum State: Hashable, Sendable {
        case none
        /// Requested. Without an answer until this host time the player plays all the same.
        case requested(until: Int64)
        /// The player may be heard from this host time on.
        case held(from: Int64)
        /// Taken away. `rate` is the rate to go on with; 0 if the player did not play, or was paused since.
        case interrupted(rate: Float)
        /// The compositor is gone. If a new one runs before this host time, playing goes on by itself.
        case lost(until: Int64)
        /// A new compositor runs. The session is requested when the old sound has faded at the device.
        case back(from: Int64)
    }

    /// What the player does when something happens.
    struct Situation: Hashable, Sendable {
        /// Host time.
        var now: Int64
        /// The requested rate.
        var rate: Float
        var isPlaying: Bool
        /// Whether the item has audio that is not muted and has a real device.
        var isAudible: Bool
    }

    enum Effect: Hashable, Sendable {
        /// `hasGesture`: the user has just asked for playing, so it may begin in the background.
        case request(hasGesture: Bool)
        case release
        /// Tells the session whether the player is heard.
        case setRunning(Bool)
        case applyVolume
        case warn(String)
        /// Sets the rate as a program would; 0 pauses.
        case setRate(Float)
        /// Goes back to the last moment that was heard.
        case returnToLastHeard
        /// Stops the device and the clock without pausing the player.
        case standStill
        case retryDevice
    }

    enum Permission: Hashable, Sendable {
        case now
        case wait(until: Int64)
        case never
    }

    private(set) var state = State.none
    /// What the session was told last.
    private(set) var isRunning = false
    /// Host time since which the item is over.
    private var overSince: Int64?
    /// Host time until which the user's wish to play counts.
    private var gestureUntil: Int64 = 0
    /// Nanoseconds to wait for the next answer.
    var answerPatience = patience

    /// Nanoseconds to wait for an answer: a compositor that hangs or was stopped gives none.
    static let patience: Int64 = 500_000_000
    /// Nanoseconds to wait for an answer where the compositor has to be started first.
    static let startPatience: Int64 = 2_000_000_000
    /// Nanoseconds to wait for a new compositor.
    static let recovery: Int64 = 5_000_000_000
    /// Nanoseconds until the old sound has faded and left the device.
    static let silence: Int64 = 150_000_000
    /// Nanoseconds for which the session is held after the end: another item, or a loop, may follow at once.
    static let endGrace: Int64 = 300_000_000
    /// Nanoseconds for which the user's wish to play counts.
    static let gesturePatience: Int64 = 5_000_000_000

    var isHeld: Bool { if case .held = state { true } else { false } }
    private var isInterrupted: Bool { if case .interrupted = state { true } else { false } }

    /// Whether the player must be silent although it plays.
    func mutes(_ situation: Situation) -> Bool { situation.isPlaying && situation.isAudible && !isHeld }

    // MARK: requests

    private mutating func request(now: Int64) -> [Effect] {
        defer { gestureUntil = 0 }
        state = .requested(until: now + answerPatience)
        return [.request(hasGesture: now < gestureUntil)]
    }

    /// The user is about to ask for playing.
    mutating func gesture(now: Int64) { gestureUntil = now + Self.gesturePatience }

    /// Whether playing may begin. A player that is not audible needs no session.
    mutating func permission(_ situation: Situation) -> (permission: Permission, actions: [Effect]) {
        guard situation.isAudible else { return (.now, []) }
        let now = situation.now
        switch state {
        case .held(let from): return (from > now ? .wait(until: from) : .now, [])
        case .back(let from) where now < from: return (.wait(until: from), [])
        case .none, .interrupted, .back: return (.wait(until: now + answerPatience), request(now: now))
        case .requested(let until):
            guard now >= until else { return (.wait(until: until), []) }
            state = .held(from: 0)
            return (.now, [])
        case .lost(let until):
            guard now >= until else { return (.wait(until: until), []) }
            state = .none
            return (.never, [.warn("the sound was taken away with the compositor: paused"), .setRate(0)])
        }
    }

    /// The volume, or what plays, has changed: a player that became audible requests the session.
    mutating func audibilityChanged(_ situation: Situation) -> [Effect] {
        situation.isPlaying && situation.isAudible && (state == .none || isInterrupted)
            ? request(now: situation.now) : []
    }

    /// The program, or the user, sets a rate: a player that was paused does not go on by itself after an interruption.
    mutating func rateSet(_ rate: Float) {
        if rate == 0, isInterrupted { state = .interrupted(rate: 0) }
    }

    // MARK: events

    mutating func handle(_ event: PlayerClaim.Event, _ situation: Situation) -> [Effect] {
        switch event {
        case .granted(let quietAt):
            guard !isInterrupted else { return [] }
            state = .held(from: quietAt)
            return [.applyVolume]
        case .refused(let error):
            // A player that played unheard goes on unheard.
            let stops = (isHeld || !situation.isPlaying) && situation.rate != 0 && situation.isAudible
            state = .none
            return [.warn("\(error)")] + (stops ? [.setRate(0)] : [])
        case .interrupted:
            let stops = situation.rate != 0 && situation.isAudible
            state = .interrupted(rate: stops ? situation.rate : 0)
            return stops ? [.setRate(0), .returnToLastHeard] : []
        case .freed(let shouldResume):
            guard case .interrupted(let rate) = state else { return [] }
            state = .none
            return shouldResume && rate != 0 ? [.setRate(rate)] : []
        case .lost(let isSilenced): return lost(isSilenced: isSilenced, now: situation.now)
        case .reset:
            switch state {
            case .lost(let until):
                state = .back(from: until - Self.recovery + Self.silence)
                return []
            // The player has played on without a compositor.
            case .held: return [.request(hasGesture: false)]
            case .none, .requested, .interrupted, .back: return []
            }
        case .deviceCame: return [.retryDevice]
        }
    }

    private mutating func lost(isSilenced: Bool, now: Int64) -> [Effect] {
        switch state {
        case .none: return []
        case .interrupted:
            state = .none
            return []
        case .held where !isSilenced: return []
        case .held, .requested, .lost, .back:
            state = .lost(until: now + Self.recovery)
            return [.standStill]
        }
    }

    // MARK: being heard

    /// Tells the session whether the player is heard, and releases it some time after the end.
    ///
    /// - Parameters:
    ///   - plays: whether the device plays audio of the item.
    ///   - isOver: whether nothing plays and nothing follows.
    /// - Returns: `deadline`: host time at which to call again; nil: when something changes.
    mutating func attend(plays: Bool, isOver: Bool, now: Int64) -> (actions: [Effect], deadline: Int64?) {
        var actions: [Effect] = []
        if (plays && isHeld) != isRunning {
            isRunning.toggle()
            actions.append(.setRunning(isRunning))
        }
        guard isOver, state != .none else {
            overSince = nil
            return (actions, nil)
        }
        let since = overSince ?? now
        overSince = since
        guard now >= since + Self.endGrace else { return (actions, since + Self.endGrace) }
        return (actions + release(), nil)
    }

    /// Gives the session back.
    mutating func release() -> [Effect] {
        overSince = nil
        guard state != .none else { return [] }
        state = .none
        defer { isRunning = false }
        return (isRunning ? [.setRunning(false)] : []) + [.release]
    }
}
