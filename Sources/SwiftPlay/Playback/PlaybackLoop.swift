import AudioOutput
import MediaPipeline
import SharedFrames
import SystemCalls

/// The body of the thread "player". Everything in it belongs to that thread.
final class PlaybackLoop {
    /// An item on its way.
    struct Current {
        let item: PlayerItem
        let source: MediaSource
        var info: MediaInfo?
        var generation: UInt32 = 0
        /// Of the sound, which may be changed alone; and the last one that was given to anything.
        var soundGeneration: UInt32 = 0
        var lastGeneration: UInt32 = 0
        /// What plays, by the tracks' names; and another choice waits to be made.
        var selected = SelectedTracks()
        var wantsOtherTracks = false
        var phase = Phase.opening
        var seek: PlayerCore.SeekCommand?
        /// Waits until the picture of the seek before it is shown, or until then.
        var queuedSeek: PlayerCore.SeekCommand?
        var pictureDeadline: Int64?
        /// Sound is expected, and the number of its feed.
        var hasSound = false
        /// Sound is decoded to its end and goes nowhere.
        var soundIsUnheard = false
        var soundFeed: UInt32 = 0
        /// What it was stretched for.
        var soundSpeed = 1.0
        var soundIsPrimed = false
        var soundHasEnded = false
        var videoHasEnded = false
        /// Asked for after this the picture starts without the sound (a device that does not open).
        var soundDeadline: Int64 = .max
        /// End of the last frame shown, media nanoseconds.
        var pictureEnd: Int64 = 0
        var lastFrame: VideoFrame?
        /// The picture was stepped by hand: the sound must be lined up before playing.
        var needsResync = false
        var hasReportedEnd = false
        /// A track that gave up before the item's facts were known.
        var failedEarly: (MediaEvent.Track, MediaError)?
        /// Told once there is a picture or sound.
        var heldWarning: String?
        /// Media time at which the present run began.
        var start: Int64?
        /// Opened ahead, its sound follows that of the current item.
        var isJoined = false
        /// Opened ahead, its sound is brought into the form of the device as that is open now.
        var soundFits = false
        /// Playing stopped for want of something to play.
        var isStalled = false
        var stalledAt: Int64 = 0
        /// Why reading stopped before the end, if it did.
        var readError: MediaError?
        /// Opened ahead, it could not be.
        var openError: MediaError?
    }

    enum Phase: Equatable {
        case opening
        /// Waiting for the first frame (and sound) after opening or a seek.
        case priming
        /// The first frame is on screen; waiting for the rest that playing needs.
        case ready
        case playing
        case failed
    }

    let core: PlayerCore
    let sound: SoundPath?
    var current: Current?
    var clock = PlaybackClock()
    var statistics = PlaybackStatistics()
    /// How long frames took from being given away to being on screen, where the display tells.
    var presentTimes = TimeHistogram()
    /// Nanoseconds by which frames are given away before their time.
    var lead = FramePacing.lead
    private var isClosed = false
    private var hasToldOfWaiting = false
    /// The frame that the router has ready.
    var prepared: VideoFrame?
    var soundIsOpen = false
    var soundIsUnavailable = false
    /// The device has said once since playing began which moment is heard.
    var soundHasSpoken = true
    /// Host time until which the clock nears the sound slowly: a device that went or came must not make the picture jump.
    var calmUntil: Int64 = 0
    static let calm: Int64 = 5_000_000_000
    /// Host time until which that is waited for.
    var soundPatience: Int64 = 0
    /// Opened ahead: what the queue goes on with.
    var next: Current?
    /// Whose threads are still to be joined, when there is time.
    var retired: [MediaSource] = []
    /// Frames to step, forwards or back, that were not there yet.
    var stepsAhead = 0
    /// What the time observers have not been told yet.
    var unseenChange = TimeObserver.Change.none

    init(core: PlayerCore, sound: SoundPath?) {
        self.core = core
        self.sound = sound
    }

    func run() {
        while !isClosed {
            for command in core.takeCommands() { handle(command) }
            if isClosed { break }
            handleSourceEvents()
            handleNextEvents()
            var deadline = advance(now: MonotonicTime.now)
            deadline = Self.earlier(deadline, prepareNext(now: MonotonicTime.now))
            publish()
            deadline = Self.earlier(deadline, tellTimeObservers(now: MonotonicTime.now))
            retire(ifIdleUntil: deadline)
            var entries = [Poll.Entry(core.wake.raw)]
            do {
                try Poll.wait(&entries, until: deadline)
            } catch { cannotWait(error) }
            core.wake.drain()
        }
        endItem(completing: false)
        dropNext()
        for source in retired { source.close() }
        if sound?.close() == false { core.tell(.warning(SoundPath.leftBehind)) }
        for case .seek(let seek) in core.takeCommands() { seek.completion(false) }
    }

