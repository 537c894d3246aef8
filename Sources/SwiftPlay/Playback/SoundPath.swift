import AudioOutput
import MediaPipeline
import SystemCalls

/// Plays an item's audio: opens the device, aligns decoded blocks with the item's time, and reports which media time is
/// audible.
///
/// The thread "sound" takes decoded blocks and fills the renderer's ring. All other methods may be called from any
/// thread.
final class SoundPath: Sendable {
    enum Report: Sendable {
        /// The device is open. If `isSilent`, a null device plays until the real one can be opened.
        case opened(isSilent: Bool)
        /// Why the device cannot be opened; reported once per reason.
        case silent(String)
        case unavailable(String)
        /// A feed has enough audio to start.
        case primed(feed: UInt32)
        /// A feed continues the previous one in the device's stream.
        case joined(feed: UInt32)
        /// The device has played a feed to its end, and no feed follows.
        case ended(feed: UInt32)
        /// The device was lost, and a null device continues at the same pace. `isNews`: the device had worked before.
        case lost(String, isNews: Bool)
        /// The lost device plays again.
        case returned
        /// Attempts to reopen the device have stopped until there is a new reason.
        case givenUp
        /// Playback has moved to the requested device.
        case moved(device: String)
        /// The requested device cannot be used, for this reason; playback stays on the current device.
        case stayed(String)
        /// A thread or device could not be released, for this reason.
        case left(String)
    }

    let channels: ChannelChoice
    /// The gain that the audio session's arbitration allows.
    let session: SessionGain?
    let state: Monitor<State>
    let wake: EventDescriptor
    let arrival: EventDescriptor
    let report: @Sendable (Report) -> Void
    private let thread = Monitor<NamedThread?>(nil)

    /// The amount of audio that must be ready before playback starts. It fills the device's buffer at once.
    static let primingNanoseconds: Int64 = 60_000_000
    /// The duration of a change of the volume, nanoseconds.
    private static let volumeRamp: Int64 = 20_000_000

    let tap: (@Sendable (ArraySlice<Float>) -> Void)?

    init(
        backend: AudioBackend, channels: ChannelChoice = .automaticSafe, session: SessionGain? = nil,
        tap: (@Sendable (ArraySlice<Float>) -> Void)? = nil, report: @escaping @Sendable (Report) -> Void
    ) throws(SystemCallError) {
        state = Monitor(State(device: Device(backend: backend)))
        self.channels = channels
        self.session = session
        self.tap = tap
        self.report = report
        wake = try EventDescriptor()
        arrival = try EventDescriptor()
    }

    /// Opens the device for a format in the background; reports `.opened` or `.unavailable`.
    ///
    /// - Parameter period: The preferred length of a device period, nanoseconds; nil for the default.
    func open(_ format: AudioFormat, period: Int64? = nil) {
        state.withLock { ($0.requests.opening, $0.requests.period) = (format, period) }
        start()
        wake.signal()
    }

    /// Starts the thread on first use.
    private func start() {
        thread.withLock { thread in
            guard thread == nil else { return }
            thread = try? NamedThread("sound") { [self] in run() }
            if thread == nil { report(.unavailable("cannot start a thread")) }
        }
    }

    /// Switches to another ALSA device in the background. The current device plays until the new one is open. Reports
    /// `.moved` or `.stayed`.
    func use(_ device: String) {
        state.withLock { $0.requests.device = device }
        wake.signal()
    }

    var format: AudioFormat? { state.withLock { $0.device.renderer?.format } }
    /// The properties of the current device, also while a null device replaces it.
    var device: AudioSession.Device? {
        state.withLock { $0.device.renderer }.map { renderer in
            let rate = Double(renderer.format.rate)
            return AudioSession.Device(
                sampleRate: rate, channels: renderer.format.channels, period: Double(renderer.periodFrames) / rate,
                latency: Double(renderer.extraDelay) / rate)
        }
    }
    var figures: PlaybackStatistics.Audio { state.withLock { $0.device.allFigures } }

    /// Stops feeding and discards all audio that is not audible yet. Positions restart at 0.
    func flush() {
        let renderer = state.update { state in
            state.timeline.flush()
            state.heard.clear()
            state.requests.isPlaying = false
            return state.device.renderer
        }
        renderer?.pause()
        renderer?.requestFlush()
    }

    /// Starts to write the audio of `source` from `start` to `end` or the source's end, media nanoseconds. A source
    /// that has been fed since the last flush continues.
    ///
    /// - Parameter startsAt: Host time at which `start` is to be audible. Silence precedes it; samples that are too
    ///   late are skipped.
    /// - Returns: The feed's number, which reports carry.
    func feed(
        from source: any MediaSource, generation: UInt32, start: Int64?, end: Int64?, speed: Double, keepsPitch: Bool,
        startsAt: Int64? = nil
    ) -> UInt32 {
        let number = state.update {
            $0.timeline.begin(
                Feed(
                    number: 0, source: source, generation: generation, start: start, speed: speed, end: end,
                    startsAt: startsAt, keepsPitch: keepsPitch))
        }
        wake.signal()
        return number
    }

