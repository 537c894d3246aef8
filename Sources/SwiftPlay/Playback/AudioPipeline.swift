import AudioOutput
import MediaPipeline
import SystemCalls

/// Plays an item's audio: opens the device, aligns decoded blocks with the item's time, and reports which media time is
/// audible.
///
/// The audio thread (its name is "sound") takes decoded blocks and fills the device's ring buffer. All methods that do
/// not state otherwise may be called from any thread.
final class AudioPipeline: Sendable {
    /// A report to the player. `number` identifies an ``ItemAudio``, which is one item's audio from a start time on.
    enum Report: Sendable {
        /// The device is open. If `isNullDevice`, a null device plays until the real one can be opened.
        case deviceOpened(isNullDevice: Bool)
        /// The device cannot be opened, for this reason. Reported once per reason.
        case openFailed(String)
        /// Audio is not possible, for this reason: not even a null device can be opened, or the thread cannot run.
        case unavailable(String)
        /// Enough of an item's audio was written to the device to start playback.
        case audioPrimed(number: UInt32)
        /// The pipeline begins to write the next item's audio after the current item's audio, without a gap.
        case nextAudioBegan(number: UInt32)
        /// The device has played an item's audio to its end, and no other item's audio follows.
        case audioEnded(number: UInt32)
        /// The device was lost, for this reason; a null device consumes the audio at the same rate. `isFirst` is false
        /// if the device has worked only briefly since the previous loss.
        case deviceLost(String, isFirst: Bool)
        /// The lost device plays again.
        case deviceReturned
        /// The attempts to reopen the lost device have ended without success. They begin again when playback starts or
        /// a device is plugged in.
        case recoveryFailed
        /// Playback has moved to the requested device.
        case deviceSwitched(device: String)
        /// The requested device cannot be used, for this reason; playback stays on the current device.
        case switchFailed(String)
        /// A thread or device could not be released, for this reason.
        case deviceNotReleased(String)
    }

    /// The channels with which the device is opened.
    let channelChoice: ChannelChoice
    /// The shared memory in which the compositor sets the gain of this process's audio; nil without an audio session.
    let gainPage: SharedGainPage?
    /// The state that the audio thread shares with the pipeline's callers.
    let state: Monitor<State>
    /// Wakes the audio thread for a request.
    let wakeEvent: EventDescriptor
    /// Wakes the audio thread when the source has decoded a block.
    let decodedBlockEvent: EventDescriptor
    /// Receives the pipeline's reports, on the audio thread or on the thread that called the pipeline.
    let report: @Sendable (Report) -> Void
    /// The audio thread; nil until a device is requested and after ``close()``.
    private let thread = Monitor<NamedThread?>(nil)
    /// The thread of ``prepareDevice()``; nil before its first call and after ``close()``.
    let preparation = Monitor<NamedThread?>(nil)

    /// The duration of audio that must be written to the device before playback starts, in nanoseconds.
    static let primingDuration: Int64 = 60_000_000
    /// The duration of the ramp from one volume to another, in nanoseconds.
    private static let volumeRampDuration: Int64 = 20_000_000

    /// Receives all samples for the device, interleaved, on the audio thread.
    let sampleTap: (@Sendable (ArraySlice<Float>) -> Void)?

    init(
        backend: AudioBackend, channels channelChoice: ChannelChoice = .automaticSafe, gainPage: SharedGainPage? = nil,
        tap: (@Sendable (ArraySlice<Float>) -> Void)? = nil, report: @escaping @Sendable (Report) -> Void
    ) throws(SystemCallError) {
        state = Monitor(State(device: Device(backend: backend)))
        self.channelChoice = channelChoice
        self.gainPage = gainPage
        sampleTap = tap
        self.report = report
        wakeEvent = try EventDescriptor()
        decodedBlockEvent = try EventDescriptor()
    }

    /// Opens the device for a format in the background; reports `.deviceOpened` or `.unavailable`.
    ///
    /// - Parameter period: The preferred length of a device period, in nanoseconds; nil for the default.
    func open(_ format: AudioFormat, period: Int64? = nil) {
        state.withLock { ($0.requests.formatToOpen, $0.requests.preferredPeriod) = (format, period) }
        start()
        wakeEvent.signal()
    }

