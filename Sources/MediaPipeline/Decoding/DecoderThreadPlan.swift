import SharedFrames

/// Decides with how many threads a video track is decoded, from the seeks and the load so far. A pure value.
///
/// Several threads make seeks faster. During playback at the normal rate, most films need only a part of one thread;
/// further threads then take 7 to 9 percent more processor time, and each holds a picture and tables.
struct DecoderThreadPlan {
    /// The number of packets after a seek for which further seeks are expected: about five seconds.
    static let seekingPacketCount = 150
    /// The number of packets during which the load of the process is measured.
    static let measuredPacketCount = 60
    /// The load of the process, in processor seconds per second of the film, up to which one thread is used. One thread
    /// then decodes in at most this part of the time, because the load includes everything else.
    private static let loadLimit = 0.35

    /// The load of one thread, measured while one thread decodes.
    private var threadLoad = DecoderLoad()
    /// The number of packets since the last seek; the maximum before the first seek.
    private var packetsSinceSeek = Int.max
    /// The processor time of the process at the start of the measurement, in nanoseconds; nil before it.
    private var measurementStart: Int64?
    /// The number of packets since the start of the measurement.
    private var measuredPackets = 0
    /// Whether the load of the process was low since the last seek.
    private var isLoadLow = false

    /// Records a seek.
    mutating func recordSeek() {
        packetsSinceSeek = 0
        (measurementStart, isLoadLow) = (nil, false)
    }

    /// Records a packet before it is decoded.
    ///
    /// - Parameters:
    ///   - frameRate: The track's frames per second; 0 if it is unknown.
    ///   - processorTime: The processor time of the whole process, in nanoseconds. Read once per measurement.
    mutating func recordPacket(frameRate: Double, processorTime: @autoclosure () -> Int64) {
        if packetsSinceSeek < .max { packetsSinceSeek += 1 }
        if isLoadLow { return }
        measuredPackets += 1
        guard let start = measurementStart else {
            (measurementStart, measuredPackets) = (processorTime(), 0)
            return
        }
        guard measuredPackets >= Self.measuredPacketCount else { return }
        let end = processorTime()
        let duration = Double(measuredPackets) / DecoderLoad.plausibleRate(frameRate)
        isLoadLow = Double(end - start) / 1e9 <= Self.loadLimit * duration
        (measurementStart, measuredPackets) = (end, 0)
    }

    /// Records how long the decoder took for a packet, in nanoseconds.
    mutating func recordDecoding(_ time: Int64, threadCount: Int, frameRate: Double) {
        // With several threads, the duration of a call is not the decoding time of a picture.
        if threadCount == 1 { threadLoad.record(time, frameRate: frameRate) }
    }

    /// Returns the number of threads for pictures of a size.
    ///
    /// - Parameter limit: The largest number of threads, at least 1; nil for no limit.
    func threadCount(for size: PixelSize, limit: Int?, _ demand: DecodingDemand) -> Int {
        let isOneThreadEnough = isLoadLow || demand.loopFiltering != .all
        return DecoderThreads.count(
            for: size, limit: limit,
            prefersOneThread: demand.savesThreads && isOneThreadEnough && packetsSinceSeek >= Self.seekingPacketCount,
            isOneThreadTooSlow: threadLoad.isTooHigh)
    }
}
