import AudioOutput
import MediaPipeline
import SystemCalls

/// Brings an item's sound to the device: opens it, lines the blocks up with the item's time, and knows which moment is
/// heard.
///
/// The thread "sound" pulls decoded blocks and fills the renderer's ring. Everything else may be called from any
/// thread.
final class SoundPath: Sendable {
    enum Report: Sendable {
        /// `isSilent`: the device cannot be had, and nothing plays in its place until it can.
        case opened(isSilent: Bool)
        /// Why it cannot be had, where that was not told before.
        case silent(String)
        case unavailable(String)
        /// There is enough of a feed to begin with.
        case primed(feed: UInt32)
        /// A feed follows the one before it in the device's stream.
        case joined(feed: UInt32)
        /// All of a feed has been heard, and nothing follows it.
        case ended(feed: UInt32)
        /// The device is gone; nothing is heard, and all goes on at the same pace. `isNews`: it had worked before.
        case lost(String, isNews: Bool)
        /// It is heard again.
        case returned
        /// The device is not tried any more until there is a reason to.
        case givenUp
        /// It is heard on another device, which was asked for.
        case moved(device: String)
        /// It stays where it is, and why.
        case stayed(String)
        /// Something had to be left behind, in words.
        case left(String)
    }

    let channels: ChannelChoice
    /// What the rules between programs leave of it.
    let session: SessionGain?
    let state: Monitor<State>
    let wake: EventDescriptor
    let arrival: EventDescriptor
    let report: @Sendable (Report) -> Void
    private let thread = Monitor<NamedThread?>(nil)

    /// Sound that must be ready before playing begins: the device's buffer fills from it at once.
    static let primingNanoseconds: Int64 = 60_000_000

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

    /// Opens the device for a source's sound, in the background; answered with `.opened` or `.unavailable`.
    ///
    /// - Parameter period: the length of the device's period that is preferred, nanoseconds; nil: the usual one.
    func open(_ format: AudioFormat, period: Int64? = nil) {
        state.withLock { ($0.requests.opening, $0.requests.period) = (format, period) }
        start()
        wake.signal()
    }

    /// Starts the thread when it is first needed.
    private func start() {
        thread.withLock { thread in
            guard thread == nil else { return }
            thread = try? NamedThread("sound") { [self] in run() }
            if thread == nil { report(.unavailable("cannot start a thread")) }
        }
    }

    /// Goes over to another device of ALSA's, in the background: what is heard goes on on the old one until that is
    /// open. Answered with `.moved` or `.stayed`.
    func use(_ device: String) {
        state.withLock { $0.requests.device = device }
        wake.signal()
    }

    var format: AudioFormat? { state.withLock { $0.device.renderer?.format } }
    /// What is played on now, also while a null device stands in for it.
    var device: AudioSession.Device? {
        state.withLock { $0.device.renderer }.map { renderer in
            let rate = Double(renderer.format.rate)
            return AudioSession.Device(
                sampleRate: rate, channels: renderer.format.channels, period: Double(renderer.periodFrames) / rate,
                latency: Double(renderer.extraDelay) / rate)
        }
    }
    var figures: PlaybackStatistics.Audio { state.withLock { $0.device.allFigures } }

    /// Stops feeding and makes everything unheard go; positions begin anew.
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

    /// Begins to fill from `source`, from `start` (media nanoseconds) to `end`, where that comes before its own end. A
    /// source that is fed since the last flush goes on.
    ///
    /// - Parameter startsAt: host time at which `start` is to be heard: silence comes before it; what would come too
    ///   late is left out.
    /// - Returns: the number that reports about it carry.
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

    /// Lets `source` follow what is fed now, sample upon sample.
    ///
    /// - Parameter pictureEnd: media time of the present feed up to which silence fills in where its sound is over
    ///   before its picture.
    /// - Returns: the number that reports about it carry; nil when the present feed has been heard to its end: it is
    ///   too late.
    func follow(
        with source: any MediaSource, generation: UInt32, start: Int64?, end: Int64?, keepsPitch: Bool,
        after pictureEnd: Int64?
    ) -> UInt32? {
        let number = state.update {
            // At the speed of the present feed.
            $0.timeline.follow(
                with: Feed(
                    number: 0, source: source, generation: generation, start: start, speed: 1, end: end,
                    keepsPitch: keepsPitch),
                after: pictureEnd)
        }
        if number != nil { wake.signal() }
        return number
    }

    /// Takes back that a feed follows.
    ///
    /// - Returns: false when some of it is on its way to the device already.
    func unfollow(_ number: UInt32) -> Bool { state.update { $0.timeline.unfollow(number) } }

    /// Moves the end of a feed that is being written.
    func setEnd(_ end: Int64?, of number: UInt32) {
        state.update { $0.timeline.setEnd(end, of: number) }
        wake.signal()
    }

    /// Goes on with another track of the same source where the one before stops: what is on its way to the device is
    /// heard still.
    ///
    /// - Returns: false when there is nothing to go on from.
    func goOn(_ number: UInt32, generation: UInt32) -> Bool {
        let isFed = state.update { $0.timeline.change(number, to: generation) }
        if isFed { wake.signal() }
        return isFed
    }

    func play() {
        setPlaying(true)?.start()
        tryAgain()
    }

    /// There is a reason to believe that a lost device may be back: the user asks for sound, or one was plugged in.
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
        renderer?.setVolume(volume, muted: muted, ramp: 20_000_000)
    }

    /// Which moment of a feed's item is heard, and when that was so; nil until the device plays. Before the feed's turn
    /// the moment lies before its start.
    func heard(_ number: UInt32) -> (media: Int64, host: Int64)? {
        state.withLock { state in
            guard let renderer = state.device.renderer, let reading = renderer.reading, reading.isRunning,
                let media = state.timeline.media(of: number, at: reading.position, rate: renderer.format.rate)
            else { return nil }
            state.heard.note(.init(feed: number, media: media, host: reading.hostTime))
            return (media, reading.hostTime)
        }
    }

    /// Host time at which a feed's first sample is heard, be it past or to come; nil while that is not known.
    func turn(of number: UInt32) -> Int64? {
        state.withLock { state in
            guard let first = state.timeline.firstFrame(of: number), let renderer = state.device.renderer,
                let reading = renderer.reading, reading.isRunning
            else { return nil }
            return reading.hostTime + Int64(Double(first - reading.position) * 1e9 / Double(renderer.format.rate))
        }
    }

    /// The device has failed, or stands still though it should not, and has not played since.
    var isFaltering: Bool { state.withLock { $0.device.renderer?.isFaltering ?? false } }

    /// Up to which moment of a feed's item the device was heard that is lost now, or falters; nil where there is one
    /// that plays.
    func heardUntil(_ number: UInt32) -> Int64? {
        state.withLock { $0.heard.until(number, isFaltering: $0.device.renderer?.isFaltering == true) }
    }

    /// The device stands since it has had nothing to play for some time.
    var isStarved: Bool {
        state.withLock { state in
            guard let reading = state.device.renderer?.reading else { return false }
            return state.timeline.isPrimed && !reading.isRunning
        }
    }

    /// - Returns: false when the device's thread had to be left behind (``leftBehind``).
    @discardableResult
    func close() -> Bool {
        let renderer = state.update { state in
            state.requests.isClosed = true
            state.timeline.close()
            return state.device.renderer.take()
        }
        renderer?.beginClosing()
        wake.signal()
        // Never in a call of the device.
        thread.withLock { $0.take() }?.join()
        return renderer?.close() ?? true
    }

    static let leftBehind = "the sound server does not answer: its thread is left behind, with the device"
}