    /// Starts the audio thread unless it runs.
    private func start() {
        thread.withLock { thread in
            guard thread == nil else { return }
            thread = try? NamedThread("sound") { [self] in run() }
            if thread == nil { report(.unavailable("cannot start a thread")) }
        }
    }

    /// Switches to another ALSA device in the background. The current device plays until the new one is open. Reports
    /// `.deviceSwitched` or `.switchFailed`.
    func switchDevice(to device: String) {
        state.withLock { $0.requests.deviceToSwitchTo = device }
        wakeEvent.signal()
    }

    /// The format of the current device; nil without a device.
    var format: AudioFormat? { state.withLock { $0.device.renderer?.format } }
    /// The properties of the current device or of the null device that replaces it; nil without a device.
    var device: AudioSession.Device? {
        state.withLock { $0.device.renderer }.map { renderer in
            let rate = Double(renderer.format.rate)
            return AudioSession.Device(
                sampleRate: rate, channels: renderer.format.channels, period: Double(renderer.periodFrames) / rate,
                latency: Double(renderer.latencyAfterQueue) / rate)
        }
    }
    /// The numbers of underruns, losses and recoveries of all devices so far.
    var counters: PlaybackStatistics.Audio { state.withLock { $0.device.allCounters } }

    /// Stops writing to the device and discards all audio that is not audible yet. Positions in the device's stream
    /// restart at 0.
    func flush() {
        let renderer = state.update { state in
            state.timeline.flush()
            state.playedPositions.clear()
            state.requests.isPlaying = false
            return state.device.renderer
        }
        renderer?.pause()
        renderer?.requestFlush()
    }

    /// Starts to write the audio of `source` from `start` to `end` or the source's end, in nanoseconds of media time.
    /// If the audio of `source` is being written already, it continues.
    ///
    /// - Parameter startHostTime: The host time at which `start` is to be audible. Silence precedes it; samples that
    ///   are too late are skipped.
    /// - Returns: The number of the ``ItemAudio``, by which reports identify it.
    func beginItemAudio(
        from source: any MediaSource, generation: UInt32, start: Int64?, end: Int64?, speed: Double, keepsPitch: Bool,
        startHostTime: Int64? = nil
    ) -> UInt32 {
        let number = state.update {
            $0.timeline.begin(
                AnyItemAudio(
                    number: 0, source: source, generation: generation, start: start, speed: speed, end: end,
                    startHostTime: startHostTime, keepsPitch: keepsPitch))
        }
        wakeEvent.signal()
        return number
    }

    /// Appends the audio of `source`, the next item, to the current item's audio without a gap.
    ///
    /// - Parameter videoEndTime: The media time of the current item up to which silence is inserted if its audio ends
    ///   before its video.
    /// - Returns: The number of the new ``ItemAudio``, by which reports identify it; nil if no item's audio is being
    ///   written, if it has been played to its end, or if another item's audio already follows it.
    func appendItemAudio(
        with source: any MediaSource, generation: UInt32, start: Int64?, end: Int64?, keepsPitch: Bool,
        after videoEndTime: Int64?
    ) -> UInt32? {
        let number = state.update {
            // `appendNext` replaces this speed of 1 with the speed of the current item's audio.
            $0.timeline.appendNext(
                AnyItemAudio(
                    number: 0, source: source, generation: generation, start: start, speed: 1, end: end,
                    keepsPitch: keepsPitch),
                after: videoEndTime)
        }
        if number != nil { wakeEvent.signal() }
        return number
    }

    /// Removes the next item's audio, which was appended with
    /// ``appendItemAudio(with:generation:start:end:keepsPitch:after:)``.
    ///
    /// - Returns: false if samples of it have already been written.
    func removeAppendedAudio(_ number: UInt32) -> Bool { state.update { $0.timeline.removeNext(number) } }

    /// Sets the media time at which an item's audio ends; nil for its source's end. `number` identifies the
    /// ``ItemAudio``.
    func setEnd(_ end: Int64?, of number: UInt32) {
        state.update { $0.timeline.setEnd(end, of: number) }
        wakeEvent.signal()
    }

