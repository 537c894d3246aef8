import CompositorProtocol

/// The memory figures of one moment. A figure is nil if the kernel does not report it.
struct MemoryReading: Equatable, Sendable {
    /// The total time in which at least one task waited for memory, in microseconds (`some` in
    /// `/proc/pressure/memory`).
    var someStallTime: Int64?
    /// The total time in which all tasks waited for memory, in microseconds (`full`).
    var fullStallTime: Int64?
    /// Whether a trigger of the kernel has fired: some task, or all tasks at once, waited too long for memory.
    var someTaskStalled = false, allTasksStalled = false
    /// The warning of another service, such as the low-memory monitor; nil without a warning.
    var warning: MemoryPressureLevel?
    /// The size of the machine's memory in bytes (`MemTotal`).
    var totalBytes: Int64?
    /// The memory that programs can get without swapping, as a fraction of all memory (`MemAvailable`).
    var available: Double?
    /// The memory of the control group, without the part of the page cache that has not been used again, as a fraction
    /// of the limit above which the kernel slows the group down (`memory.high`).
    var fractionOfHighLimit: Double?
    /// The same memory as a fraction of the limit above which the kernel kills processes of the group (`memory.max`).
    var fractionOfMaximumLimit: Double?
    /// The number of times that the control group reached its limit (`max` in `memory.events`).
    var limitEventCount: Int64?
    /// The number of times that the control group was out of memory (`oom` and `oom_kill` in `memory.events`).
    var outOfMemoryCount: Int64?
}

/// Decides from the kernel's figures when programs receive a warning about memory. A pure value; host times are in
/// nanoseconds.
///
/// A level begins as soon as one of its conditions holds. The level ends when none of its conditions has held for
/// ``levelEndDelay``. Only stalls within the last ``windowDuration`` count.
struct MemoryPressure: Equatable {
    /// The length of the time span in which stalls count, in nanoseconds.
    static let windowDuration: Int64 = 2_000_000_000
    /// The time, in nanoseconds, after which a level ends if none of its conditions holds.
    static let levelEndDelay: Int64 = 10_000_000_000
    /// The time between two messages of the level `warning`, and between two messages of the level `critical`, in
    /// nanoseconds.
    static let warningInterval: Int64 = 10_000_000_000, criticalInterval: Int64 = 2_000_000_000
    /// The lowest stall times within ``windowDuration``, in microseconds, that cause a level: some task waits
    /// (warning), some task waits (critical), and all tasks wait at once (critical).
    static let someStallLimit: Int64 = 100_000, severeSomeStallLimit: Int64 = 700_000, fullStallLimit: Int64 = 100_000
    /// The fraction of the maximum limit below which a group that reaches the limit is filled by the page cache.
    private static let smallestUsedFraction = 0.5

    /// The kernel's total stall times at the host time `time`, in microseconds.
    private struct Sample: Equatable { var time, someStallTime, fullStallTime: Int64 }

    /// The current level.
    private(set) var level = MemoryPressureLevel.normal
    /// The newest sample from before the window, and all samples within the window; oldest first.
    private var samples: [Sample] = []
    /// The host times at which a condition of the level `warning` or above, and a condition of the level `critical`,
    /// last held; nil if no such condition has held.
    private var warningTime: Int64?, criticalTime: Int64?
    /// The host time and the level of the last message; nil before the first, and after `normal`.
    private var lastMessage: (time: Int64, level: MemoryPressureLevel)?
    /// The values of ``MemoryReading/limitEventCount`` and ``MemoryReading/outOfMemoryCount`` in the previous reading;
    /// nil before the first.
    private var lastLimitEventCount, lastOutOfMemoryCount: Int64?

    static func == (one: Self, other: Self) -> Bool {
        one.level == other.level && one.samples == other.samples && one.warningTime == other.warningTime
            && one.criticalTime == other.criticalTime && one.lastMessage?.time == other.lastMessage?.time
            && one.lastMessage?.level == other.lastMessage?.level
            && one.lastLimitEventCount == other.lastLimitEventCount
            && one.lastOutOfMemoryCount == other.lastOutOfMemoryCount
    }

