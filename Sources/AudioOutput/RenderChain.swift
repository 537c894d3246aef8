/// The processing of samples between ring buffer and device: volume, fades, the session's gain, and silence without
/// clicks. Render thread only; does not allocate after `init`.
struct RenderChain {
    let format: AudioFormat
    /// The frames that were rendered and wait for room in the device.
    let stagedBlock: StagedBlock
    /// Fades the last played frame out, so that silence starts without a click.
    private let declicker: Declicker
    /// The fade that is applied at starts, pauses and flushes.
    private var envelope: FadeEnvelope
    /// The volume of the renderer, with its ramp.
    private var gain = GainRamp()
    /// Applies the gain that other programs' audio imposes on the audio session (interruption, ducking), as the last
    /// step; nil if the session has no ``SharedGainPage``.
    private var sessionEnvelope: SessionEnvelope?

    /// Creates a chain.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of frames that are rendered at a time.
    ///   - fade: The duration of fades in nanoseconds.
    init(format: AudioFormat, capacity: Int, fade: Int64, session: SharedGainPage?, now: Int64) {
        self.format = format
        stagedBlock = StagedBlock(channels: format.channels, capacity: capacity)
        declicker = Declicker(format: format)
        envelope = FadeEnvelope(length: format.frames(in: fade))
        self.sessionEnvelope = session.map { SessionEnvelope($0, format: format, now: now) }
    }

    // MARK: Fades and volume

    /// The number of frames until the fade-out is complete.
    var fadeFramesLeft: Int { envelope.framesLeft }
    /// Whether the fade-out is complete.
    var isFadedOut: Bool { envelope.isFadeOutComplete }

    /// Starts to fade out, or reverses a fade-in.
    mutating func fadeOut() { envelope.isFadingIn = false }
    /// Starts to fade in, or reverses a fade-out.
    mutating func fadeIn() { envelope.isFadingIn = true }

    /// Starts to fade in from silence.
    mutating func fadeInFromSilence() {
        envelope.reset()
        envelope.isFadingIn = true
    }

    /// Prepares the volume, fades and session gain for a start of the device, so that audio fades in.
    ///
    /// - Parameter isQueueEmpty: Whether the device's queue is empty. The declicker then starts from silence, too.
    mutating func prepareForDeviceStart(isQueueEmpty: Bool, now: Int64) {
        fadeInFromSilence()
        sessionEnvelope?.restart(now: now)
        if isQueueEmpty { declicker.reset() }
    }

    /// Changes the volume.
    ///
    /// - Parameter hasPlayed: Whether frames were already written to the device; otherwise the volume changes without a
    ///   ramp.
    mutating func setGain(_ target: Float, ramp: Int64, hasPlayed: Bool) {
        if hasPlayed {
            gain.setTarget(Double(target), frames: format.frames(in: max(ramp, GainRamp.shortestNanoseconds)))
        } else {
            gain = GainRamp(Double(target))
        }
    }

    // MARK: The audio session's gain

    /// Returns whether the audio session is fading out because another program interrupts it.
    func isInterruptionFading(now: Int64) -> Bool { sessionEnvelope?.isClosing(now: now) == true }

    /// Silences rendered frames that wait for the device if the audio session was interrupted after they were rendered.
    /// This happens if the process was suspended in between.
    func muteStagedIfInterrupted(now: Int64) {
        if sessionEnvelope?.mustDiscard(now: now) == true { stagedBlock.silence() }
    }

    // MARK: Rendering

    /// Renders frames of the stream into ``stagedBlock``.
    ///
    /// - Parameters:
    ///   - cursor: The ring index of the first frame.
    ///   - heardAt: The host time at which the first frame is heard.
    mutating func stageStream(from ring: SampleRing, at cursor: Int, frames: Int, now: Int64, heardAt: Int64) {
        let channels = format.channels
        ring.copy(from: cursor, count: frames, into: stagedBlock.samples)
        gain.apply(to: stagedBlock.samples, frames: frames, channels: channels)
        envelope.apply(to: stagedBlock.samples, frames: frames, channels: channels)
        sessionEnvelope?.apply(to: stagedBlock.samples, frames: frames, channels: channels, now: now, heardAt: heardAt)
        declicker.storeLastFrame(stagedBlock.samples, frames: frames)
        stagedBlock.fill(frames: frames, ringIndex: cursor)
    }

    /// Renders silence, which starts with the decay of the last played frame.
    func stageSilence(_ frames: Int) {
        declicker.fill(stagedBlock.samples, frames: frames)
        stagedBlock.fill(frames: frames, ringIndex: nil)
    }
}
