import BackgroundProtocol

/// Detects transfers that are slower than a limit, however regularly their bytes arrive.
///
/// A window begins with the request and again whenever enough bytes have arrived. If a window reaches its maximum
/// length, the transfer is too slow.
struct LowSpeedDetector: Equatable {
    /// The number of bytes that end a window early.
    private var windowBytes: Int64 = 0
    /// The maximum length of a window, in nanoseconds.
    private var windowLength: Int64 = 0
    /// The host time at which the current window began, in nanoseconds; nil while no request is active.
    private var windowStart: Int64?
    /// The number of bytes in the current window.
    private var byteCount: Int64 = 0

    /// Creates a detector.
    ///
    /// - Parameters:
    ///   - limits: The lowest permitted rate, and the time below it after which a transfer is too slow. A time of 0
    ///     disables the detector.
    ///   - rate: The highest permitted rate, in bytes a second; 0 if it is not limited. The lowest permitted rate is at
    ///     most half of it.
    init(_ limits: TransferLimits, rate: UInt64) { setLimits(limits, rate: rate) }

    /// Changes the limits. The current window continues.
    mutating func setLimits(_ limits: TransferLimits, rate: UInt64) {
        let lowSpeed = rate == 0 ? UInt64(limits.lowSpeed) : min(UInt64(limits.lowSpeed), rate / 2)
        windowBytes = max(1, Int64(clamping: lowSpeed * UInt64(limits.lowSpeedTime) / 1000))
        windowLength = Int64(limits.lowSpeedTime) * 1_000_000
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
