import SystemCalls

/// The render thread's work: samples from the ring, through gain and fades, into the device; and the clock that comes of it.
///
/// Belongs to one thread, is made there and never leaves it. After `init` nothing here allocates, locks or logs.
///
/// The device is kept fed with silence where there is nothing to play, so that it never runs dry; ``PositionMap`` keeps
/// that silence out of the stream's position. A pause or flush fades out what comes next, lets the device play up to there,
/// and only then stops: nothing is lost, repeated or cut.
package final class RenderLoop {
    enum Phase: Equatable {
        /// The device is prepared and empty.
        case stopped
        case running
        /// The device is paused, with nothing but silence in it.
        case paused
        case recovering(PCMFailure)
        case failed
    }

    enum Source { case stream, fadingOut, silent }

    // The parts. `device` and what follows are shared with the owner, each by its own rules; the rest is this thread's.
    let device: any PCMDevice
    let ring: SampleRing
    let control: RenderControl
    let clock: AudioClock
    let events: RenderEvents
    let spaceAvailable: EventDescriptor
    let tuning: RenderTuning
    let format: AudioFormat
    let map = PositionMap()
    let staged: StagedBlock
    let declicker: Declicker
    var envelope: FadeEnvelope
    var gain = GainRamp()
    /// What is left of the sound by the rules between programs: the last step.
    var session: SessionEnvelope?
    var gainWord = RenderControl.unityGain
    var smoother: ClockSmoother

    // What is wanted.
    var isPlaying = false
    var flushesSeen = 0
    var isFlushPending = false

    // Where things stand.
    var phase = Phase.stopped
    var source = Source.stream
    /// Next ring index to render.
    var cursor = 0
    /// Ring index that is position 0 since the last flush, and the number of that flush.
    var base = 0, flush = 0
    /// Device frames: handed over, and heard by now.
    var written = 0, heard = 0
    /// Whether the producer is late, and silence is played.
    var isStalled = false
    var isDrainReported = false
    /// Device frames at which something is over once they are heard.
    var pauseAt: Int?, drainAt: Int?, flushedAt: Int?

    // Health.
    var attempts = 0
    var nextAttempt: Int64 = 0
    var needsProof = false, lastFailureWasUnderrun = false
    var consumedAtStart = 0, consumed = 0
    var lastProgress: Int64 = 0
    /// It runs and has taken nothing for some time: what it says of the time is not to be followed.
    var standsStill = false
    var pace = PaceWatch()
    /// It is being closed, and waits until then at most.
    private var closesAt: Int64?

    package init(
        device: any PCMDevice, ring: SampleRing, control: RenderControl, clock: AudioClock, events: RenderEvents,
        spaceAvailable: EventDescriptor, tuning: RenderTuning, session: SessionGain? = nil
    ) {
        self.device = device
        self.ring = ring
        self.control = control
        self.clock = clock
        self.events = events
        self.spaceAvailable = spaceAvailable
        self.tuning = tuning
        format = device.format
        staged = StagedBlock(channels: format.channels, capacity: device.periodFrames)
        declicker = Declicker(format: format)
        self.session = session.map { SessionEnvelope($0, format: device.format, now: MonotonicTime.now) }
        envelope = FadeEnvelope(length: format.frames(in: tuning.fade))
        smoother = ClockSmoother(rate: format.rate)
    }

    /// Below this many queued frames, silence is put in.
    var lowMark: Int { min(device.periodFrames * 3, device.bufferFrames / 2) }
    /// So many frames must be there for the sound to begin, or to go on after the producer was late.
    var beginMark: Int { min(lowMark + device.periodFrames, device.bufferFrames) }
    /// Frames behind the cursor that the ring keeps for playing them again: the device's buffer and 250 ms of latency behind it.
    static func retained(_ device: any PCMDevice) -> Int { device.bufferFrames + device.format.rate / 4 }

    /// Runs until ``RenderControl/isClosing``, and gives the device back. What sounds fades out first, and is heard to its end.
    package func run() {
        while !control.isClosing.load(ordering: .acquiring) || isSounding {
            expectReturn(by: MonotonicTime.now)
            takeCommands()
            if control.isClosing.load(ordering: .acquiring) { isPlaying = false }
            do throws(PCMFailure) {
                switch phase {
                case .running: try play()
                case .stopped, .paused: try rest()
                case .recovering(let failure): try recover(from: failure)
                case .failed:
                    if isFlushPending { flushAtRest() }
                    try sleep(until: nil)
                }
            } catch {
                handle(error)
            }
        }
        device.close()
    }

    /// Something is heard still, and it is worth waiting for.
    private var isSounding: Bool {
        guard phase == .running else { return false }
        let now = MonotonicTime.now
        closesAt = closesAt ?? now + tuning.lastSound
        return now < closesAt ?? 0
    }

    /// Says until when the thread is in the device's hands at the latest, so that others see when it hangs there.
    private func expectReturn(by time: Int64?) {
        control.due.store(time.map { $0 + tuning.hangLimit } ?? .max, ordering: .relaxed)
    }

    private func takeCommands() {
        control.wake.drain()
        isPlaying = control.isPlaying.load(ordering: .acquiring)
        let word = control.gainWord
        if word != gainWord {
            gainWord = word
            let (target, ramp) = RenderControl.gain(of: word)
            if written == 0 {
                // Nothing sounded yet: nothing to ramp from.
                gain = GainRamp(Double(target))
            } else {
                gain.retarget(Double(target), frames: format.frames(in: max(ramp, GainRamp.shortestNanoseconds)))
            }
        }
        let wanted = control.flushesWanted.load(ordering: .acquiring)
        if wanted != flushesSeen {
            flushesSeen = wanted
            isFlushPending = true
        }
    }

    /// Waits for a command.
    func sleep(until deadline: Int64?) throws(PCMFailure) {
        expectReturn(by: deadline)
        try device.wait(forSpace: false, wake: control.wake, until: deadline)
    }

    /// Frames in the ring that are not rendered yet.
    var framesInRing: Int { ring.writeIndex - cursor }
    /// Whether all of the stream is rendered.
    var isAtEnd: Bool { control.endIndex.load(ordering: .acquiring) == cursor }
    /// Whether there is enough to begin with.
    var isReady: Bool {
        let frames = framesInRing
        return frames >= beginMark || frames > 0 && control.endIndex.load(ordering: .acquiring) >= 0
    }

    /// Nothing sounds: does what can be done at once, begins if that is wanted, else waits.
    private func rest() throws(PCMFailure) {
        if isFlushPending { flushAtRest() }
        guard isPlaying else { return try sleep(until: nil) }
        if isAtEnd, framesInRing == 0, !isDrainReported { reportDrained() }
        control.starved()
        defer { control.fed() }
        if isReady { return try begin() }
        try sleep(until: nil)
    }

    private func begin() throws(PCMFailure) {
        source = .stream
        envelope.reset()
        envelope.isOpening = true
        session?.begin(now: MonotonicTime.now)
        isStalled = false
        smoother.reset()
        if phase == .paused {
            try device.setPaused(false)
        } else {
            declicker.reset()
            _ = try fill(space: device.bufferFrames)
            try device.start()
        }
        phase = .running
        lastProgress = MonotonicTime.now
        consumed = Int.min
        standsStill = false
        pace.reset()
    }

    /// One turn while the device runs.
    private func play() throws(PCMFailure) {
        let timing = try device.timing()
        try watch(timing)
        advanceClock(timing)
        try obey(timing)
        guard phase == .running else { return }
        let room = try fill(space: timing.available)
        releaseHeard()
        publish()
        try waitForWork(room: room)
    }

    private func waitForWork(room: Int) throws(PCMFailure) {
        let now = MonotonicTime.now
        if staged.framesLeft > 0 || source != .silent && !isStalled && framesInRing > 0 {
            if room >= device.periodFrames, staged.framesLeft == 0 { return }
            let deadline = now + min(tuning.stallLimit / 4, 100_000_000)
            expectReturn(by: deadline)
            return try device.wait(forSpace: true, wake: control.wake, until: deadline)
        }
        control.starved()
        defer { control.fed() }
        if source == .stream, isStalled ? isReady : framesInRing > 0 { return }
        try sleep(until: now + format.nanoseconds(of: device.periodFrames))
    }
}
