import AudioOutput
import MediaPipeline
import SharedFrames
import SystemCalls

/// The loop of the thread "player": carries out commands, advances playback, and waits until the earliest deadline.
final class PlaybackLoop {
    /// The state that the loop shares with other threads.
    let core: PlayerCore
    /// The audio pipeline; nil without an audio output.
    let audio: AudioPipeline?
    /// The current item; nil if there is none.
    var current: PlayingItem?
    /// The clock that gives the media time of the current item.
    var clock = PlaybackClock()
    /// Publishes the loop's state to other threads and to observers.
    var reporter: PlaybackReporter
    /// The progress of frames to the screen. A prepared frame that is replaced is withdrawn from the router, unless it
    /// is already due.
    var display = DisplayProgress() {
        didSet {
            if let old = oldValue.preparedFrame, old.id != display.preparedFrame?.id {
                core.currentLayer?.router.withdraw(old.id)
            }
        }
    }
    /// Whether the audio device is open, lost or replaced by a null device.
    var device = AudioDeviceState()
    /// The seeks, steps and preroll of the current item.
    var seeking = Seeking()
    /// The next item, which is opened in advance, and the sources of ended items.
    var queue = ItemQueue()
    /// The player's registration with the process's audio session; nil without a session.
    let playerSession: PlayerAudioSession?
    /// The settings for variants and reading ahead that the current item's source received last.
    var sentDemands = SentDemands()
    /// The maximum number of unused frames that the pool keeps, as the memory budget states it; nil for no limit.
    var spareFrameLimit: Int?
    /// Whether the audio session permits the player to be audible.
    var sessionState = AudioSessionPlan()

    /// The time between iterations of the loop while waiting for events fails, nanoseconds.
    private static let waitRetryInterval: Int64 = 10_000_000

    init(core: PlayerCore, audio: AudioPipeline?, playerSession: PlayerAudioSession?) {
        self.core = core
        self.audio = audio
        self.playerSession = playerSession
        reporter = PlaybackReporter(core: core)
    }

    /// Runs until the player is closed, then closes the items and the device, and leaves the audio session.
    func run() {
        followMemoryBudget()
        while handleCommands() {
            handleSourceEvents()
            handleNextEvents()
            var deadline = advance(now: MonotonicTime.now)
            deadline = HostTime.earlier(deadline, prepareNext(now: MonotonicTime.now))
            updatePreroll()
            updateDisplaySleep()
            updateStreamDemand()
            reporter.advanceLog(of: current, clock)
            updateReadingDemand()
            applyMemoryBudget()
            deadline = HostTime.earlier(deadline, updateSession(now: MonotonicTime.now))
            publishState()
            deadline = HostTime.earlier(
                deadline, reporter.notifyTimeObservers(of: current, clock, now: MonotonicTime.now))
            deadline = HostTime.earlier(deadline, queue.joinRetiredThreads(now: MonotonicTime.now))
            var entries = [Poll.Entry(core.wake.raw)]
            do {
                try Poll.wait(&entries, until: deadline)
            } catch {
                // Waiting fails if the system is out of memory: continue after a short sleep instead of spinning.
                reporter.reportFailedWait(error)
                MonotonicTime.sleep(Self.waitRetryInterval)
            }
            core.wake.drain()
        }
        stopFollowingMemoryBudget()
        endPreroll(false)
        clock.stop(at: MonotonicTime.now)
        publishState()
        // Interrupt all sources first, so that several blocked sources are waited for together.
        for item in [current, queue.next] { item?.source.interrupt() }
        closeCurrentItem()
        updateDisplaySleep()
        closeNextItem()
        queue.joinAllRetiredThreads()
        if audio?.close() == false { core.notify(.warning(AudioPipeline.detachedThreadWarning)) }
        playerSession?.close()
        setRequestedRate(0)
        setStatus(.paused, nil)
        core.releaseItems()
        for command in core.takeCommands() { reject(command) }
    }

    /// The playback rate that the program has requested; 0 while the player is paused.
    var rate: Float { core.snapshot.withLock { $0.rate } }

    // MARK: Items

