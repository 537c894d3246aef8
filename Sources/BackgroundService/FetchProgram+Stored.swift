import FetchPolicy
import LedgerStore
import SystemCalls
import WireFormat

/// The form in which the ledger stores what it knows about a program: at most 11 KiB. Times are ages, so that they keep
/// their meaning after a start of the machine.
extension FetchProgram.Record {
    /// The version of the form. A record of another version is forgotten.
    private static let version: UInt8 = 1

    /// Returns the stored form.
    /// - Parameter now: The current boot time.
    func stored(now: Duration) -> [UInt8] {
        var writer = MessageWriter()
        writer.write(Self.version)
        for time in [lastFetch, lastFailure, lastUse] {
            writer.writeOptional(time) { $0.write((now - $1).clampedNanoseconds) }
        }
        history.weekdays.write(to: &writer)
        history.weekends.write(to: &writer)
        writer.write(UInt8(clamping: history.recentDays.count))
        for day in history.recentDays { day.write(to: &writer) }
        writer.write(UInt8(clamping: fetchYield.stepCount))
        writer.write(UInt8(clamping: fetchYield.failureCount))
        writer.write(fetchYield.newDataShare.bitPattern)
        writer.write(fetchYield.cpuSeconds.bitPattern)
        writer.write(UInt8(clamping: fetchYield.wallTimes.count))
        for time in fetchYield.wallTimes { writer.write(time.clampedNanoseconds) }
        writer.write(UInt8(clamping: peakYields.yields.count))
        for (hour, yield) in peakYields.yields.sorted(by: { $0.key < $1.key }) {
            writer.write(UInt8(clamping: hour))
            writer.write(UInt8(clamping: yield.emptyCount))
            writer.write(Int64(yield.lastDay.number))
        }
        writer.write(UInt8(clamping: budget.wakes.count))
        for wake in budget.wakes {
            for value in [(now - wake.time), wake.wallTime, wake.cpuTime] { writer.write(value.clampedNanoseconds) }
            writer.write(wake.bytes)
        }
        return writer.bytes
    }

    /// Reads a stored record; an empty one if nothing valid is stored.
    /// - Parameters:
    ///   - passed: The time since the record was stored.
    ///   - now: The current boot time.
    init(stored bytes: [UInt8], passed: Duration, now: Duration) {
        self.init()
        var reader = MessageReader(bytes)
        if let record = try? Self(&reader, storedTime: now - passed, now: now) { self = record }
    }

    private init(_ reader: inout MessageReader, storedTime: Duration, now: Duration) throws(MalformedMessage) {
        self.init()
        guard try reader.read(UInt8.self) == Self.version else { throw MalformedMessage("another version") }
        func time(_ reader: inout MessageReader) throws(MalformedMessage) -> Duration {
            min(storedTime - .nanoseconds(try reader.read(Int64.self)), now)
        }
        lastFetch = try reader.readOptional(time)
        lastFailure = try reader.readOptional(time)
        lastUse = try reader.readOptional(time)
        let weekdays = try UsageHistogram(from: &reader), weekends = try UsageHistogram(from: &reader)
        var days: [UsageHistory.Day] = []
        for _ in 0..<(try reader.read(UInt8.self)) { days.append(try UsageHistory.Day(from: &reader)) }
        history = UsageHistory(weekdays: weekdays, weekends: weekends, recentDays: days)
        let steps = Int(try reader.read(UInt8.self)), failures = Int(try reader.read(UInt8.self))
        let share = Double(bitPattern: try reader.read()), seconds = Double(bitPattern: try reader.read())
        var wallTimes: [Duration] = []
        for _ in 0..<(try reader.read(UInt8.self)) { wallTimes.append(.nanoseconds(try reader.read(Int64.self))) }
        fetchYield = FetchYield(
            stepCount: steps, failureCount: failures, wallTimes: wallTimes, newDataShare: share, cpuSeconds: seconds)
        var yields: [Int: PeakYields.Yield] = [:]
        for _ in 0..<(try reader.read(UInt8.self)) {
            let hour = Int(try reader.read(UInt8.self)), count = Int(try reader.read(UInt8.self))
            yields[hour] = PeakYields.Yield(emptyCount: count, lastDay: try LocalDay(from: &reader))
        }
        peakYields = PeakYields(yields: yields)
        var wakes: [FetchBudget.Wake] = []
        for _ in 0..<(try reader.read(UInt8.self)) {
            wakes.append(
                FetchBudget.Wake(
                    time: try time(&reader), wallTime: .nanoseconds(try reader.read(Int64.self)),
                    cpuTime: .nanoseconds(try reader.read(Int64.self)), bytes: try reader.read()))
        }
        budget = FetchBudget(wakes: wakes)
        try reader.expectEnd()
    }
}

extension UsageHistogram {
    /// Appends the histogram with half of its precision, which suffices for chances.
    fileprivate func write(to writer: inout MessageWriter) {
        for weight in weights + [dayWeight] { writer.write(Float(weight).bitPattern) }
    }

    /// Reads a histogram.
    fileprivate init(from reader: inout MessageReader) throws(MalformedMessage) {
        var weights: [Double] = []
        for _ in 0...FetchTime.slotsPerDay { weights.append(Double(Float(bitPattern: try reader.read()))) }
        let dayWeight = weights.removeLast()
        guard let histogram = UsageHistogram(weights: weights, dayWeight: dayWeight) else {
            throw MalformedMessage("a weight is out of range")
        }
        self = histogram
    }
}

extension UsageHistory.Day {
    /// Appends the day with one bit for each quarter hour.
    fileprivate func write(to writer: inout MessageWriter) {
        writer.write(Int64(day.number))
        for byte in 0..<FetchTime.slotsPerDay / 8 {
            writer.write((0..<8).reduce(UInt8(0)) { $0 | (slots.contains(byte * 8 + $1) ? 1 << $1 : 0) })
        }
    }

    /// Reads a day.
    fileprivate init(from reader: inout MessageReader) throws(MalformedMessage) {
        let day = try LocalDay(from: &reader)
        var slots: Set<Int> = []
        for byte in 0..<FetchTime.slotsPerDay / 8 {
            let bits = try reader.read(UInt8.self)
            for bit in 0..<8 where bits & 1 << bit != 0 { slots.insert(byte * 8 + bit) }
        }
        self.init(day: day, slots: slots)
    }
}

extension LocalDay {
    /// Reads a day of the years that ``FetchTime`` knows.
    fileprivate init(from reader: inout MessageReader) throws(MalformedMessage) {
        let number = try reader.read(Int64.self)
        guard abs(number) < 1 << 30 else { throw MalformedMessage("a day is out of range") }
        self.init(number: Int(number))
    }
}