    /// Appends `source` to the current feed without a gap.
    ///
    /// - Parameter pictureEnd: Media time of the current feed up to which silence is inserted if its audio ends before
    ///   its video.
    /// - Returns: The feed's number, which reports carry; nil if the current feed has been played to its end.
    ///   too late.
    func follow(
        with source: any MediaSource, generation: UInt32, start: Int64?, end: Int64?, keepsPitch: Bool,
        after pictureEnd: Int64?
    ) -> UInt32? {
        let number = state.update {
            // The speed of the current feed applies.
            $0.timeline.follow(
                with: Feed(
                    number: 0, source: source, generation: generation, start: start, speed: 1, end: end,
                    keepsPitch: keepsPitch),
                after: pictureEnd)
        }
        if number != nil { wake.signal() }
        return number
    }

    /// Removes the next feed.
    ///
    /// - Returns: false if samples of it have already been written.
    func unfollow(_ number: UInt32) -> Bool { state.update { $0.timeline.unfollow(number) } }

    /// Moves the end of the current or next feed.
    func setEnd(_ end: Int64?, of number: UInt32) {
        state.update { $0.timeline.setEnd(end, of: number) }
        wake.signal()
    }

    /// Continues a feed with another track of the same source. Samples of the old track that are already written stay
    /// audible.
    ///
    /// - Returns: false if the feed is not the current one or has ended.
    func goOn(_ number: UInt32, generation: UInt32) -> Bool {
        let isFed = state.update { $0.timeline.change(number, to: generation) }
        if isFed { wake.signal() }
        return isFed
    }

    func play() {
        setPlaying(true)?.start()
        tryAgain()
    }

    /// Retries a lost device: the user starts playback, or a device was plugged in.
    func tryAgain() {
        state.withLock { $0.requests.hasReason = true }
        wake.signal()
    }

    func pause() { setPlaying(false)?.pause() }

    private func setPlaying(_ isPlaying: Bool) -> AudioRenderer? {
        state.withLock { state in
            state.requests.isPlaying = isPlaying
            return state.device.renderer
        }
    }

    func setVolume(_ volume: Float, muted: Bool) {
        let renderer = state.update { state in
            (state.requests.volume, state.requests.isMuted) = (volume, muted)
            return state.device.renderer
        }
        renderer?.setVolume(volume, muted: muted, ramp: Self.volumeRamp)
    }

    /// Returns the media time of a feed that is audible, and its host time; nil until the device plays. Before the feed
    /// starts, the media time lies before its first sample.
    func heard(_ number: UInt32) -> (media: Int64, host: Int64)? {
        state.withLock { state in
            guard let renderer = state.device.renderer, let reading = renderer.reading, reading.isRunning,
                let media = state.timeline.media(of: number, at: reading.position, rate: renderer.format.rate)
            else { return nil }
            state.heard.note(.init(feed: number, media: media, host: reading.hostTime))
            return (media, reading.hostTime)
        }
    }

    /// Returns the host time, past or future, at which a feed's first sample is audible; nil while it is unknown.
    func turn(of number: UInt32) -> Int64? {
        state.withLock { state in
            guard let first = state.timeline.firstFrame(of: number), let renderer = state.device.renderer,
                let reading = renderer.reading, reading.isRunning
            else { return nil }
            return reading.hostTime + Int64(Double(first - reading.position) * 1e9 / Double(renderer.format.rate))
        }
    }

    /// Whether the device has failed or stalled and has not played since.
    var isFaltering: Bool { state.withLock { $0.device.renderer?.isFaltering ?? false } }

    /// Returns the media time up to which a feed was audible on a device that is now lost or stalled; nil while a
    /// device plays.
    func heardUntil(_ number: UInt32) -> Int64? {
        state.withLock { $0.heard.until(number, isFaltering: $0.device.renderer?.isFaltering == true) }
    }

    /// Whether the device has stopped because it had no samples for some time.
    var isStarved: Bool {
        state.withLock { state in
            guard let reading = state.device.renderer?.reading else { return false }
            return state.timeline.isPrimed && !reading.isRunning
        }
    }

    /// Closes the device and ends the thread.
    ///
    /// - Returns: false if the device's thread could not be joined and was abandoned (``leftBehind``).
    @discardableResult
    func close() -> Bool {
        let renderer = state.update { state in
            state.requests.isClosed = true
            state.timeline.close()
            return state.device.renderer.take()
        }
        renderer?.beginClosing()
        wake.signal()
        // The thread never blocks in a call of the device.
        thread.withLock { $0.take() }?.join()
        return renderer?.close() ?? true
    }

    static let leftBehind = "the sound server does not respond: its thread and device were not released"
}
