import AudioOutput
import AudioPolicy
import CompositorProtocol
import SystemCalls

/// The preferences of the program. They stay when the compositor restarts.
extension AudioSession {
    /// Sets whether this program keeps playing when a phone call arrives that is only shown as a banner.
    ///
    /// - Parameter prefers: Whether such a call does not interrupt this program.
    public func setPrefersNoInterruptionsFromSystemAlerts(_ prefers: Bool) {
        state.update { state in
            state.requestedState.prefersNoInterruptions = prefers
            if state.requests.connection == .open { send(.prefersNoInterruptions(prefers)) }
        }
    }

    /// Whether this program keeps playing when a phone call arrives that is only shown as a banner; false by default.
    public var prefersNoInterruptionsFromSystemAlerts: Bool {
        state.withLock { $0.requestedState.prefersNoInterruptions }
    }

    /// Sets whether the removal of the audio device interrupts this program (``InterruptionReason/routeDisconnected``).
    /// Otherwise the program only receives ``Notification/routeChange(reason:previous:)`` and plays on.
    ///
    /// - Parameter prefers: Whether the removal interrupts this program; true by default.
    public func setPrefersInterruptionOnRouteDisconnect(_ prefers: Bool) {
        state.update { state in
            state.requestedState.prefersInterruptionOnRouteDisconnect = prefers
            if state.requests.connection == .open { send(.prefersInterruptionOnRouteDisconnect(prefers)) }
        }
    }

    /// Whether the removal of the audio device interrupts this program; true by default.
    public var prefersInterruptionOnRouteDisconnect: Bool {
        state.withLock { $0.requestedState.prefersInterruptionOnRouteDisconnect }
    }

    /// Sets whether this program may start audio in the background and continue while the screen is locked (the
    /// background mode `audio` of iOS).
    ///
    /// The user can forbid it for all programs with `background-audio=no` in `compositor.conf`. Without this right, an
    /// activation in the background fails with ``AudioSessionErrorCode/cannotStartPlaying``, and the lock interrupts
    /// the session.
    ///
    /// - Parameter allows: Whether audio in the background is permitted; true by default.
    public func setAllowsBackgroundPlayback(_ allows: Bool) {
        state.withLock { $0.requestedState.allowsBackgroundPlayback = allows }
        link.setMayPlayInBackground(allows)
    }

    /// Whether this program may start audio in the background; true by default.
    public var allowsBackgroundPlayback: Bool { state.withLock { $0.requestedState.allowsBackgroundPlayback } }

    // MARK: The device

    /// The preferred properties of the audio device.
    struct DevicePreferences: Sendable, Equatable {
        /// The sample rate in Hz; 0 for the item's sample rate.
        var sampleRate = 0.0
        /// The period (the duration of audio that the device takes at a time) in seconds; 0 for the default.
        var ioBufferDuration = 0.0
        /// The number of channels; 0 for the item's number of channels.
        var outputNumberOfChannels = 0

        /// The period in nanoseconds; nil for the default.
        var period: Int64? { ioBufferDuration > 0 ? Int64(ioBufferDuration * 1e9) : nil }

        /// Returns an item's audio format with the preferred sample rate and number of channels.
        func applied(to format: AudioFormat) -> AudioFormat {
            let rate = sampleRate > 0 ? Int(sampleRate) : format.rate
            guard outputNumberOfChannels > 0, outputNumberOfChannels != format.channels,
                let speakers = Speaker.defaultLayout(channels: outputNumberOfChannels)
            else {
                return AudioFormat(rate: rate, speakers: format.speakers)
            }
            return AudioFormat(rate: rate, speakers: speakers)
        }
    }

    /// The sample rates that can be preferred, in Hz.
    private static let sampleRateRange = 8000.0...384_000

    /// Sets the preferred sample rate. It applies to the next device that is opened, as far as the device permits;
    /// ``sampleRate`` is the result.
    ///
    /// - Parameter rate: The rate in Hz, 8000 to 384,000; 0 for the rate of the item.
    /// - Throws: ``PlaybackError`` with ``AudioSessionErrorCode/badParam`` for other rates.
    public func setPreferredSampleRate(_ rate: Double) throws(PlaybackError) {
        guard rate == 0 || Self.sampleRateRange.contains(rate) else {
            throw PlaybackError(.badParam, "no device supports a sample rate of \(rate) Hz")
        }
        state.withLock { $0.requestedState.device.sampleRate = rate }
    }

    /// The preferred rate of the device in Hz; 0 without a preference.
    public var preferredSampleRate: Double { state.withLock { $0.requestedState.device.sampleRate } }

    /// Sets the preferred period: the duration of audio that the device takes at a time. It applies, as far as the
    /// device permits and between 0.005 and 0.093 s, when a device is opened next; ``ioBufferDuration`` is the result.
    ///
    /// - Parameter duration: The period in seconds; 0 for the default.
    /// - Throws: ``PlaybackError`` with ``AudioSessionErrorCode/badParam`` if `duration` is negative, NaN, or 60 s or
    ///   more.
    public func setPreferredIOBufferDuration(_ duration: Double) throws(PlaybackError) {
        guard duration >= 0, duration < 60 else {
            throw PlaybackError(.badParam, "no device supports a buffer duration of \(duration) s")
        }
        state.withLock { $0.requestedState.device.ioBufferDuration = duration }
    }

    /// The preferred period in seconds; 0 without a preference.
    public var preferredIOBufferDuration: Double { state.withLock { $0.requestedState.device.ioBufferDuration } }

    /// Sets the preferred number of channels. It applies, as far as the device permits, when a device is opened next;
    /// ``outputNumberOfChannels`` is the result.
    ///
    /// - Parameter count: The number of channels; 0 for the item's number of channels.
    /// - Throws: ``PlaybackError`` with ``AudioSessionErrorCode/badParam`` outside of 0 to
    ///   ``maximumOutputNumberOfChannels``.
    public func setPreferredOutputNumberOfChannels(_ count: Int) throws(PlaybackError) {
        guard 0...maximumOutputNumberOfChannels ~= count else {
            throw PlaybackError(.badParam, "no device supports \(count) channels")
        }
        state.withLock { $0.requestedState.device.outputNumberOfChannels = count }
    }

    /// The preferred number of channels; 0 without a preference.
    public var preferredOutputNumberOfChannels: Int {
        state.withLock { $0.requestedState.device.outputNumberOfChannels }
    }

    /// The greatest number of channels that can be preferred.
    public var maximumOutputNumberOfChannels: Int { 8 }

    // MARK: Inputs

    /// The inputs: none, since this library does not record.
    public var availableInputs: [PortDescription]? { [] }
    /// Whether the machine has an input for this library: never.
    public var isInputAvailable: Bool { false }
    /// The preferred input: nil, since this library does not record.
    public var preferredInput: PortDescription? { nil }
    /// The number of channels of the input: 0.
    public var inputNumberOfChannels: Int { 0 }
    /// The greatest number of input channels that can be preferred: 0.
    public var maximumInputNumberOfChannels: Int { 0 }
    /// The latency of the input in seconds: 0.
    public var inputLatency: Double { 0 }

    /// Sets the preferred input.
    ///
    /// - Parameter input: The input; nil for none.
    /// - Throws: ``PlaybackError`` with ``AudioSessionErrorCode/resourceNotAvailable`` for every input, since there are
    ///   no inputs.
    public func setPreferredInput(_ input: PortDescription?) throws(PlaybackError) {
        if input != nil { throw PlaybackError(.resourceNotAvailable, "audio input is not available") }
    }
}
