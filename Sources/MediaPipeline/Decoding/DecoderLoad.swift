/// The load of a single thread that decodes a video track at the normal playback rate: the average decoding time as a
/// fraction of a frame's duration.
struct DecoderLoad {
    /// The fraction of a frame's duration that decoding may take on average. The rest is for slow pictures and higher
    /// rates.
    private static let limit = 0.5
    /// The number of packets after which the average is used. The first packets also measure the start of the decoder.
    private static let warmUpPacketCount = 30
    /// The largest decoding time that counts for one packet, as a fraction of a frame's duration. A pause of the
    /// process looks like a long decoding time, but is no load.
    private static let largestFraction = 2.0
    /// The weight of a new packet in the average.
    private static let weight = 1.0 / 16
    /// The frame rate of a track that states none, in frames per second.
    private static let usualFrameRate = 30.0

    /// The average decoding time, as a fraction of a frame's duration.
    private var average = 0.0
    private var packetCount = 0
    /// Whether one thread does not suffice. Stays true, so that a decoder is not replaced again and again.
    private(set) var isTooHigh = false

    /// Returns the frames per second of a track; a usual rate if it states none, or an impossible one.
    static func plausibleRate(_ frameRate: Double) -> Double {
        frameRate > 0 && frameRate < 1000 ? frameRate : usualFrameRate
    }

    /// Records how long one thread took for a packet, in nanoseconds.
    ///
    /// - Parameter frameRate: The track's frames per second; 0 if it is unknown.
    mutating func record(_ decodeTime: Int64, frameRate: Double) {
        average +=
            (min(Double(decodeTime) / 1e9 * Self.plausibleRate(frameRate), Self.largestFraction) - average)
            * Self.weight
        packetCount += 1
        if packetCount > Self.warmUpPacketCount, average > Self.limit { isTooHigh = true }
    }
}