    /// Updates ``level`` from new memory figures.
    ///
    /// - Returns: The level that programs must be notified of; nil if there is nothing to send.
    mutating func update(_ reading: MemoryReading, now: Int64) -> MemoryPressureLevel? {
        let condition = condition(of: reading, now: now)
        if condition >= .warning { warningTime = now }
        if condition == .critical { criticalTime = now }
        if let time = criticalTime, now - time < Self.levelEndDelay {
            level = .critical
        } else {
            level = warningTime.map { now - $0 < Self.levelEndDelay } == true ? .warning : .normal
        }
        return messageLevel(condition, now: now)
    }

    /// Returns the highest level for which the reading fulfils at least one condition.
    private mutating func condition(of reading: MemoryReading, now: Int64) -> MemoryPressureLevel {
        let (someStallTime, fullStallTime) = stallTimes(reading, now: now)
        // A group that reads files reaches its limit again and again, because the kernel fills it with page cache.
        let isFilledByFiles = (reading.fractionOfMaximumLimit ?? 1) < Self.smallestUsedFraction
        let hasReachedLimit = Self.hasIncreased(reading.limitEventCount, &lastLimitEventCount) && !isFilledByFiles
        let wasOutOfMemory = Self.hasIncreased(reading.outOfMemoryCount, &lastOutOfMemoryCount)
        let available = reading.available ?? 1
        if fullStallTime >= Self.fullStallLimit || someStallTime >= Self.severeSomeStallLimit || available < 0.05
            || hasReachedLimit || wasOutOfMemory || (reading.fractionOfMaximumLimit ?? 0) >= 0.95
            || reading.warning == .critical
        {
            return .critical
        }
        let isWarning =
            someStallTime >= Self.someStallLimit && available < 0.25 || available < 0.1
            || (reading.fractionOfHighLimit ?? 0) >= 0.85
            || reading.warning == .warning
        return isWarning ? .warning : .normal
    }

    /// Returns whether a counter has increased since the previous reading, and records it.
    private static func hasIncreased(_ count: Int64?, _ lastCount: inout Int64?) -> Bool {
        guard let count else { return false }
        defer { lastCount = count }
        return lastCount.map { count > $0 } ?? false
    }

    /// Records the stall times of a reading, and returns the stall times within the window in microseconds.
    private mutating func stallTimes(_ reading: MemoryReading, now: Int64) -> (
        someStallTime: Int64, fullStallTime: Int64
    ) {
        let triggerStallTimes = (
            someStallTime: reading.someTaskStalled ? Self.someStallLimit : 0,
            fullStallTime: reading.allTasksStalled ? Self.fullStallLimit : 0
        )
        guard let someStallTime = reading.someStallTime else { return triggerStallTimes }
        let sample = Sample(time: now, someStallTime: someStallTime, fullStallTime: reading.fullStallTime ?? 0)
        while samples.count > 1, samples[1].time <= now - Self.windowDuration { samples.removeFirst() }
        // After a pause without readings, the difference would count stalls from before the window.
        if let oldestSample = samples.first, now - oldestSample.time > Self.windowDuration * 2 { samples = [] }
        defer { samples.append(sample) }
        guard let oldestSample = samples.first else { return triggerStallTimes }
        return (
            max(triggerStallTimes.someStallTime, sample.someStallTime - oldestSample.someStallTime),
            max(triggerStallTimes.fullStallTime, sample.fullStallTime - oldestSample.fullStallTime)
        )
    }

    /// Returns the level to send, if enough time has passed since the last message, or if the level has changed.
    private mutating func messageLevel(_ condition: MemoryPressureLevel, now: Int64) -> MemoryPressureLevel? {
        guard level != .normal else {
            guard lastMessage.take() != nil else { return nil }
            return .normal
        }
        let interval = level == .critical ? Self.criticalInterval : Self.warningInterval
        if let lastMessage {
            guard
                level > lastMessage.level || level < lastMessage.level
                    || condition == level && now - lastMessage.time >= interval
            else { return nil }
        }
        lastMessage = (now, level)
        return level
    }
}
