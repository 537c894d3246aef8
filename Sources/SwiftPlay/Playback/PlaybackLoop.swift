import AudioOutput
import MediaPipeline
import SharedFrames
import SystemCalls

/// The loop of the player's thread: carries out commands, advances playback, and waits until the earliest deadline.
final class PlaybackLoop {
    /// The state that the loop shares with other threads.
    let core: PlayerCore
    /// The audio pipeline; nil without an audio output.
    let audioPipeline: AudioPipeline?
    /// The current item; nil if there is none.
    var currentItem: PlayingItem?
    /// The clock that gives the media time of the current item.
    var clock = PlaybackClock()
    /// Publishes the loop's state to other threads and to observers.
    var reporter: PlaybackReporter
    /// The next frame to show, and the rules for showing it on time. A prepared frame that is replaced is withdrawn
    /// from the router, unless it is already due.
    var displayProgress = DisplayProgress() {
        didSet {
            if let oldFrame = oldValue.preparedFrame, oldFrame.id != displayProgress.preparedFrame?.id {
                core.currentLayer?.router.withdraw(oldFrame.id)
            }
        }
    }
    /// The result of opening the audio device, and the slow correction of the clock after a loss.
    var deviceState = AudioDeviceState()
    /// The seeks, steps and preroll of the current item.
    var seekState = SeekState()
    /// The next item, which is opened in advance, and the sources of ended items.
    var itemQueue = ItemQueue()
    /// The player's registration with the process's audio session; nil without a session.
    let playerAudioSession: PlayerAudioSession?
    /// The settings for variants and reading ahead that the current item's source received last.
    var sentDemands = SentDemands()
    /// The maximum number of unused frames that the pool keeps, as the memory budget states it; nil for no limit.
    var spareFrameLimit: Int?
    /// The player's state in the process's audio session.
    var audioSessionPlan = AudioSessionPlan()

    /// The time between iterations of the loop while waiting for events fails, in nanoseconds.
    private static let waitRetryInterval: Int64 = 10_000_000

    init(core: PlayerCore, audioPipeline: AudioPipeline?, playerAudioSession: PlayerAudioSession?) {
        self.core = core
        self.audioPipeline = audioPipeline
        self.playerAudioSession = playerAudioSession
        reporter = PlaybackReporter(core: core)
    }

    /// Runs until the player is closed, then closes the items and the device, and leaves the audio session.
    func run() {
        followMemoryBudget()
        while handleCommands() {
            handleSourceEvents()
            handleNextItemEvents()
            var deadline = advancePlayback(now: MonotonicTime.now)
            deadline = HostTime.earlier(deadline, prepareNextItem(now: MonotonicTime.now))
            updatePreroll()
            updateDisplaySleep()
            updateStreamDemand()
            updateDecodingDemand()
            reporter.advanceLog(of: currentItem, clock)
            updateReadingDemand()
            applyMemoryBudget()
            deadline = HostTime.earlier(deadline, updateAudioSession(now: MonotonicTime.now))
            publishState()
            deadline = HostTime.earlier(
                deadline, reporter.notifyTimeObservers(of: currentItem, clock, now: MonotonicTime.now))
            deadline = HostTime.earlier(deadline, itemQueue.joinClosingSourceThreads(now: MonotonicTime.now))
            var entries = [Poll.Entry(core.wakeEvent.raw)]
            do {
                try Poll.wait(&entries, until: deadline)
            } catch {
                // Waiting fails if the system is out of memory: continue after a short sleep instead of spinning.
                reporter.reportFailedWait(error)
                MonotonicTime.sleep(Self.waitRetryInterval)
            }
            core.wakeEvent.drain()
        }
        stopFollowingMemoryBudget()
        endPreroll(false)
        clock.stop(at: MonotonicTime.now)
        publishState()
        // Interrupt all sources first, so that several blocked sources are waited for together.
        for item in [currentItem, itemQueue.nextItem] { item?.source.interrupt() }
        closeCurrentItem()
        updateDisplaySleep()
        closeNextItem()
        itemQueue.joinAllClosingSourceThreads()
        if audioPipeline?.close() == false { core.notify(.warning(AudioPipeline.detachedThreadWarning)) }
        playerAudioSession?.close()
        setRequestedRate(0)
        setStatus(.paused, nil)
        core.releaseItems()
        for command in core.takeCommands() { cancel(command) }
    }