    /// Waiting fails when the system has no memory: told once, and the loop turns 100 times a second instead of without end.
    private func cannotWait(_ error: SystemCallError) {
        if !hasToldOfWaiting { core.tell(.warning("cannot wait for what happens next: \(error)")) }
        hasToldOfWaiting = true
        MonotonicTime.sleep(10_000_000)
    }

    static func earlier(_ a: Int64?, _ b: Int64?) -> Int64? {
        guard let a, let b else { return a ?? b }
        return min(a, b)
    }

    var rate: Float { core.snapshot.withLock { $0.rate } }

    // MARK: commands

    private func handle(_ command: PlayerCore.Command) {
        switch command {
        case .setItem(let item): setItem(item)
        case .setRate(let rate): rateChanged(rate)
        case .seek(let seek):
            core.snapshot.withLock { $0.seeksAhead -= 1 }
            if !seek.isCancelled() { begin(seek) }
        case .step(let count): step(count)
        case .goOn(let item): goOn(to: item)
        case .actionChanged: actionChanged()
        case .look: endChanged()
        case .settingChanged: core.tell(.settingChanged)
        case .sound(let report): handle(report)
        case .outputChanged: redraw()
        case .tracksChanged: current?.wantsOtherTracks = true
        case .soundChanged:
            let (volume, muted) = core.snapshot.withLock { ($0.volume, $0.isMuted) }
            sound?.setVolume(volume, muted: muted)
            core.tell(.settingChanged)
        case .deinterlacingChanged:
            current?.source.setDeinterlacing(deinterlacing)
            next?.source.setDeinterlacing(deinterlacing)
        case .close: isClosed = true
        }
    }

    private var deinterlacing: Deinterlacing {
        switch core.snapshot.withLock({ $0.deinterlacing }) {
        case .automatic: .automatic
        case .always: .always
        case .never: .never
        }
    }

    func setItem(_ item: PlayerItem?) {
        endItem(completing: false)
        core.currentLayer?.setReadyForDisplay(false)
        core.currentLayer?.itemChanged()
        clock = PlaybackClock()
        defer { core.tell(.itemChanged(item)) }
        guard let item else { return setStatus(rate == 0 ? .paused : .waitingToPlayAtSpecifiedRate, .noItemToPlay) }
        do throws(SystemCallError) {
            current = try open(item)
            if rate != 0 { setStatus(.waitingToPlayAtSpecifiedRate, .evaluatingBufferingRate) }
        } catch {
            current = nil
            item.release()
            fail(item, PlaybackError(.resources, "cannot start a thread: \(error)"))
        }
    }

    /// Begins to open an item.
    func open(_ item: PlayerItem) throws(SystemCallError) -> Current {
        var configuration = MediaSource.Configuration()
        configuration.policy = core.configuration.openPolicy
        configuration.tracks = choice(for: item)
        configuration.readsOtherTracks = sound != nil
        item.configureSubtitles(&configuration)
        configuration.givesSound = sound != nil
        configuration.soundTap = core.configuration.soundTap
        configuration.decoderThreads = core.configuration.decoderThreads
        configuration.deinterlacing = deinterlacing
        configuration.takesChecksums = core.configuration.frameTap != nil
        let source = try MediaSource(
            location: item.location, configuration: configuration, pool: core.pool, arrival: core.wake,
            soundArrival: sound?.arrival ?? core.wake)
        try source.start()
        var opened = Current(item: item, source: source)
        item.selection.withLock { $0.changed = { [weak core] in core?.post(.tracksChanged) } }
        item.state.withLock { state in
            state.source = source
            state.log.itemOpened(at: MonotonicTime.now)
            if let start = state.start, start > 0 {
                opened.seek = PlayerCore.SeekCommand(time: start, precision: .exact) { _ in }
            }
        }
        return opened
    }

    func endItem(completing: Bool) {
        guard let old = current.take() else { return }
        flushSound()
        old.seek?.completion(completing)
        old.queuedSeek?.completion(false)
        prepared = nil
        stepsAhead = 0
        core.currentLayer?.router.clear()
        endTracks(of: old)
        old.source.close()
        letGo(old)
    }

    /// An item's books are closed, and it may go to another player.
    func letGo(_ old: Current) {
        closeLog(old)
        let outputs = old.item.state.withLock { state in
            if state.source === old.source { state.source = nil }
            return state.outputs
        }
        for output in outputs { output.flush() }
        old.item.release()
    }

