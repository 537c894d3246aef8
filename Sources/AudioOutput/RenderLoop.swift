import SystemCalls

/// The loop of the render thread: moves samples from the ring buffer through volume and fades to the device, and
/// updates the clock.
///
/// The loop is created and used on the render thread only. After `init` it does not allocate, lock or log. The loop is
/// a noncopyable value, so that access to its parts needs no runtime exclusivity checks.
///
/// The device receives silence when there is nothing to play, so that it never runs empty; ``PositionMap`` excludes
/// that silence from the stream's position. A pause or flush fades out, lets the device play the faded audio, and then
/// stops: nothing is lost, repeated or cut.
struct RenderLoop: ~Copyable {
    /// The state of the device.
    enum Phase: Equatable {
        /// The device is prepared and empty.
        case stopped
        /// The device plays its queue.
        case running
        /// The device is paused and contains only silence.
        case paused
        /// The device failed; the next recovery attempt is at a host time.
        case recovering(PCMFailure, attemptAt: Int64)
        /// The device is lost: no further recovery is attempted.
        case failed
    }

    let device: any PCMDevice
    /// The samples, commands, clock and events that the loop shares with its renderer.
    let sharedState: SharedRenderState
    /// The time limits and fade durations of the loop.
    let tuning: RenderTuning
    /// The requests of the threads that control the renderer: play or pause, flush, volume.
    var request = RenderRequest()
    /// The state of the device.
    var phase = Phase.stopped
    /// The progress of pauses, flushes and the end of the stream.
    var transitions = PlayoutTransitions()
    /// The positions of the stream and the device: rendered, written and heard.
    var position: RenderPosition
    /// Detects a device that stalls or runs at a wrong speed, and counts failures.
    var health: DeviceHealth
    /// Applies volume and fades, and keeps the rendered frames that wait for room in the device.
    var chain: RenderChain
    /// The host time at which audio stops after ``RenderControl/isClosing`` was set, even if the fade is incomplete;
    /// nil before that.
    private var closeDeadline: Int64?

    init(device: any PCMDevice, sharedState: SharedRenderState, tuning: RenderTuning, session: SharedGainPage? = nil) {
        self.device = device
        self.sharedState = sharedState
        self.tuning = tuning
        let format = device.format
        position = RenderPosition(rate: format.rate)
        health = DeviceHealth(.init(rate: format.rate, periodFrames: device.periodFrames), tuning)
        chain = RenderChain(
            format: format, capacity: device.periodFrames, fade: tuning.fadeDuration, session: session,
            now: MonotonicTime.now)
    }

    var format: AudioFormat { chain.format }

    /// The number of frames in the device's queue below which silence is added.
    var silenceThreshold: Int { min(device.periodFrames * 3, device.bufferFrames / 2) }
    /// The number of frames that the ring buffer must contain before playback starts, or continues after an underrun.
    var startThreshold: Int { min(silenceThreshold + device.periodFrames, device.bufferFrames) }
    /// The number of already rendered frames that the ring buffer keeps, so that they can be played again after a
    /// device failure: the device's buffer and 250 ms of latency.
    static func retainedFrames(_ device: any PCMDevice) -> Int { device.bufferFrames + device.format.rate / 4 }

    /// Runs the loop until ``RenderControl/isClosing``, then closes the device. Audio first fades out, and the fade is
    /// heard to its end.
    mutating func run() {
        while true {
            publishHangDeadline(returnBy: MonotonicTime.now)
            // Drain the wake event before reading `isClosing`. In the opposite order, a request to close that arrives
            // in between would lose its wake-up.
            takeCommands()
            if sharedState.control.isClosing.load(ordering: .acquiring), !isStillAudible() { break }
            do throws(PCMFailure) {
                switch phase {
                case .running: try runIteration()
                case .stopped, .paused: try handleIdleDevice()
                case .recovering(let failure, let attemptAt): try recover(from: failure, at: attemptAt)
                case .failed:
                    if request.isFlushPending { flushStopped() }
                    try sleep(until: nil)
                }
            } catch {
                handle(error)
            }
        }
        device.close()
    }

    /// Returns whether the device still plays and ``RenderTuning/closeFadeLimit`` has not passed since the first call.
    private mutating func isStillAudible() -> Bool {
        guard phase == .running else { return false }
        let now = MonotonicTime.now
        let deadline = closeDeadline ?? now + tuning.closeFadeLimit
        closeDeadline = deadline
        return now < deadline
    }