    /// The playback rate that the program has requested; 0 while the player is paused.
    var rate: Float { core.snapshot.withLock { $0.rate } }

    // MARK: Items

    /// Closes the current item and opens another one; nil for none. Ignored if a newer command has changed the current
    /// item.
    func setItem(_ item: PlayerItem?) {
        guard isStillCurrent(item) else { return }
        endPreroll(false)
        closeCurrentItem()
        core.currentLayer?.setReadyForDisplay(false)
        core.currentLayer?.handleItemChange()
        clock = PlaybackClock()
        defer { core.notify(.itemChanged(item)) }
        guard let item else { return setStatus(rate == 0 ? .paused : .waitingToPlayAtSpecifiedRate, .noItemToPlay) }
        do throws(SystemCallError) {
            let openedItem = try openSource(for: item)
            (currentItem, sentDemands) = (openedItem, SentDemands())
            seekState.changeItem(start: openedItem.preloadState.startTime).complete()
            if rate != 0 { setStatus(.waitingToPlayAtSpecifiedRate, .evaluatingBufferingRate) }
        } catch {
            currentItem = nil
            fail(item, PlaybackError(.resources, "cannot start a thread: \(error)"))
        }
    }

    /// Starts to open an item.
    func openSource(for item: PlayerItem) throws(SystemCallError) -> PlayingItem {
        var configuration = MediaSourceConfiguration()
        configuration.policy = item.asset.policy(default: core.configuration.openPolicy)
        configuration.tracks = trackChoice(for: item)
        configuration.readsOtherTracks = audioPipeline != nil
        item.configureSubtitles(&configuration)
        item.configureAudioFiles(&configuration)
        configuration.decodesAudio = audioPipeline != nil
        let checksumHash = core.configuration.checksumHash
        configuration.audioChecksumHash = core.configuration.audioChecksumTap.map { _ in checksumHash }
        configuration.decoderThreads = core.configuration.decoderThreads
        configuration.decoderThreadLimit = decoderThreadLimit(in: Application.shared.memoryBudget)
        configuration.deinterlacing = deinterlacing
        configuration.checksumHash = core.configuration.frameTap.map { _ in checksumHash }
        configuration.streamDemand = streamDemand(of: item)
        configuration.readingDemand = readingDemand(of: item)
        core.configuration.cache.apply(to: &configuration, for: item.location)
        playerAudioSession?.prepare()
        let source = try LocalMediaSource(
            location: item.location, configuration: configuration, pool: core.pool, arrival: core.wakeEvent,
            audioArrival: audioPipeline?.decodedBlockEvent ?? core.wakeEvent)
        try source.start()
        if configuration.tracks.selections.audio != .off { audioPipeline?.prepareDevice() }
        var openedItem = PlayingItem(playerItem: item, source: source)
        if case .file? = try? configuration.policy.locate(item.location) { openedItem.isLocalFile = true }
        openedItem.isTransformed = pictureTransform != PictureTransform()
        openedItem.attach(for: core) { [weak core] in core?.post(.tracksChanged) }
        return openedItem
    }

    /// Closes the current item.
    func closeCurrentItem() {
        seekState.changeItem(start: nil).complete()
        guard let oldItem = currentItem.take() else { return }
        reporter.endLogPeriod(oldItem, clock)
        flushAudio()
        displayProgress.preparedFrame = nil
        core.currentLayer?.router.clear()
        endTracks(of: oldItem)
        oldItem.source.close()
        releaseItem(oldItem)
    }

    /// Closes an item's log and detaches the item from its source.
    func releaseItem(_ item: PlayingItem) {
        reporter.endLogPeriod(item, nil)
        for output in item.outputs { output.flush() }
        item.updateItemState { $0.source = nil }
    }

