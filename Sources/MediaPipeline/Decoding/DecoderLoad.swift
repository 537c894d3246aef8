/// How much of the time one decoding thread needs for a video track that is played at the normal rate.
struct DecoderLoad {
    /// The part of a frame's duration that decoding may take on average. The rest is for slow pictures and
    /// higher rates.
    private static let limit = 0.5
    /// The number of packets before the average counts: the first ones include the start of the decoder.
    private static let packetCountBeforeUse = 30
    /// The largest part of a frame's duration that one packet counts for: a pause of the process is no load.
    private static let largestPart = 2.0
    /// The weight of a new packet in the average.
    private static let weight = 1.0 / 16
    /// The frame rate of a track that states none, in frames per second.
    private static let usualFrameRate = 30.0

    /// The average part of a frame's duration that decoding took.
    private var average = 0.0
    private var packetCount = 0
    /// Whether one thread does not suffice. Stays true, so that a decoder is not replaced again and again.
    private(set) var isTooHigh = false

    /// Records how long one thread took for a packet, in nanoseconds.
    ///
    /// - Parameter frameRate: The track's frames per second; 0 if it is unknown.
    mutating func record(_ decodeTime: Int64, frameRate: Double) {
        let rate = frameRate > 0 && frameRate < 1000 ? frameRate : Self.usualFrameRate
        average += (min(Double(decodeTime) / 1e9 * rate, Self.largestPart) - average) * Self.weight
        packetCount += 1
        if packetCount > Self.packetCountBeforeUse, average > Self.limit { isTooHigh = true }
    }
}
