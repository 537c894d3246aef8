/// What the render thread does to samples on their way from the ring to the device: volume, fades, what the rules
/// between programs leave of them, and silence without clicks. Render thread only; allocates nothing after `init`.
struct RenderChain {
    let format: AudioFormat
    /// Rendered frames that wait for room in the device.
    let staged: StagedBlock
    private let declicker: Declicker
    /// The fades at starts, pauses and flushes.
    private var envelope: FadeEnvelope
    private var gain = GainRamp()
    /// What is left of the sound by the rules between programs: the last step.
    private var session: SessionEnvelope?

    /// - Parameters:
    ///   - capacity: how many frames are rendered at a time at most.
    ///   - fade: the length of fades, nanoseconds.
    init(format: AudioFormat, capacity: Int, fade: Int64, session: SessionGain?, now: Int64) {
        self.format = format
        staged = StagedBlock(channels: format.channels, capacity: capacity)
        declicker = Declicker(format: format)
        envelope = FadeEnvelope(length: format.frames(in: fade))
        self.session = session.map { SessionEnvelope($0, format: format, now: now) }
    }

    // MARK: fades and volume

    /// Frames until the fade out is complete.
    var fadeFramesLeft: Int { envelope.framesLeft }
    /// The fade out is complete.
    var isFadedOut: Bool { envelope.isClosed }

    mutating func fadeOut() { envelope.isOpening = false }
    mutating func fadeIn() { envelope.isOpening = true }

    /// Fades in from silence.
    mutating func reopen() {
        envelope.reset()
        envelope.isOpening = true
    }

    /// A device starts: `isEmpty` where nothing is left in it of what was played before.
    mutating func deviceStarts(isEmpty: Bool, now: Int64) {
        reopen()
        session?.begin(now: now)
        if isEmpty { declicker.reset() }
    }

    /// Changes the volume.
    ///
    /// - Parameter hasSounded: false where nothing was played yet, so that there is nothing to ramp from.
    mutating func setGain(_ target: Float, ramp: Int64, hasSounded: Bool) {
        if hasSounded {
            gain.retarget(Double(target), frames: format.frames(in: max(ramp, GainRamp.shortestNanoseconds)))
        } else {
            gain = GainRamp(Double(target))
        }
    }

    // MARK: the session

    /// The session's gate closes, and its fade is not rendered to its end.
    func isInterruptionFading(now: Int64) -> Bool { session?.isClosing(now: now) == true }

    /// Silences what is staged where the process was frozen since, and its sound taken away.
    func enforceGate(now: Int64) { if session?.forbids(now: now) == true { staged.silence() } }

    // MARK: rendering

    /// Renders frames of the stream.
    ///
    /// - Parameters:
    ///   - cursor: the ring index of the first.
    ///   - heardAt: the host time at which it is heard.
    mutating func stageStream(from ring: SampleRing, at cursor: Int, frames: Int, now: Int64, heardAt: Int64) {
        let channels = format.channels
        ring.copy(from: cursor, count: frames, into: staged.samples)
        gain.apply(to: staged.samples, frames: frames, channels: channels)
        envelope.apply(to: staged.samples, frames: frames, channels: channels)
        session?.apply(to: staged.samples, frames: frames, channels: channels, now: now, heardAt: heardAt)
        declicker.note(staged.samples, frames: frames)
        staged.fill(frames: frames, stream: cursor)
    }

    /// Renders silence, into which the last frame dies away.
    func stageSilence(_ frames: Int) {
        declicker.fill(staged.samples, frames: frames)
        staged.fill(frames: frames, stream: nil)
    }
}
