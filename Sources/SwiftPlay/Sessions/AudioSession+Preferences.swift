import AudioOutput
import AudioPolicy
import CompositorProtocol
import SystemCalls

/// What a program prefers, and what it declares of itself. Kept while the compositor is started anew.
extension AudioSession {
    /// Asks not to be interrupted by what only shows a banner: a call that rings at the edge of the screen.
    public func setPrefersNoInterruptionsFromSystemAlerts(_ prefers: Bool) {
        state.update { state in
            state.wanted.prefersNoInterruptions = prefers
            if state.dialogue.connection == .open { send(.prefersNoInterruptions(prefers)) }
        }
    }

    /// What ``setPrefersNoInterruptionsFromSystemAlerts(_:)`` has set; false by default.
    public var prefersNoInterruptionsFromSystemAlerts: Bool { state.withLock { $0.wanted.prefersNoInterruptions } }

    /// Sets whether the loss of the device that this program is heard on interrupts it
    /// (``InterruptionReason/routeDisconnected``), as it does by default. Without it the program hears
    /// ``Notification/routeChange(reason:previous:)`` and plays on.
    public func setPrefersInterruptionOnRouteDisconnect(_ prefers: Bool) {
        state.update { state in
            state.wanted.prefersInterruptionOnRouteDisconnect = prefers
            if state.dialogue.connection == .open { send(.prefersInterruptionOnRouteDisconnect(prefers)) }
        }
    }

    /// What ``setPrefersInterruptionOnRouteDisconnect(_:)`` has set; true by default.
    public var prefersInterruptionOnRouteDisconnect: Bool {
        state.withLock { $0.wanted.prefersInterruptionOnRouteDisconnect }
    }

    /// Declares whether this program's sound may begin while the program is in the background, and go on behind the
    /// screen's lock: the background mode `audio` of iOS. True by default. The user can take it away from all programs
    /// with `background-audio=no` in `compositor.conf`. Without it an activation in the background fails with
    /// ``AudioSessionErrorCode/cannotStartPlaying``, and the lock interrupts the session.
    public func setAllowsBackgroundPlayback(_ allows: Bool) {
        state.withLock { $0.wanted.allowsBackgroundPlayback = allows }
        link.setMayPlayInBackground(allows)
    }

    /// What ``setAllowsBackgroundPlayback(_:)`` has set; true by default.
    public var allowsBackgroundPlayback: Bool { state.withLock { $0.wanted.allowsBackgroundPlayback } }

    // MARK: the device

    /// What the program prefers of the device.
    struct DevicePreferences: Sendable, Equatable {
        /// Hertz; 0: as the item has it.
        var sampleRate = 0.0
        /// Seconds; 0: the usual one.
        var ioBufferDuration = 0.0
        /// 0: as the item has them.
        var outputNumberOfChannels = 0

        /// Nanoseconds; nil: the usual one.
        var period: Int64? { ioBufferDuration > 0 ? Int64(ioBufferDuration * 1e9) : nil }

        func applied(to format: AudioFormat) -> AudioFormat {
            let rate = sampleRate > 0 ? Int(sampleRate) : format.rate
            guard outputNumberOfChannels > 0, outputNumberOfChannels != format.channels,
                let speakers = Speaker.usual(outputNumberOfChannels)
            else {
                return AudioFormat(rate: rate, speakers: format.speakers)
            }
            return AudioFormat(rate: rate, speakers: speakers)
        }
    }

    private static let sampleRates = 8000.0...384_000

    /// Prefers a rate of the device, in Hz; 0: no preference, the item's own rate. A wish: it is followed as far as the
    /// device goes when one is opened next, and ``sampleRate`` says what came of it.
    ///
    /// - Throws: ``PlaybackError`` with ``AudioSessionErrorCode/badParam`` outside 8000 to 384,000.
    public func setPreferredSampleRate(_ rate: Double) throws(PlaybackError) {
        guard rate == 0 || Self.sampleRates.contains(rate) else {
            throw PlaybackError(.badParam, "no device has a rate of \(rate) Hz")
        }
        state.withLock { $0.wanted.device.sampleRate = rate }
    }

    /// The preferred rate of the device in Hz; 0 without a preference.
    public var preferredSampleRate: Double { state.withLock { $0.wanted.device.sampleRate } }

    /// Sets the preferred length of a period, which is how much sound the device takes at a time, in seconds; 0: no
    /// preference. The next device that is opened gets a period as near to it as it allows, between 0.005 and 0.093 s:
    /// ``ioBufferDuration``.
    ///
    /// - Throws: ``PlaybackError`` with ``AudioSessionErrorCode/badParam`` where `duration` is negative, NaN, or 60 s
    ///   and more.
    public func setPreferredIOBufferDuration(_ duration: Double) throws(PlaybackError) {
        guard duration >= 0, duration < 60 else {
            throw PlaybackError(.badParam, "no device has a buffer of \(duration) s")
        }
        state.withLock { $0.wanted.device.ioBufferDuration = duration }
    }

    /// The preferred length of a period in seconds; 0 without a preference.
    public var preferredIOBufferDuration: Double { state.withLock { $0.wanted.device.ioBufferDuration } }

    /// Prefers a number of channels of the device; 0: no preference. Followed as far as the device goes when one is
    /// opened next; ``outputNumberOfChannels`` says what came of it.
    ///
    /// - Throws: ``PlaybackError`` with ``AudioSessionErrorCode/badParam`` outside 0 to
    ///   ``maximumOutputNumberOfChannels``.
    public func setPreferredOutputNumberOfChannels(_ count: Int) throws(PlaybackError) {
        guard 0...maximumOutputNumberOfChannels ~= count else {
            throw PlaybackError(.badParam, "no device has \(count) channels")
        }
        state.withLock { $0.wanted.device.outputNumberOfChannels = count }
    }

    /// The preferred number of channels; 0 without a preference.
    public var preferredOutputNumberOfChannels: Int { state.withLock { $0.wanted.device.outputNumberOfChannels } }

    /// The greatest number of channels that can be preferred.
    public var maximumOutputNumberOfChannels: Int { 8 }

    // MARK: inputs

    /// The inputs that can be chosen: none, since this library does not record.
    public var availableInputs: [PortDescription]? { [] }
    /// Whether the machine has an input for this library: never.
    public var isInputAvailable: Bool { false }
    /// The preferred input: nil, since this library does not record.
    public var preferredInput: PortDescription? { nil }
    /// The number of channels of the input: 0.
    public var inputNumberOfChannels: Int { 0 }
    /// The greatest number of input channels that can be preferred: 0.
    public var maximumInputNumberOfChannels: Int { 0 }
    /// Seconds.
    public var inputLatency: Double { 0 }

    /// - Throws: ``PlaybackError`` with ``AudioSessionErrorCode/resourceNotAvailable`` for any input: there are none.
    public func setPreferredInput(_ input: PortDescription?) throws(PlaybackError) {
        if input != nil { throw PlaybackError(.resourceNotAvailable, "there is no input") }
    }
}