    /// What is unheard goes; what was to follow it is opened anew.
    func flushSound() {
        sound?.flush()
        if next?.isJoined == true { dropNext() }
    }

    private func rateChanged(_ rate: Float) {
        defer { core.tell(.rateChanged(rate)) }
        stepsAhead = 0
        guard var c = current else {
            return setStatus(rate == 0 ? .paused : .waitingToPlayAtSpecifiedRate, rate == 0 ? nil : .noItemToPlay)
        }
        if rate == 0 {
            if c.phase == .playing {
                sound?.pause()
                clock.stop(at: MonotonicTime.now)
                c.phase = .ready
            }
            current = c
            return setStatus(.paused, nil)
        }
        if c.phase == .playing {
            guard clock.rate != Double(rate) else { return }
            clock.changeRate(Double(rate), at: MonotonicTime.now)
            current = c
            // The sound in the ring was made for the old speed.
            if c.hasSound, !c.soundHasEnded, c.info?.isSeekable == true { begin(PlayerCore.SeekCommand(time: clock.time(at: MonotonicTime.now), precision: .exact) { _ in }) }
            return setStatus(.playing, nil)
        }
        if c.needsResync {
            c.needsResync = false
            current = c
            begin(PlayerCore.SeekCommand(time: c.lastFrame?.presentationTime ?? 0, precision: .exact) { _ in })
        }
        setStatus(.waitingToPlayAtSpecifiedRate, .evaluatingBufferingRate)
    }

    private func redraw() {
        core.currentLayer?.setReadyForDisplay(current?.lastFrame != nil)
    }

    // MARK: reports

    private func handleSourceEvents() {
        while let event = current?.source.events.popIfAny() {
            guard var c = current else { return }
            switch event {
            case .opened(let info):
                c.info = info
                c.phase = .priming
                c.videoHasEnded = info.video == nil
                c.hasSound = info.audio != nil && sound != nil && !soundIsUnavailable
                c.soundIsUnheard = sound == nil && info.audio != nil
                c.soundHasEnded = !c.hasSound && !c.soundIsUnheard
                c.item.state.withLock { state in
                    state.info = info
                    state.status = .readyToPlay
                }
                let pending = c.seek.take()
                current = c
                beginTracks(info)
                if let audio = info.audio, c.hasSound {
                    sound?.open(Self.deviceFormat(for: audio))
                } else if !c.soundIsUnheard, sound == nil || soundIsUnavailable || !info.tracks.contains(where: { $0.kind == .audio }) {
                    c.source.setSoundFormat(nil)
                }
                core.currentLayer?.itemChanged()
                for warning in info.warnings { core.tell(.warning(warning)) }
                core.tell(.itemReady(c.item))
                if let (track, error) = c.failedEarly { trackFailed(track, error) }
                if let pending {
                    // Asked for when nobody knew how long the item is.
                    if let end = info.duration, pending.time > end { pending.completion(false) } else { begin(pending) }
                }
            case .failed(let error):
                c.phase = .failed
                current = c
                fail(c.item, PlaybackError(error))
            case .seekFailed(let generation, let error):
                core.tell(.warning("\(error)"))
                logError(c.item, error)
                if generation == c.generation {
                    let seek = c.seek.take()
                    if seek != nil { c.start = nil }
                    current = c
                    seek?.completion(false)
                    _ = beginQueuedSeek()
                }
            case .durationKnown(let length):
                current?.info?.duration = length
                c.item.state.withLock { $0.info?.duration = length }
            case .warning(let error):
                core.tell(.warning("\(error)"))
                logError(c.item, error)
                c.readError = error
                current = c
            case .trackFailed(let track, let error):
                logError(c.item, error)
                trackFailed(track, error)
            }
        }
    }

    /// Nothing more comes of a track. What else plays, plays on; nothing at all is a failure.
    private func trackFailed(_ track: MediaEvent.Track, _ error: MediaError) {
        guard var c = current else { return }
        guard c.info != nil else {
            // The item's facts come later in the queue: then it is known what is left.
            current?.failedEarly = (track, error)
            return
        }
        switch track {
        case .video: c.videoHasEnded = true
        case .audio:
            c.hasSound = false
            c.soundHasEnded = true
        }
        let isHopeless = c.lastFrame == nil && c.soundHasEnded && !c.hasSound && c.videoHasEnded
        if isHopeless { c.phase = .failed }
        let isUnproven = !isHopeless && c.lastFrame == nil && !c.soundIsPrimed
        // Until there is a picture or sound nobody knows whether this is a warning or half of a failure.
        if isUnproven { c.heldWarning = "\(error)" }
        current = c
        if isHopeless { return fail(c.item, PlaybackError(error)) }
        if !isUnproven { core.tell(.warning("\(error)")) }
    }