    /// Continues an item's audio with another track of the same source. Samples of the old track that are already
    /// written stay audible.
    ///
    /// - Returns: false if this audio is not being written or has ended.
    func continueAudio(_ number: UInt32, generation: UInt32) -> Bool {
        let isBeingWritten = state.update { $0.timeline.setGeneration(of: number, to: generation) }
        if isBeingWritten { wakeEvent.signal() }
        return isBeingWritten
    }

    /// Starts the device, and requests an attempt to open a lost device.
    func play() {
        setPlaying(true)?.start()
        retryLostDevice()
    }

    /// Requests an attempt to open a lost device, because the user starts playback or a device was plugged in.
    func retryLostDevice() {
        state.withLock { $0.requests.hasRetryReason = true }
        wakeEvent.signal()
    }

    /// Pauses the device; its ring buffer keeps the audio.
    func pause() { setPlaying(false)?.pause() }

    /// Records whether audio is to play, and returns the device to start or pause.
    private func setPlaying(_ isPlaying: Bool) -> AudioRenderer? {
        state.withLock { state in
            state.requests.isPlaying = isPlaying
            return state.device.renderer
        }
    }

    /// Sets the gain of the audio, with a short ramp.
    func setVolume(_ volume: Float, muted: Bool) {
        let renderer = state.update { state in
            (state.requests.volume, state.requests.isMuted) = (volume, muted)
            return state.device.renderer
        }
        renderer?.setVolume(volume, muted: muted, ramp: Self.volumeRampDuration)
    }

    /// Sets the time by which audio is delayed, in nanoseconds, for blocks that are written from now on.
    func setDelay(_ delay: Int64) { state.withLock { $0.requests.delay = delay } }

    /// Returns the media time of an item's audio at the device's last position report, and the host time of that
    /// report; nil until the device plays. Before the audio is audible, the media time lies before its first sample.
    func lastPlayedPosition(_ number: UInt32) -> (mediaTime: Int64, hostTime: Int64)? {
        state.withLock { state in
            guard let renderer = state.device.renderer, let reading = renderer.reading, reading.isRunning,
                let mediaTime = state.timeline.mediaTime(of: number, at: reading.position, rate: renderer.format.rate)
            else { return nil }
            state.playedPositions.record(.init(audioNumber: number, mediaTime: mediaTime, hostTime: reading.hostTime))
            return (mediaTime, reading.hostTime)
        }
    }

    /// Returns the host time, past or future, at which the first sample of an item's audio is audible; nil while it is
    /// unknown.
    func startTime(of number: UInt32) -> Int64? {
        state.withLock { state in
            guard let firstFrame = state.timeline.firstFrame(of: number), let renderer = state.device.renderer,
                let reading = renderer.reading, reading.isRunning
            else { return nil }
            return reading.hostTime + Int64(Double(firstFrame - reading.position) * 1e9 / Double(renderer.format.rate))
        }
    }

    /// Whether the device has failed or stalled and has not played since.
    var isUnreliable: Bool { state.withLock { $0.device.renderer?.isUnreliable ?? false } }

    /// Returns the media time up to which an item's audio was audible on a device that is now lost or stalled; nil
    /// while a device plays.
    func lastAudibleTime(_ number: UInt32) -> Int64? {
        state.withLock {
            $0.playedPositions.lastAudibleTime(number, isStalled: $0.device.renderer?.isUnreliable == true)
        }
    }

    /// Whether the device has stopped because it had no samples for some time.
    var isStarved: Bool {
        state.withLock { state in
            guard let reading = state.device.renderer?.reading else { return false }
            return state.timeline.isPrimed && !reading.isRunning
        }
    }

    /// Closes the device and ends the audio thread.
    ///
    /// - Returns: false if the device's thread could not be joined and was abandoned (``detachedThreadWarning``).
    @discardableResult
    func close() -> Bool {
        let renderer = state.update { state in
            state.requests.isClosed = true
            state.timeline.close()
            return state.device.renderer.take()
        }
        renderer?.requestClose()
        wakeEvent.signal()
        // Joining the audio thread does not hang, because that thread never calls ALSA.
        thread.withLock { $0.take() }?.join()
        let isPrepared = endPreparation()
        return (renderer?.close() ?? true) && isPrepared
    }

    /// The warning about a device whose thread was abandoned.
    static let detachedThreadWarning = "the sound server does not respond: its thread and device were not released"
}
