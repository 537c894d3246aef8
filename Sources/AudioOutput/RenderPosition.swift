/// The positions of stream and device in frames: rendered, written and heard. Render thread only.
///
/// Ring indices count the frames of the stream as in ``SampleRing``. Device frames count all frames, including silence,
/// that were written to the device since the renderer was created. ``PositionMap`` converts device frames to ring
/// indices.
struct RenderPosition {
    /// The ring index of the next frame to render.
    private(set) var cursor = 0
    /// The ring index of the first frame after the last flush, which counts as position 0 of the stream.
    private(set) var baseIndex = 0
    /// The sequence number of the newest flush that has started.
    private(set) var flushNumber = 0
    /// The number of device frames that were written to the device.
    private(set) var writtenFrames = 0
    /// The number of device frames that have been heard.
    private(set) var playedFrames = 0
    /// Maps device frames to ring indices of the stream.
    private let map = PositionMap()
    /// Computes the audible device frame from the device's jittery reports.
    private var smoother: ClockSmoother

    init(rate: Int) { smoother = ClockSmoother(rate: rate) }

    /// Whether the device has reported a position since its start.
    var hasDeviceReport: Bool { smoother.hasDeviceReport }
    /// The ring index of the first stream frame that has not been heard.
    var playedStreamIndex: Int { min(map.streamFrame(at: playedFrames), cursor) }

    // MARK: Rendering

    /// Records rendered frames of the stream, which are the next to be written.
    mutating func didRenderStream(_ frames: Int) {
        map.append(deviceFrame: writtenFrames, streamFrame: cursor, advancesStream: true)
        cursor += frames
    }

    /// Records rendered silence, which is the next to be written.
    func didRenderSilence() { map.append(deviceFrame: writtenFrames, streamFrame: cursor, advancesStream: false) }

    /// Records that the device accepted frames.
    mutating func didWrite(_ frames: Int) { writtenFrames += frames }

    /// Discards the measured clock, because the device starts and has not reported a position yet.
    mutating func discardClock() { smoother.reset() }

    // MARK: The clock

    /// Updates the clock with a report of the device, and ``playedFrames`` for the host time `now`.
    mutating func advance(_ timing: PCMTiming, now: Int64) {
        smoother.update(measured: Double(writtenFrames - timing.delay), time: timing.hostTime)
        playedFrames = max(playedFrames, min(Int(smoother.frame(at: now).rounded(.down)), writtenFrames))
        map.trim(heard: playedFrames)
    }

    /// Returns the positions for publication in ``AudioClock``.
    func snapshot(isRunning: Bool, isLost: Bool) -> AudioClock.Snapshot {
        var snapshot = AudioClock.Snapshot()
        snapshot.flushNumber = flushNumber
        snapshot.baseFrame = baseIndex
        snapshot.isLost = isLost
        snapshot.isRunning = isRunning
        snapshot.frame = isRunning ? smoother.frame : Double(playedFrames)
        snapshot.time = smoother.time
        snapshot.slope = smoother.slope
        snapshot.writtenFrames = writtenFrames
        snapshot.currentSegment = map.currentSegment
        snapshot.nextSegment = map.nextSegment
        return snapshot
    }

    // MARK: Flushes and rewinds

    /// Starts a new stream after a flush.
    ///
    /// - Parameters:
    ///   - number: The sequence number of the flush.
    ///   - index: The ring index of the new stream's first frame.
    ///   - device: The device frame at which the new stream begins.
    mutating func flush(number: Int, index: Int, at device: Int) {
        flushNumber = number
        baseIndex = index
        cursor = max(cursor, baseIndex)
        map.append(deviceFrame: device, streamFrame: cursor, advancesStream: false)
    }

    /// Moves ``cursor``, the next frame to render, back to a ring index, unless that index is from before the last
    /// flush.
    mutating func rewind(to index: Int) { if index >= baseIndex { cursor = min(cursor, index) } }

    /// Moves ``cursor`` back to the first frame that was not heard, so that it is rendered again.
    ///
    /// - Parameter released: The ring index of the oldest frame that the ring buffer still contains; ``cursor`` does
    ///   not move before it.
    mutating func rewindToPlayed(released: Int) {
        cursor = min(cursor, max(map.streamFrame(at: playedFrames), released, baseIndex))
    }

    /// Records that the device's queue was emptied: written frames that were not heard are lost.
    mutating func recordEmptiedQueue() {
        playedFrames = writtenFrames
        map.reset(deviceFrame: writtenFrames, streamFrame: cursor)
    }
}
