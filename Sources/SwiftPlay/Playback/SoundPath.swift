import AudioOutput
import MediaPipeline
import SystemCalls

/// Brings an item's sound to the device: opens it, lines the blocks up with the item's time, and knows which moment is heard.
///
/// The thread "sound" pulls decoded blocks and fills the renderer's ring. Everything else may be called from any thread.
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

    struct Feed {
        /// Names it in reports.
        var number: UInt32
        var source: MediaSource
        var generation: UInt32
        /// Media time of the first sample that is to be heard; nil: that of the first block.
        var start: Int64?
        var speed: Double
        /// Media time at which it is over before its own end.
        var end: Int64?
        /// Host time at which ``start`` is to be heard; nil: right behind what is in the ring.
        var startsAt: Int64?
        /// Whether another speed leaves the pitch as it is.
        var keepsPitch = true

        /// What makes its speed; nil where that is the recorded one.
        func stretcher(for format: AudioFormat) -> TimeStretcher? {
            speed == 1 ? nil : TimeStretcher(rate: format.rate, channels: format.channels, speed: speed, keepsPitch: keepsPitch)
        }
    }

    /// Which frames of the device's stream are one feed's.
    struct Segment {
        var number: UInt32
        /// Its first, counted since the last flush.
        var firstFrame: Int64
        /// Media time of that; nil until the first block came.
        var origin: Int64?
        var speed: Double
    }

    struct State {
        var epoch: UInt32 = 0
        var feed: Feed?
        /// What comes after it without a gap, and the media time of the first up to which silence fills in before that.
        var following: (feed: Feed, pictureEnd: Int64?)?
        var lastNumber: UInt32 = 0
        /// What the ring's frames are, oldest first; the last one is being written.
        var segments: [Segment] = []
        var renderer: AudioRenderer?
        var opening: AudioFormat?
        /// Where sound goes, and where it is to go.
        var backend: AudioBackend
        var wantedDevice: String?
        /// What the renderer was opened for.
        var openedFor: AudioFormat?
        /// The length of a period that the program prefers, nanoseconds.
        var period: Int64?
        /// Between ``play()`` and the next pause or flush.
        var isPlaying = false
        /// What was heard when that was last asked.
        var lastHeard: (feed: UInt32, media: Int64, host: Int64)?
        /// The same when the device was lost, for as long as it is.
        var heardBeforeLoss: (feed: UInt32, media: Int64, host: Int64)?
        var isClosed = false
        var written: Int64 = 0
        var isPrimed = false
        var hasEnded = false
        var volume: Float = 1
        var isMuted = false
        var figures = Figures()
        /// There is a reason to try a device again that was given up.
        var hasReason = false

        mutating func takeReason() -> Bool {
            defer { hasReason = false }
            return hasReason
        }
    }

    /// What became of the devices so far.
    struct Figures: Sendable, Equatable {
        var underruns = 0, recoveries = 0
        var losses = 0, tries = 0, returns = 0
    }

    let channels: ChannelChoice
    /// What the rules between programs leave of it.
    let session: SessionGain?
    let state: Monitor<State>
    private let wake: EventDescriptor
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
        state = Monitor(State(backend: backend))
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
        state.withLock { ($0.opening, $0.period) = (format, period) }
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

    /// Goes over to another device of ALSA's, in the background: what is heard goes on on the old one until that is open. Answered with
    /// `.moved` or `.stayed`.
    func use(_ device: String) {
        state.withLock { $0.wantedDevice = device }
        wake.signal()
    }

    var format: AudioFormat? { state.withLock { $0.renderer?.format } }
    /// What is played on now, also while nothing plays in its place.
    var device: AudioSession.Device? {
        state.withLock { $0.renderer }.map { renderer in
            let rate = Double(renderer.format.rate)
            return AudioSession.Device(
                sampleRate: rate, channels: renderer.format.channels, period: Double(renderer.periodFrames) / rate, latency: Double(renderer.extraDelay) / rate)
        }
    }
    var figures: Figures {
        state.withLock { state in
            var figures = state.figures
            if let renderer = state.renderer { figures.add(renderer) }
            return figures
        }
    }

    /// Stops feeding and makes everything unheard go; positions begin anew.
    func flush() {
        let renderer = state.update { state in
            state.epoch &+= 1
            state.feed = nil
            state.following = nil
            state.segments = []
            state.written = 0
            state.isPrimed = false
            state.hasEnded = false
            state.isPlaying = false
            state.lastHeard = nil
            state.heardBeforeLoss = nil
            return state.renderer
        }
        renderer?.pause()
        renderer?.requestFlush()
    }

    /// Begins to fill from `source`, from `start` (media nanoseconds) to `end`, where that comes before its own end. A source that is fed
    /// since the last flush goes on.
    ///
    /// - Parameter startsAt: host time at which `start` is to be heard: silence comes before it; what would come too late is left out.
    /// - Returns: the number that reports about it carry.
    func feed(
        from source: MediaSource, generation: UInt32, start: Int64?, end: Int64?, speed: Double, keepsPitch: Bool, startsAt: Int64? = nil
    ) -> UInt32 {
        let number = state.update { state in
            if let present = state.feed, present.source === source, present.generation == generation { return present.number }
            state.lastNumber &+= 1
            var feed = Feed(number: state.lastNumber, source: source, generation: generation, start: start, speed: speed, end: end)
            (feed.startsAt, feed.keepsPitch) = (startsAt, keepsPitch)
            state.feed = feed
            state.following = nil
            state.segments = [
                Segment(number: feed.number, firstFrame: state.written, origin: startsAt == nil ? start : nil, speed: speed)
            ]
            return feed.number
        }
        wake.signal()
        return number
    }

    /// Lets `source` follow what is fed now, sample upon sample.
    ///
    /// - Parameter pictureEnd: media time of the present feed up to which silence fills in where its sound is over before its picture.
    /// - Returns: the number that reports about it carry; nil when the present feed has been heard to its end: it is too late.
    func follow(
        with source: MediaSource, generation: UInt32, start: Int64?, end: Int64?, keepsPitch: Bool, after pictureEnd: Int64?
    ) -> UInt32? {
        let number: UInt32? = state.update { state in
            guard let present = state.feed, !state.hasEnded, state.following == nil else { return nil }
            state.lastNumber &+= 1
            var feed = Feed(
                number: state.lastNumber, source: source, generation: generation, start: start, speed: present.speed, end: end)
            feed.keepsPitch = keepsPitch
            state.following = (feed, pictureEnd)
            return feed.number
        }
        if number != nil { wake.signal() }
        return number
    }

    /// Takes back that a feed follows.
    ///
    /// - Returns: false when some of it is on its way to the device already.
    func unfollow(_ number: UInt32) -> Bool {
        state.update { state in
            guard state.following?.feed.number == number else { return false }
            state.following = nil
            return true
        }
    }

    /// Moves the end of a feed that is being written.
    func setEnd(_ end: Int64?, of number: UInt32) {
        state.update { state in
            if state.feed?.number == number { state.feed?.end = end }
            if state.following?.feed.number == number { state.following?.feed.end = end }
        }
        wake.signal()
    }

    /// Goes on with another track of the same source where the one before stops: what is on its way to the device is heard still.
    ///
    /// - Returns: false when there is nothing to go on from.
    func goOn(_ number: UInt32, generation: UInt32) -> Bool {
        let isFed = state.update { state in
            guard state.feed?.number == number, !state.hasEnded else { return false }
            state.feed?.generation = generation
            return true
        }
        if isFed { wake.signal() }
        return isFed
    }

    func play() {
        setPlaying(true)?.start()
        tryAgain()
    }

    /// There is a reason to believe that a lost device may be back: the user asks for sound, or one was plugged in.
    func tryAgain() {
        state.withLock { $0.hasReason = true }
        wake.signal()
    }

    func pause() { setPlaying(false)?.pause() }

    private func setPlaying(_ isPlaying: Bool) -> AudioRenderer? {
        state.withLock { state in
            state.isPlaying = isPlaying
            return state.renderer
        }
    }

    func setVolume(_ volume: Float, muted: Bool) {
        let renderer = state.update { state in
            state.volume = volume
            state.isMuted = muted
            return state.renderer
        }
        renderer?.setVolume(volume, muted: muted, ramp: 20_000_000)
    }

    /// Which moment of a feed's item is heard, and when that was so; nil until the device plays. Before the feed's turn the moment lies
    /// before its start.
    func heard(_ number: UInt32) -> (media: Int64, host: Int64)? {
        state.withLock { state in
            guard let segment = state.segments.first(where: { $0.number == number }), let origin = segment.origin,
                let renderer = state.renderer, let reading = renderer.reading, reading.isRunning
            else { return nil }
            let media = Double(reading.position - segment.firstFrame) * 1e9 / Double(renderer.format.rate) * segment.speed
            state.lastHeard = (number, origin + Int64(media), reading.hostTime)
            return (origin + Int64(media), reading.hostTime)
        }
    }

    /// Host time at which a feed's first sample is heard, be it past or to come; nil while that is not known.
    func turn(of number: UInt32) -> Int64? {
        state.withLock { state in
            guard let segment = state.segments.first(where: { $0.number == number }), let renderer = state.renderer,
                let reading = renderer.reading, reading.isRunning
            else { return nil }
            return reading.hostTime + Int64(Double(segment.firstFrame - reading.position) * 1e9 / Double(renderer.format.rate))
        }
    }

    /// The device has failed, or stands still though it should not, and has not played since.
    var isFaltering: Bool { state.withLock { $0.renderer?.isFaltering ?? false } }

    /// Up to which moment of a feed's item the device was heard that is lost now, or falters; nil where there is one that plays.
    func heardUntil(_ number: UInt32) -> Int64? {
        state.withLock { state in
            let last = state.heardBeforeLoss ?? (state.renderer?.isFaltering == true ? state.lastHeard : nil)
            return last.flatMap { $0.feed == number ? $0.media : nil }
        }
    }

    /// The device stands since it has had nothing to play for some time.
    var isStarved: Bool {
        state.withLock { state in
            guard let reading = state.renderer?.reading else { return false }
            return state.isPrimed && !reading.isRunning
        }
    }

    /// - Returns: false when the device's thread had to be left behind (``leftBehind``).
    @discardableResult
    func close() -> Bool {
        let renderer = state.update { state in
            state.isClosed = true
            state.feed = nil
            return state.renderer.take()
        }
        renderer?.beginClosing()
        wake.signal()
        // Never in a call of the device.
        thread.withLock { $0.take() }?.join()
        return renderer?.close() ?? true
    }

    static let leftBehind = "the sound server does not answer: its thread is left behind, with the device"

    // MARK: the thread "sound"

    private func run() {
        let work = Workspace()
        while true {
            let (opening, device, isClosed, hasReason) = state.withLock {
                ($0.opening.take(), $0.wantedDevice.take(), $0.isClosed, $0.takeReason())
            }
            if isClosed { return letGo(work) }
            if let device { move(to: device, work) }
            if let opening { openDevice(opening, work) }
            takeOpened(work)
            takeMoved(work)
            handleEvents(work)
            watchDevice(work)
            bringBack(work, hasReason: hasReason)
            guard fill(work) || wait(work) else { return letGo(work) }
        }
    }

    private func handleEvents(_ work: Workspace) {
        guard let renderer = state.withLock({ $0.renderer }) else { return }
        for event in renderer.takeEvents() {
            switch event {
            // Where something follows by now, this is about the pause before it.
            case .drained: if work.isFinished { reportEnd() }
            case .failed(let error): lose(renderer, "\(error)", hasWrongClock: error.failure.isWrongClock, work)
            default: break
            }
        }
    }

    func reportEnd() {
        let number: UInt32? = state.withLock { state in
            guard let feed = state.feed, !state.hasEnded, state.following == nil else { return nil }
            state.hasEnded = true
            return feed.number
        }
        if let number { report(.ended(feed: number)) }
    }

    /// - Returns: false when waiting is not possible: there is no sound any more.
    private func wait(_ work: Workspace) -> Bool {
        var entries = [Poll.Entry(wake.raw), Poll.Entry(arrival.raw)]
        let renderer = state.withLock { $0.renderer }
        if let renderer {
            entries.append(Poll.Entry(renderer.eventsAvailable.raw))
            entries.append(Poll.Entry(renderer.spaceAvailable.raw))
        }
        for opening in [work.opening, work.move?.opening].compactMap(\.self) { entries.append(Poll.Entry(opening.done.raw)) }
        do {
            try Poll.wait(&entries, until: PlaybackLoop.earlier(work.recovery?.next, nextLook(at: renderer, work)))
        } catch {
            report(.unavailable("cannot wait for the device: \(error)"))
            return false
        }
        renderer?.spaceAvailable.drain()
        wake.drain()
        arrival.drain()
        return true
    }
}
