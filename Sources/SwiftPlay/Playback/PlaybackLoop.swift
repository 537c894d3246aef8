import AudioOutput
import MediaPipeline
import SharedFrames
import SystemCalls

/// The loop of the thread "player": carries out commands, advances the components, and waits until the earliest
/// deadline.
final class PlaybackLoop {
    let core: PlayerCore
    /// The audio path; nil without an audio output.
    let sound: SoundPath?
    var current: PlayingItem?
    var clock = PlaybackClock()
    var reporter: PlaybackReporter
    /// The progress of frames to the display. A prepared frame that is replaced is withdrawn, unless it is already due.
    var display = DisplayProgress() {
        didSet {
            if let old = oldValue.prepared, old.id != display.prepared?.id {
                core.currentLayer?.router.withdraw(old.id)
            }
        }
    }
    var device = AudioDeviceState()
    var seeking = Seeking()
    var queue = ItemQueue()
    /// The player's claim to the process's audio session; nil without a session.
    let claim: PlayerClaim?
    var hold = AudioHold()

    /// The interval between turns while waiting fails, nanoseconds.
    private static let waitRetryInterval: Int64 = 10_000_000

    init(core: PlayerCore, sound: SoundPath?, claim: PlayerClaim?) {
        self.core = core
        self.sound = sound
        self.claim = claim
        reporter = PlaybackReporter(core: core)
    }

    func run() {
        while serveCommands() {
            handleSourceEvents()
            handleNextEvents()
            var deadline = advance(now: MonotonicTime.now)
            deadline = HostTime.earlier(deadline, prepareNext(now: MonotonicTime.now))
            servePreroll()
            keepScreenOn()
            deadline = HostTime.earlier(deadline, attendSession(now: MonotonicTime.now))
            publish()
            deadline = HostTime.earlier(
                deadline, reporter.notifyTimeObservers(of: current, clock, now: MonotonicTime.now))
            deadline = HostTime.earlier(deadline, queue.joinRetired(now: MonotonicTime.now))
            var entries = [Poll.Entry(core.wake.raw)]
            do {
                try Poll.wait(&entries, until: deadline)
            } catch {
                // The system is out of memory: continue at a limited rate instead of without pause.
                reporter.cannotWait(error)
                MonotonicTime.sleep(Self.waitRetryInterval)
            }
            core.wake.drain()
        }
        endPreroll(false)
        clock.stop(at: MonotonicTime.now)
        publish()
        // Interrupt all sources first, so that several blocked ones are waited for together.
        for item in [current, queue.next] { item?.source.interrupt() }
        endItem()
        keepScreenOn()
        dropNext()
        queue.joinAllRetired()
        if sound?.close() == false { core.tell(.warning(SoundPath.leftBehind)) }
        claim?.close()
        setRequestedRate(0)
        setStatus(.paused, nil)
        core.settle()
        for command in core.takeCommands() { dismiss(command) }
    }

    var rate: Float { core.snapshot.withLock { $0.rate } }

    // MARK: items

    func setItem(_ item: PlayerItem?) {
        guard isNewest(item) else { return }
        endPreroll(false)
        endItem()
        core.currentLayer?.setReadyForDisplay(false)
        core.currentLayer?.itemChanged()
        clock = PlaybackClock()
        defer { core.tell(.itemChanged(item)) }
        guard let item else { return setStatus(rate == 0 ? .paused : .waitingToPlayAtSpecifiedRate, .noItemToPlay) }
        do throws(SystemCallError) {
            let opened = try open(item)
            current = opened
            seeking.changeItem(start: opened.ahead.startTime).answer()
            if rate != 0 { setStatus(.waitingToPlayAtSpecifiedRate, .evaluatingBufferingRate) }
        } catch {
            current = nil
            fail(item, PlaybackError(.resources, "cannot start a thread: \(error)"))
        }
    }