    private func handle(_ report: SoundPath.Report) {
        switch report {
        case .opened:
            soundIsOpen = true
            guard let format = sound?.format else { return }
            current?.source.setSoundFormat(PCMFormat(
                rate: format.rate, channels: format.channels, speakers: format.speakers.map(\.rawValue)))
            feedSound()
        case .lost(let reason):
            core.tell(.warning("no sound until the device is back: \(reason)"))
            core.snapshot.withLock { $0.soundIsUnavailable = reason }
            calmUntil = MonotonicTime.now + Self.calm
        case .returned:
            core.snapshot.withLock { $0.soundIsUnavailable = nil }
            calmUntil = MonotonicTime.now + Self.calm
        case .unavailable(let reason):
            if !soundIsUnavailable { core.tell(.warning("no sound: \(reason)")) }
            soundIsUnavailable = true
            core.snapshot.withLock { $0.soundIsUnavailable = reason }
            current?.hasSound = false
            current?.soundHasEnded = true
            current?.source.setSoundFormat(nil)
            next?.hasSound = false
            next?.soundHasEnded = true
            next?.isJoined = false
            next?.source.setSoundFormat(nil)
        case .left(let what): core.tell(.warning(what))
        case .primed(let feed):
            guard feed == current?.soundFeed else { return }
            current?.soundIsPrimed = true
            if let warning = current?.heldWarning.take() { core.tell(.warning(warning)) }
        // That it is known now when the next item's turn comes is reason enough to look.
        case .joined: break
        case .ended(let feed):
            if feed == current?.soundFeed {
                current?.soundHasEnded = true
                current?.soundIsPrimed = true
            }
        }
    }

    /// What the device is asked for: the sound's own channels.
    static func deviceFormat(for audio: MediaInfo.Audio) -> AudioFormat {
        let speakers = audio.speakers.compactMap(Speaker.init(rawValue:))
        let isKnown = speakers.count == audio.channels && !speakers.isEmpty
        return AudioFormat(rate: audio.sampleRate, speakers: isKnown ? speakers : Speaker.usual(min(max(audio.channels, 1), 2)) ?? [])
    }

    func fail(_ item: PlayerItem, _ error: PlaybackError) {
        item.state.withLock { state in
            state.status = .failed
            state.error = error
        }
        current?.seek.take()?.completion(false)
        current?.queuedSeek.take()?.completion(false)
        setRequestedRate(0)
        setStatus(.paused, nil)
        core.currentLayer?.itemChanged()
        item.state.withLock { $0.log.failed(uri: item.location, code: error.code.rawValue, error.message) }
        core.tell(.errorLogged(item))
        core.tell(.itemFailed(item, error))
    }

    // MARK: what the outside sees

    func setRequestedRate(_ rate: Float) {
        let changed = core.snapshot.withLock { snapshot in
            defer { snapshot.rate = rate }
            return snapshot.rate != rate
        }
        if changed { core.tell(.rateChanged(rate)) }
    }

    func setStatus(_ status: Player.TimeControlStatus, _ reason: Player.WaitingReason?) {
        let changed = core.snapshot.withLock { snapshot in
            let changed = snapshot.status != status || snapshot.waitingReason != reason
            snapshot.status = status
            snapshot.waitingReason = status == .waitingToPlayAtSpecifiedRate ? reason : nil
            return changed
        }
        guard changed else { return }
        if unseenChange == .none { unseenChange = .rate }
        noteStatus(status)
        core.tell(.statusChanged)
    }

    func publish() {
        statistics.audioUnderruns = sound?.underruns ?? 0
        statistics.presentTimes = PlaybackStatistics.Histogram(presentTimes)
        statistics.decodeTimes = PlaybackStatistics.Histogram(current?.source.decodeTimes ?? TimeHistogram())
        core.snapshot.withLock { snapshot in
            snapshot.clock = clock
            if snapshot.seeksAhead == 0 { snapshot.seekTarget = (current?.queuedSeek ?? current?.seek)?.time }
            snapshot.isAtEnd = current?.hasReportedEnd ?? false
            let handoffs = snapshot.statistics.handoffs
            snapshot.statistics = statistics
            snapshot.statistics.handoffs = handoffs
        }
    }
}
