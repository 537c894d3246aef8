import AudioOutput
import MediaPipeline
import SystemCalls

/// Brings an item's sound to the device: opens it, lines the blocks up with the item's time, and knows which moment is heard.
///
/// The thread "sound" pulls decoded blocks and fills the renderer's ring. Everything else may be called from any thread.
final class SoundPath: Sendable {
    enum Report: Sendable {
        case opened
        case unavailable(String)
        case primed(epoch: UInt32)
        case ended(epoch: UInt32)
        case lost(String)
        /// Something had to be left behind, in words.
        case left(String)
    }

    struct Feed {
        var source: MediaSource
        var generation: UInt32
        /// Media time of the first sample that is to be heard; nil: that of the first block.
        var start: Int64?
        var speed: Double
    }

    struct State {
        var epoch: UInt32 = 0
        var feed: Feed?
        var renderer: AudioRenderer?
        var opening: (rate: Int, channels: Int)?
        /// What the renderer was opened for.
        var openedFor: (rate: Int, channels: Int)?
        var isClosed = false
        /// Media time of frame 0 since the last flush; nil until the first block came.
        var origin: Int64?
        var written: Int64 = 0
        var isPrimed = false
        var hasEnded = false
        var volume: Float = 1
        var isMuted = false
    }

    private let backend: AudioBackend
    let state = Monitor(State())
    private let wake: EventDescriptor
    let arrival: EventDescriptor
    let report: @Sendable (Report) -> Void
    private let thread = Monitor<NamedThread?>(nil)

    /// Sound that must be ready before playing begins: the device's buffer fills from it at once.
    static let primingNanoseconds: Int64 = 60_000_000

    init(backend: AudioBackend, report: @escaping @Sendable (Report) -> Void) throws(SystemCallError) {
        self.backend = backend
        self.report = report
        wake = try EventDescriptor()
        arrival = try EventDescriptor()
    }

    /// Opens the device for a source's sound, in the background; answered with `.opened` or `.unavailable`.
    func open(rate: Int, channels: Int) {
        state.withLock { $0.opening = (rate, channels) }
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

    var format: AudioFormat? { state.withLock { $0.renderer?.format } }
    var underruns: Int { state.withLock { $0.renderer?.underruns ?? 0 } }

    /// Stops feeding and makes everything unheard go; positions begin anew.
    func flush() {
        let renderer = state.update { state in
            state.epoch &+= 1
            state.feed = nil
            state.origin = nil
            state.written = 0
            state.isPrimed = false
            state.hasEnded = false
            return state.renderer
        }
        renderer?.pause()
        renderer?.requestFlush()
    }

    /// Begins to fill from `source`, from `start` (media nanoseconds) on.
    ///
    /// - Returns: the epoch that reports about it carry.
    func feed(from source: MediaSource, generation: UInt32, start: Int64?, speed: Double) -> UInt32 {
        let epoch = state.update { state in
            state.feed = Feed(source: source, generation: generation, start: start, speed: speed)
            return state.epoch
        }
        wake.signal()
        return epoch
    }

    func play() { state.withLock { $0.renderer }?.start() }
    func pause() { state.withLock { $0.renderer }?.pause() }

    func setVolume(_ volume: Float, muted: Bool) {
        let renderer = state.update { state in
            state.volume = volume
            state.isMuted = muted
            return state.renderer
        }
        renderer?.setVolume(volume, muted: muted, ramp: 20_000_000)
    }

    /// Which moment of the item is heard, and when that was so; nil until the device plays.
    var heard: (media: Int64, host: Int64)? {
        state.withLock { state in
            guard let origin = state.origin, let renderer = state.renderer, let reading = renderer.reading, reading.isRunning else { return nil }
            let speed = state.feed?.speed ?? 1
            let media = Double(reading.position) * 1e9 / Double(renderer.format.rate) * speed
            return (origin + Int64(media), reading.hostTime)
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
        wake.signal()
        thread.withLock { $0.take() }?.join()
        return renderer?.close() ?? true
    }

    static let leftBehind = "the sound server does not answer: its thread is left behind, with the device"

    // MARK: the thread "sound"

    private func run() {
        let work = Workspace()
        while true {
            let (opening, isClosed) = state.withLock { ($0.opening.take(), $0.isClosed) }
            if isClosed { return }
            if let opening { openDevice(opening) }
            handleEvents()
            guard fill(work) || wait() else { return }
        }
    }

    private func openDevice(_ wanted: (rate: Int, channels: Int)) {
        if let old = state.withLock({ $0.renderer == nil ? nil : $0.openedFor }), old == wanted { return report(.opened) }
        let old = state.withLock { $0.renderer.take() }
        if old?.close() == false { report(.left(Self.leftBehind)) }
        do {
            let made = try AudioRenderer(
                backend: backend, wanted: AudioFormat(rate: wanted.rate, channels: min(max(wanted.channels, 1), 2)), name: "sound out")
            let (volume, muted) = state.update { state in
                state.renderer = made
                state.openedFor = wanted
                return (state.volume, state.isMuted)
            }
            if volume != 1 || muted { made.setVolume(volume, muted: muted, ramp: 0) }
            report(.opened)
        } catch { report(.unavailable("\(error)")) }
    }

    private func handleEvents() {
        guard let renderer = state.withLock({ $0.renderer }) else { return }
        for event in renderer.takeEvents() {
            switch event {
            case .drained: reportEnd()
            case .failed(let error):
                state.update { $0.renderer = nil }
                if !renderer.close() { report(.left(Self.leftBehind)) }
                report(.lost("\(error)"))
            default: break
            }
        }
    }

    func reportEnd() {
        let epoch: UInt32? = state.withLock { state in
            guard state.feed != nil, !state.hasEnded else { return nil }
            state.hasEnded = true
            return state.epoch
        }
        if let epoch { report(.ended(epoch: epoch)) }
    }

    /// - Returns: false when waiting is not possible: there is no sound any more.
    private func wait() -> Bool {
        var entries = [Poll.Entry(wake.raw), Poll.Entry(arrival.raw)]
        let renderer = state.withLock { $0.renderer }
        if let renderer {
            entries.append(Poll.Entry(renderer.eventsAvailable.raw))
            entries.append(Poll.Entry(renderer.spaceAvailable.raw))
        }
        do {
            try Poll.wait(&entries, until: nil)
        } catch {
            report(.lost("cannot wait for the device: \(error)"))
            return false
        }
        renderer?.spaceAvailable.drain()
        wake.drain()
        arrival.drain()
        return true
    }
}
