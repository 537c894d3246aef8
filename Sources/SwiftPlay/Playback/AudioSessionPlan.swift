/// The state of a player in the process's audio session: a pure value that turns events into effects.
///
/// A player requests the session before becoming audible, pauses when the session is interrupted, and resumes when the
/// session permits playback again.
struct AudioSessionPlan: Hashable, Sendable {
    /// The state of the audio session, which determines whether the player may be audible.
    enum State: Hashable, Sendable {
        /// The player does not use the audio session.
        case none
        /// The session was requested. If the compositor does not answer before this host time, the player plays anyway.
        case requested(until: Int64)
        /// The session is active: the player may be audible from this host time on.
        case active(audibleFrom: Int64)
        /// The session was interrupted. `rate` is the rate at which to resume; 0 if the player did not play or was
        /// paused since.
        case interrupted(rate: Float)
        /// The compositor has exited. If a new compositor starts before this host time, playback resumes automatically.
        case compositorLost(until: Int64)
        /// A new compositor runs. The session is requested from this host time on, when the audio played before has
        /// faded out.
        case compositorRestarted(requestFrom: Int64)
    }

    /// The player's state when an event is handled.
    struct Situation: Hashable, Sendable {
        /// The present host time.
        var now: Int64
        /// The requested rate.
        var rate: Float
        /// Whether the player's clock runs.
        var isPlaying: Bool
        /// Whether the item has audio, is not muted and plays on a real device.
        var isAudible: Bool
    }

    /// An action that the player must perform.
    enum Effect: Hashable, Sendable {
        /// Requests the session. `hasGesture`: the user has just requested playback, so it may start in the background.
        case request(hasGesture: Bool)
        /// Releases the session, so that interrupted programs may resume.
        case release
        /// Notifies the session whether the player is audible.
        case setRunning(Bool)
        /// Sets the device's volume: 0 while the session does not permit the player to be audible.
        case applyVolume
        /// Reports a warning to the program.
        case warn(String)
        /// Sets the player's rate; 0 pauses.
        case setRate(Float)
        /// Seeks to the last media time that was audible.
        case seekToLastAudibleTime
        /// Stops the device and the clock without changing the player's rate.
        case holdPosition
        /// Tries again to open the lost device.
        case retryDevice
    }

    /// Whether playback may start.
    enum Permission: Hashable, Sendable {
        /// Playback may start.
        case now
        /// Playback may not start yet: request activation again at this host time.
        case wait(until: Int64)
        /// Playback must not start. The player pauses instead.
        case never
    }

    /// The player's present state in the audio session.
    private(set) var state = State.none
    /// The value of the last ``Effect/setRunning(_:)``.
    private(set) var isRunning = false
    /// The host time at which the item ended; nil until the item has ended.
    private var itemEndHostTime: Int64?
    /// The host time until which the user's request to play is valid.
    private var gestureExpiryHostTime: Int64 = 0
    /// The time limit for the compositor's answer to the next session request, in nanoseconds.
    var requestTimeout = defaultRequestTimeout

    /// The time limit for the answer to a session request, in nanoseconds: a compositor that hangs or is stopped does
    /// not answer.
    static let defaultRequestTimeout: Int64 = 500_000_000
    /// The time limit for the answer to a session request if the compositor must be started first, in nanoseconds.
    static let requestTimeoutWithCompositorStart: Int64 = 2_000_000_000
    /// The time limit for the start of a new compositor after the loss of the old one, in nanoseconds.
    static let compositorRestartTimeout: Int64 = 5_000_000_000
    /// The time in which audio that plays fades out and leaves the device, in nanoseconds.
    static let fadeOutDuration: Int64 = 150_000_000
    /// The time for which the session is kept after an item's end, in nanoseconds: another item or a loop may follow
    /// directly.
    static let endDelay: Int64 = 300_000_000
    /// The time for which the user's request to play is valid, in nanoseconds.
    static let gestureLifetime: Int64 = 5_000_000_000

    /// Whether the session permits the player to be audible.
    var isActive: Bool { if case .active = state { true } else { false } }
    /// Whether another session has interrupted this program's session.
    private var isInterrupted: Bool { if case .interrupted = state { true } else { false } }

    /// Returns whether the player must be silent although it plays.
    func mustMute(in situation: Situation) -> Bool { situation.isPlaying && situation.isAudible && !isActive }

    // MARK: Requests

    /// Returns the action that requests the session. The user's request to play counts for one session request only.
    private mutating func request(now: Int64) -> [Effect] {
        defer { gestureExpiryHostTime = 0 }
        state = .requested(until: now + requestTimeout)
        return [.request(hasGesture: now < gestureExpiryHostTime)]
    }

    /// Records that the user is about to request playback.
    mutating func recordUserGesture(now: Int64) { gestureExpiryHostTime = now + Self.gestureLifetime }

