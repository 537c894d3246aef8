/// Where the stream and the device are, in frames: what is rendered, handed over and heard. Render thread only.
///
/// Ring indices count the frames of the stream as ``SampleRing`` does; device frames count all that the device was
/// given, silence too, over the device's life. ``PositionMap`` joins the two.
struct RenderPosition {
    /// The ring index of the next frame to render.
    private(set) var cursor = 0
    /// The ring index that is position 0 since the last flush.
    private(set) var base = 0
    /// The number of the last flush that has begun.
    private(set) var flush = 0
    /// Device frames that were handed over.
    private(set) var written = 0
    /// Device frames that have been heard.
    private(set) var heard = 0
    private let map = PositionMap()
    private var smoother: ClockSmoother

    init(rate: Int) { smoother = ClockSmoother(rate: rate) }

    /// The clock follows the device.
    var isAnchored: Bool { smoother.isAnchored }
    /// The ring index of the first stream frame that has not been heard.
    var streamHeard: Int { min(map.stream(at: heard), cursor) }

    // MARK: rendering

    /// `frames` of the stream were rendered; they are handed over next.
    mutating func renderedStream(_ frames: Int) {
        map.append(device: written, stream: cursor, advances: true)
        cursor += frames
    }

    /// Silence was rendered; it is handed over next.
    func renderedSilence() { map.append(device: written, stream: cursor, advances: false) }

    mutating func handedOver(_ frames: Int) { written += frames }

    /// The device begins: nothing is known of its clock yet.
    mutating func deviceStarts() { smoother.reset() }

    // MARK: the clock

    /// Takes in where the device stood at `timing`, and what is heard at `now`.
    mutating func advance(_ timing: PCMTiming, now: Int64) {
        smoother.update(measured: Double(written - timing.delay), time: timing.hostTime)
        heard = max(heard, min(Int(smoother.frame(at: now).rounded(.down)), written))
        map.trim(heard: heard)
    }

    /// What readers of the clock need.
    func snapshot(isRunning: Bool, isLost: Bool) -> AudioClock.Snapshot {
        var s = AudioClock.Snapshot()
        s.flush = flush
        s.base = base
        s.isLost = isLost
        s.isRunning = isRunning
        s.frame = isRunning ? smoother.frame : Double(heard)
        s.time = smoother.time
        s.slope = smoother.slope
        s.limit = written
        s.current = map.current
        s.next = map.next
        return s
    }

    // MARK: jumps

    /// Begins a new stream: at device frame `device`, with ring index `index`.
    mutating func flush(number: Int, index: Int, at device: Int) {
        flush = number
        base = index
        cursor = max(cursor, base)
        map.append(device: device, stream: cursor, advances: false)
    }

    /// Renders from ring index `index` again, unless that is from before the last flush.
    mutating func rewind(to index: Int) { if index >= base { cursor = min(cursor, index) } }

    /// Renders again what was not heard, as far as the ring keeps it: from `released` on.
    mutating func rewindToHeard(released: Int) { cursor = min(cursor, max(map.stream(at: heard), released, base)) }

    /// The device is empty: what was handed over and not heard will not be.
    mutating func deviceEmptied() {
        heard = written
        map.reset(device: written, stream: cursor)
    }
}