    /// Starts to open an item.
    func open(_ item: PlayerItem) throws(SystemCallError) -> PlayingItem {
        var configuration = MediaSourceConfiguration()
        configuration.policy = item.asset.policy(default: core.configuration.openPolicy)
        configuration.tracks = choice(for: item)
        configuration.readsOtherTracks = sound != nil
        item.configureSubtitles(&configuration)
        configuration.givesSound = sound != nil
        configuration.takesSoundChecksums = core.configuration.soundTap != nil
        configuration.decoderThreads = core.configuration.decoderThreads
        configuration.deinterlacing = deinterlacing
        configuration.takesChecksums = core.configuration.frameTap != nil
        claim?.prepare()
        let source = try LocalMediaSource(
            location: item.location, configuration: configuration, pool: core.pool, arrival: core.wake,
            soundArrival: sound?.arrival ?? core.wake)
        try source.start()
        var opened = PlayingItem(item: item, source: source)
        item.selection.withLock { state in
            state.changed = { [weak core] in core?.post(.tracksChanged) }
            (state.source, state.presenter) = (source, nil)
        }
        item.state.withLock { state in
            state.source = source
            state.log.itemOpened(at: MonotonicTime.now)
            if let start = state.start, start > 0 {
                opened.ahead.startTime = start
            }
        }
        return opened
    }

    func endItem() {
        seeking.changeItem(start: nil).answer()
        guard let old = current.take() else { return }
        flushSound()
        display.prepared = nil
        core.currentLayer?.router.clear()
        endTracks(of: old)
        old.source.close()
        letGo(old)
    }

    /// Closes an item's log and detaches the item from its source.
    func letGo(_ old: PlayingItem) {
        reporter.closeLog(old)
        for output in old.outputs { output.flush() }
        old.report { $0.source = nil }
    }

    /// Discards audio that is not audible yet. A next item with joined audio is dropped and reopened later.
    func flushSound() {
        sound?.flush()
        if queue.next?.ahead.isJoined == true { dropNext() }
    }

    /// Carries out the decisions of ``RatePlan``.
    func rateChanged(_ rate: Float) {
        defer { core.tell(.rateChanged(rate)) }
        if rate != 0 { endPreroll(false) }
        _ = seeking.takeSteps()
        let plan = RatePlan(
            rate: rate, phase: current?.phase, clockRate: clock.rate, hasAudio: current?.audio.isUnfinished == true,
            isSeekable: current?.info?.isSeekable == true, isStepped: current?.video.isStepped == true)
        for action in plan.actions {
            let now = MonotonicTime.now
            switch action {
            case .halt: halt(now: now)
            case .updateSession: _ = attendSession(now: now)
            case .publishPaused: setStatus(.paused, nil)
            case .waitForItem: setStatus(.waitingToPlayAtSpecifiedRate, .noItemToPlay)
            case .changeClockRate: clock.changeRate(Double(rate), at: now)
            case .renewAudio: begin(SeekCommand(time: clock.time(at: now)))
            case .publishPlaying: setStatus(.playing, nil)
            case .seekToSteppedFrame:
                current?.video.isStepped = false
                begin(SeekCommand(time: current?.video.lastFrame?.presentationTime ?? 0))
            case .waitForData: setStatus(.waitingToPlayAtSpecifiedRate, .evaluatingBufferingRate)
            }
        }
    }

    /// Stops the device and the clock; the item keeps its position.
    func halt(now: Int64) {
        sound?.pause()
        holdPicture()
        clock.stop(at: now)
        current?.phase = .ready
        current?.audio.pause()
    }

    /// Handles a change of the time-stretch algorithm: buffered audio with another speed is decoded again.
    func stretchAnew() {
        guard let c = current, c.phase == .playing || c.phase == .ready, c.audio.isBuffered(forOtherThan: 1),
            c.info?.isSeekable == true, !c.run.hasReportedEnd
        else { return }
        begin(SeekCommand(time: clock.time(at: MonotonicTime.now)))
    }

    /// Updates the layer after it was replaced, or after its right to show the video has changed.
    func redraw() {
        if let frame = current?.video.lastFrame, let layer {
            layer.router.restore(frame)
        } else if current?.item.isRenderedElsewhere == true {
            core.currentLayer?.router.removeImage()
        }
        core.currentLayer?.setReadyForDisplay(current?.video.lastFrame != nil && layer != nil)
    }

    /// Prevents the display from sleeping while video plays, because the user gives no input then.
    private func keepScreenOn() {
        let isWanted =
            core.snapshot.withLock { $0.settings.preventsDisplaySleep && $0.published.status == .playing }
            && current?.info?.video?.isStill == false
        let wanted = isWanted ? layer : nil
        guard wanted !== display.awake else { return }
        display.awake?.router.keepsScreenOn = false
        wanted?.router.keepsScreenOn = true
        display.awake = wanted
    }

    /// The layer that shows the current item's video; nil if the item is rendered elsewhere.
    var layer: (any PlayerPictureTarget)? { current?.item.isRenderedElsewhere == true ? nil : core.currentLayer }
}
