/// Detects transfers that are slower than a limit, however regularly their bytes arrive.
///
/// A window begins with the request and again whenever enough bytes have arrived. If a window reaches its maximum
/// length, the transfer is too slow.
struct LowSpeedDetector: Equatable {
    /// The number of bytes that end a window early.
    private let windowBytes: Int64
    /// The maximum length of a window, in nanoseconds.
    private let windowLength: Int64
    /// The host time at which the current window began, in nanoseconds; nil while no request is active.
    private var windowStart: Int64?
    /// The number of bytes in the current window.
    private var byteCount: Int64 = 0

    /// Creates a detector.
    ///
    /// - Parameters:
    ///   - bytesPerSecond: The lowest permitted rate.
    ///   - milliseconds: The time below that rate after which the transfer is too slow; 0 disables the detector.
    init(bytesPerSecond: UInt32, milliseconds: UInt32) {
        windowBytes = max(1, Int64(bytesPerSecond) * Int64(milliseconds) / 1000)
        windowLength = Int64(milliseconds) * 1_000_000
    }

    /// Begins to measure a request.
    mutating func start(now: Int64) { (windowStart, byteCount) = (windowLength > 0 ? now : nil, 0) }

    /// Stops measuring.
    mutating func stop() { windowStart = nil }

    /// Records received or sent bytes.
    mutating func record(_ count: Int, now: Int64) {
        guard windowStart != nil else { return }
        byteCount += Int64(count)
        if byteCount >= windowBytes { (windowStart, byteCount) = (now, 0) }
    }

    /// The host time, in nanoseconds, at which the transfer is too slow unless further bytes arrive; nil if disabled.
    var deadline: Int64? { windowStart.map { $0 + windowLength } }
}
