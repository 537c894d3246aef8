/// How much of the time one decoding thread needs for a video track. A pure value.
struct DecoderLoad {
    /// The part of a frame's duration that decoding may take on average; the rest is for slower pictures.
    private static let limit = 0.5
    /// The number of pictures before the average counts: the first ones include the start of the decoder.
    private static let pictureCountBeforeUse = 30
    /// The weight of a new picture in the average.
    private static let weight = 1.0 / 16
    /// The frame rate of a track that states none, in frames per second.
    private static let usualFrameRate = 30.0

    /// The average part of a frame's duration that decoding took.
    private var average = 0.0
    private var pictureCount = 0
    /// Whether one thread does not suffice. Stays true, so that a decoder is not replaced again and again.
    private(set) var isTooHigh = false

    /// Records how long one thread took for a packet, in nanoseconds.
    ///
    /// - Parameter frameRate: The track's frames per second; 0 if it is unknown.
    mutating func record(_ decodeTime: Int64, frameRate: Double) {
        let rate = frameRate > 0 && frameRate < 1000 ? frameRate : Self.usualFrameRate
        average += (Double(decodeTime) / 1e9 * rate - average) * Self.weight
        pictureCount += 1
        if pictureCount > Self.pictureCountBeforeUse, average > Self.limit { isTooHigh = true }
    }
}
