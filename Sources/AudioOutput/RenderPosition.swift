/// The positions of stream and device in frames: rendered, written and heard. Render thread only.
///
/// Ring indices count the frames of the stream as in ``SampleRing``. Device frames count everything that was written to
/// the device, silence included, over its life. ``PositionMap`` relates them.
struct RenderPosition {
    /// The ring index of the next frame to render.
    private(set) var cursor = 0
    /// The ring index of position 0 since the last flush.
    private(set) var base = 0
    /// The number of the last started flush.
    private(set) var flush = 0
    /// The number of device frames that were written.
    private(set) var written = 0
    /// The number of device frames that have been heard.
    private(set) var heard = 0
    private let map = PositionMap()
    private var smoother: ClockSmoother

    init(rate: Int) { smoother = ClockSmoother(rate: rate) }

    /// Whether the clock follows the device.
    var isAnchored: Bool { smoother.isAnchored }
    /// The ring index of the first stream frame that has not been heard.
    var streamHeard: Int { min(map.stream(at: heard), cursor) }

    // MARK: Rendering

    /// Records rendered frames of the stream, which are written next.
    mutating func renderedStream(_ frames: Int) {
        map.append(device: written, stream: cursor, advances: true)
        cursor += frames
    }

    /// Records rendered silence, which is written next.
    func renderedSilence() { map.append(device: written, stream: cursor, advances: false) }

    mutating func handedOver(_ frames: Int) { written += frames }

    /// Records a start of the device, whose clock is unknown.
    mutating func deviceStarts() { smoother.reset() }

    // MARK: The clock

    /// Updates the clock with the state of the device at `timing`, for the host time `now`.
    mutating func advance(_ timing: PCMTiming, now: Int64) {
        smoother.update(measured: Double(written - timing.delay), time: timing.hostTime)
        heard = max(heard, min(Int(smoother.frame(at: now).rounded(.down)), written))
        map.trim(heard: heard)
    }

    /// Returns the state for readers of the clock.
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

    // MARK: Jumps

    /// Starts a new stream at a device frame, with a ring index.
    mutating func flush(number: Int, index: Int, at device: Int) {
        flush = number
        base = index
        cursor = max(cursor, base)
        map.append(device: device, stream: cursor, advances: false)
    }

    /// Returns to a ring index, unless it is from before the last flush.
    mutating func rewind(to index: Int) { if index >= base { cursor = min(cursor, index) } }

    /// Returns to the first frame that was not heard, as far as the ring keeps it (from `released`).
    mutating func rewindToHeard(released: Int) { cursor = min(cursor, max(map.stream(at: heard), released, base)) }

    /// Records that the device is empty: written frames that were not heard are lost.
    mutating func deviceEmptied() {
        heard = written
        map.reset(device: written, stream: cursor)
    }
}
