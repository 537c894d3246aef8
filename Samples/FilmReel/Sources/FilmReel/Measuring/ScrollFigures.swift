/// The results of scrolling over the whole wall once at a constant speed. Times are in seconds.
struct ScrollFigures: Codable, Equatable {
    /// The number of frames per second.
    private(set) var frameRate = 0.0
    /// The longest time between two frames.
    private(set) var worstInterval = 0.0
    /// The number of frames that were shown more than 20 ms after the previous frame.
    private(set) var longFrameCount = 0
    /// The number of frames.
    private(set) var frameCount = 0
    /// The longest time that the main thread worked on a frame.
    private(set) var worstWorkTime = 0.0
    /// The time that the main thread worked on all frames.
    private(set) var totalWorkTime = 0.0
    /// The sum, over all frames, of the number of visible posters.
    private(set) var visibleCount = 0
    /// The sum, over all frames, of the number of visible posters that were ready.
    private(set) var readyCount = 0

    /// The share of the visible posters that were ready, 0 to 1.
    var readyShare: Double { visibleCount == 0 ? 0 : Double(readyCount) / Double(visibleCount) }

    /// Adds a frame, and copies the rate and the intervals from the statistics of all frames so far.
    mutating func add(_ frame: FrameRecord, _ statistics: FrameStatistics) {
        frameCount += 1
        (frameRate, worstInterval, longFrameCount) = (
            statistics.rate, statistics.worstInterval, statistics.longIntervalCount
        )
        worstWorkTime = max(worstWorkTime, frame.workTime)
        totalWorkTime += frame.workTime
        visibleCount += frame.visibleCount
        readyCount += frame.visibleCount - frame.placeholderCount
    }
}
