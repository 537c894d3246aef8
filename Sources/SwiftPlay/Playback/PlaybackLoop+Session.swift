import SystemCalls

/// The player's part in the process's audio session: asks before it is first heard, stops when it may not be heard, goes on when it may again.
extension PlaybackLoop {
    /// How things stand with the session.
    enum Hold: Equatable {
        case none
        /// Asked for. Where nobody has answered until then it plays all the same.
        case asked(until: Int64)
        /// It may be heard, from this host time on.
        case held(from: Int64)
        /// Taken away. The rate to go on with when it may: 0 where it did not play, or the user has decided otherwise since.
        case interrupted(rate: Float)
        /// Nobody decides any longer. It goes on by itself where that is over by then (D-10).
        case lost(until: Int64)
        /// Somebody decides again: asked when the sound of before has faded at the device.
        case back(from: Int64)

        var isHeld: Bool { if case .held = self { true } else { false } }
    }

    enum Permission { case now, wait(until: Int64), never }

    /// Nanoseconds that an answer is waited for; the compositor may have to be started first.
    private static let patience: Int64 = 2_000_000_000
    private static let recovery: Int64 = 5_000_000_000
    /// Until what was heard before has faded and left the device.
    private static let silence: Int64 = 150_000_000
    /// What ends may be followed by something at once: a list, a loop.
    private static let endGrace: Int64 = 300_000_000

    private func ask(now: Int64) {
        hold = .asked(until: now + Self.patience)
        claim?.ask(hasGesture: now < gestureUntil)
        gestureUntil = 0
    }

    /// Nanoseconds for which the user's wish to play counts.
    static let gesturePatience: Int64 = 5_000_000_000

    /// There is sound that would be heard. What is muted claims nothing (section 1.6).
    private var isAudible: Bool {
        guard current?.audio.isUnfinished == true, !device.isStandIn else { return false }
        return core.snapshot.withLock { !$0.isMuted && $0.volume > 0 }
    }

    /// Whether playing may begin.
    func permission(now: Int64) -> Permission {
        guard claim != nil, isAudible else { return .now }
        switch hold {
        case .held(let from): return from > now ? .wait(until: from) : .now
        case .back(let from) where now < from: return .wait(until: from)
        case .none, .interrupted, .back:
            ask(now: now)
            return .wait(until: now + Self.patience)
        case .asked(let until):
            guard now >= until else { return .wait(until: until) }
            hold = .held(from: 0)
            return .now
        case .lost(let until):
            guard now >= until else { return .wait(until: until) }
            hold = .none
            core.tell(.warning("the sound was taken away with the compositor: paused"))
            stopByItself()
            return .never
        }
    }

    /// Sets the device's volume; nothing is heard of what may not be.
    func applyVolume() {
        let (volume, muted) = core.snapshot.withLock { ($0.volume, $0.isMuted) }
        if claim != nil, current?.phase == .playing, isAudible, hold == .none || isInterrupted { ask(now: MonotonicTime.now) }
        let waits = claim != nil && current?.phase == .playing && isAudible && !hold.isHeld
        sound?.setVolume(volume, muted: muted || waits)
    }

    private var isInterrupted: Bool { if case .interrupted = hold { true } else { false } }

    func handle(_ event: PlayerClaim.Event) {
        let now = MonotonicTime.now
        switch event {
        case .granted(let quietAt):
            if case .interrupted = hold { return }
            hold = .held(from: quietAt)
            applyVolume()
        case .refused(let error):
            // What played unheard does so on.
            let stops = hold.isHeld || current?.phase != .playing
            hold = .none
            core.tell(.warning("\(error)"))
            if stops, rate != 0, isAudible { stopByItself() }
        case .interrupted:
            let goesOn = rate != 0 && isAudible
            hold = .interrupted(rate: goesOn ? rate : 0)
            guard goesOn else { return }
            stopByItself()
            goBackToTheLastSound(now: now)
        case .freed(let shouldResume):
            guard case .interrupted(let rate) = hold else { return }
            hold = .none
            guard shouldResume, rate != 0 else { return }
            changeRateByItself(to: rate)
        case .lost(let isSilenced):
            switch hold {
            case .none: break
            case .interrupted: hold = .none
            case .held where !isSilenced: break
            case .held, .asked, .lost, .back:
                hold = .lost(until: now + Self.recovery)
                standStill(now: now)
            }
        case .reset:
            switch hold {
            case .lost(let until): hold = .back(from: until - Self.recovery + Self.silence)
            // It played on alone, and says so.
            case .held: claim?.ask(hasGesture: false)
            default: break
            }
        case .deviceCame: sound?.tryAgain()
        }
    }

    /// The user, or the program, decides: what was interrupted goes on by itself no longer.
    func noteDecision(rate: Float) {
        if rate == 0, case .interrupted = hold { hold = .interrupted(rate: 0) }
    }

    private func stopByItself() { changeRateByItself(to: 0) }

    /// Changes the requested rate as a program would; observers are told once.
    private func changeRateByItself(to rate: Float) {
        core.snapshot.withLock { $0.rate = rate }
        rateChanged(rate)
    }

    /// What went on for longer without a device is watched, not listened to; nanoseconds.
    private static let goBackLimit: Int64 = 10_000_000_000

    /// What went on without a device, before it was known that nothing takes its place, nobody has heard.
    private func goBackToTheLastSound(now: Int64) {
        guard let c = current, c.phase == .ready, c.info?.isSeekable == true, let feed = c.audio.feed,
            let heard = sound?.heardUntil(feed.number)
        else { return }
        let unheard = clock.time(at: now) - heard
        guard unheard > Self.goBackTolerance, unheard < Self.goBackLimit else { return }
        begin(SeekCommand(time: heard))
    }

    /// So little is not gone back for; nanoseconds.
    private static let goBackTolerance: Int64 = 50_000_000

    /// Playing waits; it is not paused.
    private func standStill(now: Int64) {
        guard current?.phase == .playing else { return }
        halt(now: now)
        setStatus(.waitingToPlayAtSpecifiedRate, .evaluatingBufferingRate)
    }

    /// Tells the session what is heard, and gives it back at the end.
    ///
    /// - Returns: when to look again.
    func attendSession(now: Int64) -> Int64? {
        guard let claim else { return nil }
        let isRunning = current?.phase == .playing && current?.audio.isUnfinished == true && hold.isHeld
        if isRunning != wasRunning {
            wasRunning = isRunning
            claim.setRunning(isRunning)
        }
        let isOver = current.map { $0.phase == .failed || $0.hasReportedEnd && $0.phase != .playing } ?? true
        guard isOver, hold != .none else {
            overSince = nil
            return nil
        }
        let since = overSince ?? now
        overSince = since
        guard now >= since + Self.endGrace else { return since + Self.endGrace }
        giveBackSound()
        return nil
    }

    /// Others may be heard again.
    func giveBackSound() {
        overSince = nil
        guard let claim, hold != .none else { return }
        hold = .none
        if wasRunning { claim.setRunning(false) }
        wasRunning = false
        claim.giveBack()
    }
}
