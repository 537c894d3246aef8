/// Statistics of the times at which frames were shown. Times are in seconds.
struct FrameStatistics: Equatable {
    /// The number of intervals between frames: one less than the number of frames.
    private(set) var intervalCount = 0
    /// The longest time between two frames.
    private(set) var worstInterval = 0.0
    /// The number of intervals that were longer than ``longInterval``.
    private(set) var longIntervalCount = 0
    private var firstTime: Double?
    private var lastTime: Double?

    /// The interval above which a frame was missed, at 60 frames per second.
    static let longInterval = 0.020

    /// Adds a frame that was shown at host time `time`.
    mutating func add(_ time: Double) {
        defer { lastTime = time }
        guard let lastTime else { return firstTime = time }
        intervalCount += 1
        worstInterval = max(worstInterval, time - lastTime)
        if time - lastTime > Self.longInterval { longIntervalCount += 1 }
    }

    /// The number of frames per second; zero before the second frame.
    var rate: Double {
        guard let firstTime, let lastTime, lastTime > firstTime else { return 0 }
        return Double(intervalCount) / (lastTime - firstTime)
    }
}
