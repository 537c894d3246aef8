import SystemCalls

/// The render thread's work: samples from the ring, through gain and fades, into the device; and the clock that comes
/// of it.
///
/// Belongs to one thread, is made there and never leaves it. After `init` nothing here allocates, locks or logs. A
/// value that is not copied: its parts are reached without the runtime's checks of exclusive access to classes.
///
/// The device is kept fed with silence where there is nothing to play, so that it never runs dry; ``PositionMap`` keeps
/// that silence out of the stream's position. A pause or flush fades out what comes next, lets the device play up to
/// there, and only then stops: nothing is lost, repeated or cut.
struct RenderLoop: ~Copyable {
    enum Phase: Equatable {
        /// The device is prepared and empty.
        case stopped
        case running
        /// The device is paused, with nothing but silence in it.
        case paused
        /// The device failed; the next attempt to bring it back is due at a host time.
        case recovering(PCMFailure, attemptAt: Int64)
        case failed
    }

    let device: any PCMDevice
    let channel: RenderChannel
    let tuning: RenderTuning
    /// What the owner wants.
    var request = RenderRequest()
    var phase = Phase.stopped
    /// What is rendered, and what is over when.
    var playout = Playout()
    var position: RenderPosition
    var health: DeviceHealth
    var chain: RenderChain
    /// Host time until which what sounds may go on after the renderer was closed.
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

    /// Below this many queued frames, silence is put in.
    var lowMark: Int { min(device.periodFrames * 3, device.bufferFrames / 2) }
    /// So many frames must be there for the sound to begin, or to go on after the producer was late.
    var beginMark: Int { min(lowMark + device.periodFrames, device.bufferFrames) }
    /// Frames behind the cursor that the ring keeps for playing them again: the device's buffer and 250 ms of latency
    /// behind it.
    static func retained(_ device: any PCMDevice) -> Int { device.bufferFrames + device.format.rate / 4 }

    /// Runs until ``RenderControl/isClosing``, and gives the device back. What sounds fades out first, and is heard to
    /// its end.
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

    /// Something is heard still, and it is worth waiting for.
    private mutating func isSounding() -> Bool {
        guard phase == .running else { return false }
        let now = MonotonicTime.now
        let end = closesAt ?? now + tuning.lastSound
        closesAt = end
        return now < end
    }

    /// Says until when the thread is in the device's hands at the latest, so that others see when it hangs there.
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

    /// Frames in the ring that are not rendered yet.
    var framesInRing: Int { channel.ring.writeIndex - position.cursor }
    /// Whether all of the stream is rendered.
    var isAtEnd: Bool { channel.control.endIndex.load(ordering: .acquiring) == position.cursor }
    /// Whether there is enough to begin with.
    var isReady: Bool {
        let frames = framesInRing
        return frames >= beginMark || frames > 0 && channel.control.endIndex.load(ordering: .acquiring) >= 0
    }

    /// Nothing sounds: does what can be done at once, begins if that is wanted, else waits.
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

    /// One turn while the device runs.
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
