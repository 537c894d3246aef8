/// A player's claim to the process's audio session: a pure value that turns events into actions.
///
/// A player requests the session before it becomes audible, pauses when it is interrupted, and resumes when the session
/// allows it.
struct AudioHold: Hashable, Sendable {
    enum State: Hashable, Sendable {
        case none
        /// Requested. If no answer arrives before this host time, the player plays anyway.
        case requested(until: Int64)
        /// The player may be audible from this host time on.
        case held(from: Int64)
        /// Interrupted. `rate` is the rate at which to resume; 0 if the player did not play or was paused since.
        case interrupted(rate: Float)
        /// The compositor has exited. If a new one starts before this host time, playback resumes by itself.
        case lost(until: Int64)
        /// A new compositor runs. The session is requested from this host time on, when the old sound has faded out.
        case back(from: Int64)
    }

    /// The player's state at an event.
    struct Situation: Hashable, Sendable {
        /// Host time.
        var now: Int64
        /// The requested rate.
        var rate: Float
        var isPlaying: Bool
        /// Whether the item has audio, is not muted and plays on a real device.
        var isAudible: Bool
    }

    enum Effect: Hashable, Sendable {
        /// `hasGesture`: the user has just requested playback, so it may start in the background.
        case request(hasGesture: Bool)
        case release
        /// Notifies the session whether the player is audible.
        case setRunning(Bool)
        case applyVolume
        case warn(String)
        /// Sets the rate as a program does; 0 pauses.
        case setRate(Float)
        /// Seeks to the last media time that was audible.
        case returnToLastHeard
        /// Stops the device and the clock without changing the player's rate.
        case standStill
        case retryDevice
    }

    enum Permission: Hashable, Sendable {
        case now
        case wait(until: Int64)
        case never
    }

    private(set) var state = State.none
    /// The value of the last ``Effect/setRunning(_:)``.
    private(set) var isRunning = false
    /// Host time since which the item has ended.
    private var overSince: Int64?
    /// Host time until which the user's request to play is valid.
    private var gestureUntil: Int64 = 0
    /// The timeout of the next request, nanoseconds.
    var answerPatience = patience

    /// The timeout of a request, nanoseconds: a compositor that hangs or is stopped does not answer.
    static let patience: Int64 = 500_000_000
    /// The timeout of a request if the compositor must be started first, nanoseconds.
    static let startPatience: Int64 = 2_000_000_000
    /// The timeout for the start of a new compositor, nanoseconds.
    static let recovery: Int64 = 5_000_000_000
    /// The time in which the old sound fades out and leaves the device, nanoseconds.
    static let silence: Int64 = 150_000_000
    /// How long the session is kept after the end, nanoseconds: another item or a loop may follow directly.
    static let endGrace: Int64 = 300_000_000
    /// How long the user's request to play is valid, nanoseconds.
    static let gesturePatience: Int64 = 5_000_000_000

    var isHeld: Bool { if case .held = state { true } else { false } }
    private var isInterrupted: Bool { if case .interrupted = state { true } else { false } }

    /// Returns whether the player must be silent although it plays.
    func mutes(_ situation: Situation) -> Bool { situation.isPlaying && situation.isAudible && !isHeld }

    // MARK: Requests

    private mutating func request(now: Int64) -> [Effect] {
        defer { gestureUntil = 0 }
        state = .requested(until: now + answerPatience)
        return [.request(hasGesture: now < gestureUntil)]
    }

    /// Records that the user is about to request playback.
    mutating func gesture(now: Int64) { gestureUntil = now + Self.gesturePatience }

    /// Returns whether playback may start, with the actions to take first. An inaudible player needs no session.
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
            return (.never, [.warn("paused: the compositor exited, and with it the audio session"), .setRate(0)])
        }
    }

    /// Handles a change of the volume or of the item: a player that became audible requests the session.
    mutating func audibilityChanged(_ situation: Situation) -> [Effect] {
        situation.isPlaying && situation.isAudible && (state == .none || isInterrupted)
            ? request(now: situation.now) : []
    }

    /// Handles a rate set by the program or the user: a player paused during an interruption does not resume by itself.
    mutating func rateSet(_ rate: Float) {
        if rate == 0, isInterrupted { state = .interrupted(rate: 0) }
    }

    // MARK: Events

    mutating func handle(_ event: PlayerClaim.Event, _ situation: Situation) -> [Effect] {
        switch event {
        case .granted(let quietAt):
            guard !isInterrupted else { return [] }
            state = .held(from: quietAt)
            return [.applyVolume]
        case .refused(let error):
            // A player that played while inaudible continues to play.
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
            // The player kept playing without a compositor.
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

    // MARK: Audibility

    /// Notifies the session whether the player is audible, and releases it some time after the end.
    ///
    /// - Parameters:
    ///   - plays: Whether the device plays audio of the item.
    ///   - isOver: Whether playback has ended and no item follows.
    /// - Returns: `deadline`: host time at which to call again; nil until the state changes.
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

    /// Releases the session.
    mutating func release() -> [Effect] {
        overSince = nil
        guard state != .none else { return [] }
        state = .none
        defer { isRunning = false }
        return (isRunning ? [.setRunning(false)] : []) + [.release]
    }
}