    /// Publishes the time by which the next operation of the device must have returned, so that other threads can
    /// detect a hang. `time` is the expected time of the return; nil if the operation waits without a deadline.
    private func publishHangDeadline(returnBy time: Int64?) {
        sharedState.control.hangDeadline.store(time.map { $0 + tuning.hangTimeout } ?? .max, ordering: .relaxed)
    }

    /// Reads the newest commands of the controlling threads and applies a changed volume.
    private mutating func takeCommands() {
        sharedState.control.wakeEvent.drain()
        if let (gain, ramp) = request.apply(sharedState.control.commands) {
            chain.setGain(gain, ramp: ramp, hasPlayed: position.writtenFrames > 0)
        }
    }

    /// Waits for a command of another thread, at most until `deadline`.
    func sleep(until deadline: Int64?) throws(PCMFailure) {
        publishHangDeadline(returnBy: deadline)
        try device.wait(forSpace: false, wake: sharedState.control.wakeEvent, until: deadline)
    }

    /// The number of frames in the ring buffer that are not rendered yet.
    var framesInRing: Int { sharedState.ring.writeIndex - position.cursor }
    /// Whether the whole stream is rendered: its end is known, and no frame before the end is left.
    var isAtEnd: Bool { sharedState.control.endIndex.load(ordering: .acquiring) == position.cursor }
    /// Whether the ring buffer contains enough frames to start playback: ``startThreshold`` frames, or the rest of the
    /// stream.
    var isReadyToStart: Bool {
        let frames = framesInRing
        return frames >= startThreshold || frames > 0 && sharedState.control.endIndex.load(ordering: .acquiring) >= 0
    }

    /// Handles a stopped or paused device: performs requests at once, starts the device if playback is requested,
    /// otherwise waits.
    private mutating func handleIdleDevice() throws(PCMFailure) {
        if request.isFlushPending { flushStopped() }
        guard request.isPlaying else { return try sleep(until: nil) }
        if isAtEnd, framesInRing == 0, !transitions.isDrainReported { reportDrained() }
        sharedState.control.reportStarvation()
        defer { sharedState.control.clearStarvation() }
        if isReadyToStart { return try startDevice() }
        try sleep(until: nil)
    }

    /// Fills and starts the device, or continues a paused device, with a fade-in.
    private mutating func startDevice() throws(PCMFailure) {
        let isPaused = phase == .paused
        transitions.restart()
        chain.prepareForDeviceStart(isQueueEmpty: !isPaused, now: MonotonicTime.now)
        position.discardClock()
        if isPaused {
            try device.setPaused(false)
        } else {
            _ = try fillDevice(space: device.bufferFrames)
            try device.start()
        }
        phase = .running
        health.recordStart(now: MonotonicTime.now)
    }

    /// Performs one iteration of the loop while the device runs.
    private mutating func runIteration() throws(PCMFailure) {
        let timing = try device.timing()
        try observe(timing)
        advanceClock(timing)
        try applyRequest(timing)
        guard phase == .running else { return }
        let freeFrames = try fillDevice(space: timing.available)
        releasePlayedFrames()
        publishPosition()
        try waitForWork(freeFrames: freeFrames)
    }

    /// Waits for room in the device, for new samples or for a command.
    private func waitForWork(freeFrames: Int) throws(PCMFailure) {
        let now = MonotonicTime.now, hasStagedFrames = chain.stagedBlock.framesLeft > 0
        if hasStagedFrames || transitions.source != .silence && !transitions.isStalled && framesInRing > 0 {
            if freeFrames >= device.periodFrames, !hasStagedFrames { return }
            let deadline = now + min(tuning.stallTimeout / 4, 100_000_000)
            publishHangDeadline(returnBy: deadline)
            return try device.wait(forSpace: true, wake: sharedState.control.wakeEvent, until: deadline)
        }
        sharedState.control.reportStarvation()
        defer { sharedState.control.clearStarvation() }
        if transitions.source == .stream, transitions.isStalled ? isReadyToStart : framesInRing > 0 { return }
        try sleep(until: now + format.nanoseconds(of: device.periodFrames))
    }
}
