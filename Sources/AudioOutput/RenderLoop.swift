import SystemCalls

/// The loop of the render thread: moves samples from the ring through gain and fades to the device, and updates the
/// clock.
///
/// It is created on its thread and never leaves it. After `init` it does not allocate, lock or log. It is a noncopyable
/// value, so that access to its parts needs no runtime exclusivity checks.
///
/// The device receives silence when there is nothing to play, so that it never runs empty; ``PositionMap`` excludes
/// that silence from the stream's position. A pause or flush fades out, lets the device play up to there, and then
/// stops: nothing is lost, repeated or cut.
struct RenderLoop: ~Copyable {
    enum Phase: Equatable {
        /// The device is prepared and empty.
        case stopped
        case running
        /// The device is paused and contains only silence.
        case paused
        /// The device failed; the next recovery attempt is at a host time.
        case recovering(PCMFailure, attemptAt: Int64)
        case failed
    }

    let device: any PCMDevice
    let channel: RenderChannel
    let tuning: RenderTuning
    /// The owner's requests.
    var request = RenderRequest()
    var phase = Phase.stopped
    /// The state of playback.
    var playout = Playout()
    var position: RenderPosition
    var health: DeviceHealth
    var chain: RenderChain
    /// The host time until which audio may continue after the renderer was closed.
    private var closesAt: Int64?

    init(device: any PCMDevice, channel: RenderChannel, tuning: RenderTuning, session: SessionGain? = nil) {
        self.device = device
        self.channel = channel
        self.tuning = tuning
        let format = device.format
        position = RenderPosition(rate: format.rate)
        health = DeviceHealth(.init(rate: format.rate, periodFrames: device.periodFrames), tuning)
        chain = RenderChain(
            format: format, capacity: device.periodFrames, fade: tuning.fade, session: session, now: MonotonicTime.now)
    }

    var format: AudioFormat { chain.format }

    /// The number of queued frames below which silence is inserted.
    var lowMark: Int { min(device.periodFrames * 3, device.bufferFrames / 2) }
    /// The number of frames that must be available for a start, or after an underrun.
    var beginMark: Int { min(lowMark + device.periodFrames, device.bufferFrames) }
    /// The number of rendered frames that the ring keeps for playing them again: the device's buffer and 250 ms of
    /// latency.
    static func retained(_ device: any PCMDevice) -> Int { device.bufferFrames + device.format.rate / 4 }

    /// Runs until ``RenderControl/isClosing``, and releases the device. Audio fades out first and is heard to its end.
    mutating func run() {
        while !channel.control.isClosing.load(ordering: .acquiring) || isSounding() {
            expectReturn(by: MonotonicTime.now)
            takeCommands()
            do throws(PCMFailure) {
                switch phase {
                case .running: try play()
                case .stopped, .paused: try rest()
                case .recovering(let failure, let attemptAt): try recover(from: failure, at: attemptAt)
                case .failed:
                    if request.isFlushPending { flushAtRest() }
                    try sleep(until: nil)
                }
            } catch {
                handle(error)
            }
        }
        device.close()
    }

    /// Whether audio is still audible and worth waiting for.
    private mutating func isSounding() -> Bool {
        guard phase == .running else { return false }
        let now = MonotonicTime.now
        let end = closesAt ?? now + tuning.lastSound
        closesAt = end
        return now < end
    }

    /// Publishes the deadline of a device call, so that other threads can detect a hang.
    private func expectReturn(by time: Int64?) {
        channel.control.due.store(time.map { $0 + tuning.hangLimit } ?? .max, ordering: .relaxed)
    }

    private mutating func takeCommands() {
        channel.control.wake.drain()
        if let (gain, ramp) = request.take(channel.control.commands) {
            chain.setGain(gain, ramp: ramp, hasSounded: position.written > 0)
        }
    }

    /// Waits for a command.
    func sleep(until deadline: Int64?) throws(PCMFailure) {
        expectReturn(by: deadline)
        try device.wait(forSpace: false, wake: channel.control.wake, until: deadline)
    }

    /// The number of frames in the ring that are not rendered yet.
    var framesInRing: Int { channel.ring.writeIndex - position.cursor }
    /// Whether the whole stream is rendered.
    var isAtEnd: Bool { channel.control.endIndex.load(ordering: .acquiring) == position.cursor }
    /// Whether there are enough frames to start.
    var isReady: Bool {
        let frames = framesInRing
        return frames >= beginMark || frames > 0 && channel.control.endIndex.load(ordering: .acquiring) >= 0
    }

    /// Handles silence: performs requests at once, starts if requested, otherwise waits.
    private mutating func rest() throws(PCMFailure) {
        if request.isFlushPending { flushAtRest() }
        guard request.isPlaying else { return try sleep(until: nil) }
        if isAtEnd, framesInRing == 0, !playout.isDrainReported { reportDrained() }
        channel.control.starved()
        defer { channel.control.fed() }
        if isReady { return try begin() }
        try sleep(until: nil)
    }

    private mutating func begin() throws(PCMFailure) {
        let isPaused = phase == .paused
        playout.restart()
        chain.deviceStarts(isEmpty: !isPaused, now: MonotonicTime.now)
        position.deviceStarts()
        if isPaused {
            try device.setPaused(false)
        } else {
            _ = try fill(space: device.bufferFrames)
            try device.start()
        }
        phase = .running
        health.deviceStarts(now: MonotonicTime.now)
    }

    /// Performs a turn while the device runs.
    private mutating func play() throws(PCMFailure) {
        let timing = try device.timing()
        try observe(timing)
        advanceClock(timing)
        try obey(timing)
        guard phase == .running else { return }
        let room = try fill(space: timing.available)
        releaseHeard()
        publish()
        try waitForWork(room: room)
    }

    private func waitForWork(room: Int) throws(PCMFailure) {
        let now = MonotonicTime.now, isWorkLeft = chain.staged.framesLeft > 0
        if isWorkLeft || playout.source != .silence && !playout.isStalled && framesInRing > 0 {
            if room >= device.periodFrames, !isWorkLeft { return }
            let deadline = now + min(tuning.stallLimit / 4, 100_000_000)
            expectReturn(by: deadline)
            return try device.wait(forSpace: true, wake: channel.control.wake, until: deadline)
        }
        channel.control.starved()
        defer { channel.control.fed() }
        if playout.source == .stream, playout.isStalled ? isReady : framesInRing > 0 { return }
        try sleep(until: now + format.nanoseconds(of: device.periodFrames))
    }
}