    /// Closes the current item and opens another one; nil for none. Ignored if a newer command has changed the current
    /// item.
    func setItem(_ item: PlayerItem?) {
        guard isCurrentRequest(item) else { return }
        endPreroll(false)
        closeCurrentItem()
        core.currentLayer?.setReadyForDisplay(false)
        core.currentLayer?.itemChanged()
        clock = PlaybackClock()
        defer { core.notify(.itemChanged(item)) }
        guard let item else { return setStatus(rate == 0 ? .paused : .waitingToPlayAtSpecifiedRate, .noItemToPlay) }
        do throws(SystemCallError) {
            let opened = try open(item)
            (current, sentDemands) = (opened, SentDemands())
            seeking.changeItem(start: opened.openedAhead.startTime).complete()
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
        configuration.tracks = trackChoice(for: item)
        configuration.readsOtherTracks = audio != nil
        item.configureSubtitles(&configuration)
        configuration.decodesAudio = audio != nil
        configuration.computesAudioChecksums = core.configuration.audioChecksumTap != nil
        configuration.decoderThreads = core.configuration.decoderThreads
        configuration.decoderThreadLimit = Application.shared.memoryBudget.decoderThreadLimit
        configuration.deinterlacing = deinterlacing
        configuration.computesChecksums = core.configuration.frameTap != nil
        configuration.streamDemand = streamDemand(of: item)
        configuration.readingDemand = readingDemand(of: item)
        core.configuration.cache.apply(to: &configuration, for: item.location)
        playerSession?.prepare()
        let source = try LocalMediaSource(
            location: item.location, configuration: configuration, pool: core.pool, arrival: core.wake,
            audioArrival: audio?.decodedBlockEvent ?? core.wake)
        try source.start()
        var opened = PlayingItem(item: item, source: source)
        item.selection.withLock { state in
            state.onChange = { [weak core] in core?.post(.tracksChanged) }
            (state.source, state.presenter) = (source, nil)
        }
        item.state.withLock { state in
            if let old = state.source { _ = state.log.update(old.downloads) }
            state.source = source
            state.log.itemOpened(at: MonotonicTime.now)
            if let start = state.start, start > 0 {
                opened.openedAhead.startTime = start
            }
        }
        return opened
    }

    /// Closes the current item.
    func closeCurrentItem() {
        seeking.changeItem(start: nil).complete()
        guard let old = current.take() else { return }
        reporter.endLogPeriod(old, clock)
        flushAudio()
        display.preparedFrame = nil
        core.currentLayer?.router.clear()
        endTracks(of: old)
        old.source.close()
        releaseItem(old)
    }

    /// Closes an item's log and detaches the item from its source.
    func releaseItem(_ old: PlayingItem) {
        reporter.endLogPeriod(old, nil)
        for output in old.outputs { output.flush() }
        old.updateItem { $0.source = nil }
    }

    /// Discards audio that is not audible yet. A next item whose audio was already appended is closed and reopened
    /// later.
    func flushAudio() {
        audio?.flush()
        if queue.next?.openedAhead.isJoined == true { closeNextItem() }
    }

    /// Applies a new requested rate: carries out the decisions of ``RatePlan``.
    func rateChanged(_ rate: Float) {
        defer { core.notify(.rateChanged(rate)) }
        if rate != 0 {
            endPreroll(false)
            // Seek if the next part of a live stream was removed while playback was paused.
            _ = rejoinLiveStream()
        }
        _ = seeking.takeSteps()
        let plan = RatePlan(
            rate: rate, phase: current?.phase, clockRate: clock.rate, hasAudio: current?.audio.isUnfinished == true,
            isSeekable: current?.info?.isSeekable == true, wasStepped: current?.video.wasStepped == true)
        for action in plan.actions {
            let now = MonotonicTime.now
            switch action {
            case .halt: haltPlayback(now: now)
            case .updateSession: _ = updateSession(now: now)
            case .publishPaused: setStatus(.paused, nil)
            case .waitForItem: setStatus(.waitingToPlayAtSpecifiedRate, .noItemToPlay)
            case .changeClockRate: clock.changeRate(Double(rate), at: now)
            case .renewAudio: begin(SeekCommand(time: clock.time(at: now)))
            case .publishPlaying: setStatus(.playing, nil)
            case .seekToSteppedFrame:
                current?.video.wasStepped = false
                begin(SeekCommand(time: current?.video.lastFrame?.presentationTime ?? 0))
            case .waitForData: setStatus(.waitingToPlayAtSpecifiedRate, .evaluatingBufferingRate)
            }
        }
    }

    /// Stops the device and the clock; the item keeps its position.
    func haltPlayback(now: Int64) {
        audio?.pause()
        withdrawScheduledFrame()
        clock.stop(at: now)
        current?.phase = .ready
        current?.audio.pause()
    }

    /// Handles a change of the time-stretch algorithm: buffered audio with another speed is decoded again.
    func restartStretching() {
        guard let c = current, c.phase == .playing || c.phase == .ready, c.audio.isBuffered(forOtherThan: 1),
            c.info?.isSeekable == true, !c.run.hasReportedEnd
        else { return }
        begin(SeekCommand(time: clock.time(at: MonotonicTime.now)))
    }

    /// Updates the layer after it was replaced, or after an item's output has begun or ceased to suppress the layer's
    /// video.
    func updateLayer() {
        if let frame = current?.video.lastFrame, let layer {
            layer.router.restore(frame)
        } else if current?.item.isRenderedElsewhere == true {
            core.currentLayer?.router.removeImage()
        }
        core.currentLayer?.setReadyForDisplay(current?.video.lastFrame != nil && layer != nil)
    }

    /// Keeps the screen on while video plays, because the user gives no input then; otherwise lets the screen turn off.
    private func updateDisplaySleep() {
        let isWanted =
            core.snapshot.withLock { $0.settings.preventsDisplaySleep && $0.published.status == .playing }
            && current?.info?.video?.isCoverPicture == false
        let requested = isWanted ? layer : nil
        guard requested !== display.layerInhibitingScreensaver else { return }
        display.layerInhibitingScreensaver?.router.keepsScreenOn = false
        requested?.router.keepsScreenOn = true
        display.layerInhibitingScreensaver = requested
    }

    /// The layer that shows the current item's video; nil if the program renders the item itself.
    var layer: (any PlayerPictureTarget)? { current?.item.isRenderedElsewhere == true ? nil : core.currentLayer }
}