    /// Returns whether playback may start, and the effects to perform first. An inaudible player needs no session.
    mutating func permission(_ situation: Situation) -> (permission: Permission, effects: [Effect]) {
        guard situation.isAudible else { return (.now, []) }
        let now = situation.now
        switch state {
        case .active(let audibleFrom): return (audibleFrom > now ? .wait(until: audibleFrom) : .now, [])
        case .compositorRestarted(let requestFrom) where now < requestFrom: return (.wait(until: requestFrom), [])
        case .none, .interrupted, .compositorRestarted: return (.wait(until: now + requestTimeout), request(now: now))
        case .requested(let deadline):
            guard now >= deadline else { return (.wait(until: deadline), []) }
            state = .active(audibleFrom: 0)
            return (.now, [])
        case .compositorLost(let deadline):
            guard now >= deadline else { return (.wait(until: deadline), []) }
            state = .none
            return (.never, [.warn("paused: the compositor exited, and with it the audio session"), .setRate(0)])
        }
    }

    /// Handles a change of the volume or of the item: a player that became audible requests the session.
    mutating func audibilityDidChange(_ situation: Situation) -> [Effect] {
        situation.isPlaying && situation.isAudible && (state == .none || isInterrupted)
            ? request(now: situation.now) : []
    }

    /// Handles a rate set by the program or the user: a player paused during an interruption does not resume
    /// automatically.
    mutating func requestedRateDidChange(_ rate: Float) {
        if rate == 0, isInterrupted { state = .interrupted(rate: 0) }
    }

    // MARK: Events

    /// Handles an event of the audio session, and returns the effects to perform.
    mutating func handle(_ event: PlayerAudioSession.Event, _ situation: Situation) -> [Effect] {
        switch event {
        case .granted(let audibleFrom):
            guard !isInterrupted else { return [] }
            state = .active(audibleFrom: audibleFrom)
            return [.applyVolume]
        case .refused(let error):
            // A player that plays without the session is not audible, so it continues.
            let mustPause = (isActive || !situation.isPlaying) && situation.rate != 0 && situation.isAudible
            state = .none
            return [.warn("\(error)")] + (mustPause ? [.setRate(0)] : [])
        case .interrupted:
            let mustPause = situation.rate != 0 && situation.isAudible
            state = .interrupted(rate: mustPause ? situation.rate : 0)
            return mustPause ? [.setRate(0), .seekToLastAudibleTime] : []
        case .interruptionEnded(let shouldResume):
            guard case .interrupted(let rate) = state else { return [] }
            state = .none
            return shouldResume && rate != 0 ? [.setRate(rate)] : []
        case .lost(let isSilenced): return handleLoss(isSilenced: isSilenced, now: situation.now)
        case .reset:
            switch state {
            case .compositorLost(let deadline):
                state = .compositorRestarted(
                    requestFrom: deadline - Self.compositorRestartTimeout + Self.fadeOutDuration)
                return []
            // The player kept playing without a compositor: register the session with the new compositor.
            case .active: return [.request(hasGesture: false)]
            case .none, .requested, .interrupted, .compositorRestarted: return []
            }
        case .deviceAvailable: return [.retryDevice]
        }
    }

    /// Handles the loss of the compositor. A player that the session has not silenced plays on.
    private mutating func handleLoss(isSilenced: Bool, now: Int64) -> [Effect] {
        switch state {
        case .none: return []
        case .interrupted:
            state = .none
            return []
        case .active where !isSilenced: return []
        case .active, .requested, .compositorLost, .compositorRestarted:
            state = .compositorLost(until: now + Self.compositorRestartTimeout)
            return [.holdPosition]
        }
    }

    // MARK: Audibility

    /// Notifies the session whether the player is audible, and releases the session some time after the end of
    /// playback.
    ///
    /// - Parameters:
    ///   - playsAudio: Whether the device plays audio of the item.
    ///   - hasEnded: Whether playback has ended and no item follows.
    /// - Returns: The effects to perform, and the `deadline`: host time at which to call this method again; nil until
    ///   the state changes.
    mutating func update(playsAudio: Bool, hasEnded: Bool, now: Int64) -> (effects: [Effect], deadline: Int64?) {
        var effects: [Effect] = []
        if (playsAudio && isActive) != isRunning {
            isRunning.toggle()
            effects.append(.setRunning(isRunning))
        }
        guard hasEnded, state != .none else {
            itemEndHostTime = nil
            return (effects, nil)
        }
        let endHostTime = itemEndHostTime ?? now
        itemEndHostTime = endHostTime
        guard now >= endHostTime + Self.endDelay else { return (effects, endHostTime + Self.endDelay) }
        return (effects + release(), nil)
    }

    /// Ends the use of the audio session, and returns the effects to perform.
    mutating func release() -> [Effect] {
        itemEndHostTime = nil
        guard state != .none else { return [] }
        state = .none
        defer { isRunning = false }
        return (isRunning ? [.setRunning(false)] : []) + [.release]
    }
}
