/// The figures of a way over the wall at a constant speed. Times are seconds.
struct ScrollFigures: Codable, Equatable {
    /// The number of frames per second.
    private(set) var frameRate = 0.0
    /// The longest time between two frames.
    private(set) var worstFrame = 0.0
    /// The number of frames that came later than 20 ms after the one before.
    private(set) var longFrameCount = 0
    /// The number of frames.
    private(set) var frameCount = 0
    /// The longest work of the main thread on a frame.
    private(set) var worstWork = 0.0
    /// The sum of the work of the main thread.
    private(set) var totalWork = 0.0
    /// The sum of the visible posters of all frames.
    private(set) var visibleCount = 0
    /// How many of them were ready.
    private(set) var readyCount = 0

    /// The share of the visible posters that were ready.
    var readyShare: Double { visibleCount == 0 ? 0 : Double(readyCount) / Double(visibleCount) }
    /// The mean work of the main thread on a frame.
    var meanWork: Double { frameCount == 0 ? 0 : totalWork / Double(frameCount) }

    /// Adds a frame.
    mutating func add(_ frame: FrameRecord, _ statistics: FrameStatistics) {
        frameCount += 1
        (frameRate, worstFrame, longFrameCount) = (statistics.rate, statistics.worstInterval, statistics.longCount)
        worstWork = max(worstWork, frame.work)
        totalWork += frame.work
        visibleCount += frame.visibleCount
        readyCount += frame.visibleCount - frame.placeholderCount
    }
}