    /// Discards audio that is not audible yet. A next item whose audio was already appended is closed and reopened
    /// later.
    func flushAudio() {
        audioPipeline?.flush()
        if itemQueue.nextItem?.preloadState.isAudioAppended == true { closeNextItem() }
    }

    /// Applies a new requested rate: carries out the decisions of ``RatePlan``.
    func applyRequestedRate(_ rate: Float) {
        defer { core.notify(.rateChanged(rate)) }
        if rate != 0 {
            endPreroll(false)
            // Seek if the next part of a live stream was removed while playback was paused.
            _ = rejoinLiveStream()
        }
        _ = seekState.takePendingStepCount()
        let plan = RatePlan(
            rate: rate, phase: currentItem?.phase, clockRate: clock.rate,
            hasAudio: currentItem?.audio.isUnfinished == true,
            isSeekable: currentItem?.info?.isSeekable == true, wasStepped: currentItem?.video.wasStepped == true)
        for action in plan.actions {
            let now = MonotonicTime.now
            switch action {
            case .stopDeviceAndClock: haltPlayback(now: now)
            case .updateSession: _ = updateAudioSession(now: now)
            case .publishPaused: setStatus(.paused, nil)
            case .publishWaitingForItem: setStatus(.waitingToPlayAtSpecifiedRate, .noItemToPlay)
            case .changeClockRate: clock.changeRate(Double(rate), at: now)
            case .rebufferAudio: begin(SeekCommand(time: clock.time(at: now)))
            case .publishPlaying: setStatus(.playing, nil)
            case .seekToSteppedFrame:
                currentItem?.video.wasStepped = false
                begin(SeekCommand(time: currentItem?.video.lastFrame?.presentationTime ?? 0))
            case .publishWaitingForData: setStatus(.waitingToPlayAtSpecifiedRate, .evaluatingBufferingRate)
            }
        }
    }

    /// Stops the device and the clock; the item keeps its position.
    func haltPlayback(now: Int64) {
        audioPipeline?.pause()
        withdrawScheduledFrame()
        clock.stop(at: now)
        currentItem?.phase = .ready
        currentItem?.audio.pause()
    }

    /// Handles a change of the time-stretch algorithm: buffered audio with another speed is decoded again.
    func restretchBufferedAudio() {
        guard let item = currentItem, item.phase == .playing || item.phase == .ready,
            item.audio.isBuffered(forOtherThan: 1),
            item.info?.isSeekable == true, !item.stateSinceSeek.hasReportedEnd
        else { return }
        begin(SeekCommand(time: clock.time(at: MonotonicTime.now)))
    }

    /// Updates the layer after it was replaced, or after an item's output has begun or ceased to suppress the layer's
    /// video.
    func updateLayer() {
        if let frame = currentItem?.video.lastFrame, let layer {
            layer.router.restore(frame)
        } else if currentItem?.playerItem.isRenderedElsewhere == true {
            core.currentLayer?.router.removeImage()
        }
        core.currentLayer?.setReadyForDisplay(currentItem?.video.lastFrame != nil && layer != nil)
    }

    /// Keeps the screen on while video plays, because the user gives no input then; otherwise lets the screen turn off.
    private func updateDisplaySleep() {
        let isWanted =
            core.snapshot.withLock { $0.settings.preventsDisplaySleep && $0.published.status == .playing }
            && currentItem?.info?.video?.isCoverPicture == false
        let requestedLayer = isWanted ? layer : nil
        guard requestedLayer !== displayProgress.layerInhibitingScreensaver else { return }
        displayProgress.layerInhibitingScreensaver?.router.keepsScreenOn = false
        requestedLayer?.router.keepsScreenOn = true
        displayProgress.layerInhibitingScreensaver = requestedLayer
    }

    /// The layer that shows the current item's video; nil if the program renders the item itself.
    var layer: (any PlayerPictureTarget)? {
        currentItem?.playerItem.isRenderedElsewhere == true ? nil : core.currentLayer
    }
}
