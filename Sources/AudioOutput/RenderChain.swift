/// The processing of samples between ring and device: volume, fades, the session's gain, and silence without clicks.
/// Render thread only; does not allocate after `init`.
struct RenderChain {
    let format: AudioFormat
    /// The rendered frames that wait for room in the device.
    let staged: StagedBlock
    private let declicker: Declicker
    /// The fade of starts, pauses and flushes.
    private var envelope: FadeEnvelope
    private var gain = GainRamp()
    /// The session's gain, the last step.
    private var session: SessionEnvelope?

    /// Creates a chain.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of frames that are rendered at a time.
    ///   - fade: The duration of fades in nanoseconds.
    init(format: AudioFormat, capacity: Int, fade: Int64, session: SessionGain?, now: Int64) {
        self.format = format
        staged = StagedBlock(channels: format.channels, capacity: capacity)
        declicker = Declicker(format: format)
        envelope = FadeEnvelope(length: format.frames(in: fade))
        self.session = session.map { SessionEnvelope($0, format: format, now: now) }
    }

    // MARK: Fades and volume

    /// The number of frames until the fade-out is complete.
    var fadeFramesLeft: Int { envelope.framesLeft }
    /// Whether the fade-out is complete.
    var isFadedOut: Bool { envelope.isClosed }

    mutating func fadeOut() { envelope.isOpening = false }
    mutating func fadeIn() { envelope.isOpening = true }

    /// Starts to fade in from silence.
    mutating func reopen() {
        envelope.reset()
        envelope.isOpening = true
    }

    /// Prepares for a start of the device; `isEmpty` if its queue is empty.
    mutating func deviceStarts(isEmpty: Bool, now: Int64) {
        reopen()
        session?.begin(now: now)
        if isEmpty { declicker.reset() }
    }

    /// Changes the volume.
    ///
    /// - Parameter hasSounded: Whether something was played already; otherwise the volume changes without a ramp.
    mutating func setGain(_ target: Float, ramp: Int64, hasSounded: Bool) {
        if hasSounded {
            gain.retarget(Double(target), frames: format.frames(in: max(ramp, GainRamp.shortestNanoseconds)))
        } else {
            gain = GainRamp(Double(target))
        }
    }

    // MARK: The session

    /// Whether the session's gate is closing and its fade is not complete.
    func isInterruptionFading(now: Int64) -> Bool { session?.isClosing(now: now) == true }

    /// Silences staged frames if the process was stopped and its gate closed meanwhile.
    func enforceGate(now: Int64) { if session?.forbids(now: now) == true { staged.silence() } }

    // MARK: Rendering

    /// Renders frames of the stream.
    ///
    /// - Parameters:
    ///   - cursor: The ring index of the first frame.
    ///   - heardAt: The host time at which it is heard.
    mutating func stageStream(from ring: SampleRing, at cursor: Int, frames: Int, now: Int64, heardAt: Int64) {
        let channels = format.channels
        ring.copy(from: cursor, count: frames, into: staged.samples)
        gain.apply(to: staged.samples, frames: frames, channels: channels)
        envelope.apply(to: staged.samples, frames: frames, channels: channels)
        session?.apply(to: staged.samples, frames: frames, channels: channels, now: now, heardAt: heardAt)
        declicker.note(staged.samples, frames: frames)
        staged.fill(frames: frames, stream: cursor)
    }

    /// Renders silence, which starts with the decay of the last frame.
    func stageSilence(_ frames: Int) {
        declicker.fill(staged.samples, frames: frames)
        staged.fill(frames: frames, stream: nil)
    }
}
