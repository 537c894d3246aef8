/// The times at which frames were shown. A pure value; times are seconds.
struct FrameStatistics: Equatable {
    /// The number of frames after the first one.
    private(set) var count = 0
    /// The longest time between two frames.
    private(set) var worstInterval = 0.0
    /// The number of intervals that were longer than ``longInterval``.
    private(set) var longCount = 0
    private var first: Double?
    private var last: Double?

    /// An interval in which a frame was missed, at 60 frames per second.
    static let longInterval = 0.020

    /// Adds a frame.
    mutating func add(_ time: Double) {
        defer { last = time }
        guard let last else { return first = time }
        count += 1
        worstInterval = max(worstInterval, time - last)
        if time - last > Self.longInterval { longCount += 1 }
    }

    /// The number of frames per second; zero before the second frame.
    var rate: Double {
        guard let first, let last, last > first else { return 0 }
        return Double(count) / (last - first)
    }
}
