import CompositorProtocol
import TestSupport
import Testing

@testable import Compositor

@Suite struct MemoryPressureTests {
    private static let second: Int64 = 1_000_000_000

    /// Passes a reading every 250 ms to a `MemoryPressure`, and returns its messages with their times in seconds.
    private func messages(_ seconds: Double, _ reading: (_ second: Double) -> MemoryReading) -> [String] {
        var pressure = MemoryPressure(), sentMessages: [String] = []
        for step in 0..<Int(seconds * 4) {
            let time = Double(step) / 4
            guard let level = pressure.update(reading(time), now: Int64(time * 1e9)) else { continue }
            sentMessages.append("\(time) \(level)")
        }
        return sentMessages
    }

    @Test("stalls of 100 ms within 2 s are a warning only if less than a quarter of the memory is available")
    func stallsAreAWarningIfMemoryIsLow() {
        for (available, expected) in [(0.2, ["6.0 warning", "17.0 normal"]), (0.3, [])] {
            let sentMessages = messages(30) { second in
                // From second 5 to second 6, tasks wait for memory for 120 ms in total.
                let stall = Int64(min(max(second - 5, 0), 1) * 120_000)
                return MemoryReading(someStallTime: stall, fullStallTime: 0, available: available)
            }
            #expect(sentMessages == expected, "\(available)")
        }
    }

    @Test(
        "each critical condition alone is critical, and the level is normal 10 s after its end",
        arguments: [
            MemoryReading(available: 0.04), MemoryReading(available: 0.5, fractionOfMaximumLimit: 0.96),
            MemoryReading(allTasksStalled: true), MemoryReading(someStallTime: 700_000, fullStallTime: 0),
            MemoryReading(someStallTime: 100_000, fullStallTime: 100_000), MemoryReading(limitEventCount: 1),
            MemoryReading(outOfMemoryCount: 1),
        ])
    func eachCriticalConditionIsReportedAndEnds(reading: MemoryReading) {
        let normalReading = MemoryReading(
            someStallTime: 0, fullStallTime: 0, available: reading.available.map { _ in 0.9 }, limitEventCount: 0,
            outOfMemoryCount: 0)
        let sentMessages = messages(40) { second in
            if second == 1 { return reading }
            var readingAfterwards = normalReading
            if second > 1 {
                readingAfterwards.someStallTime = reading.someStallTime ?? 0
                readingAfterwards.fullStallTime = reading.fullStallTime ?? 0
                readingAfterwards.limitEventCount = reading.limitEventCount ?? 0
                readingAfterwards.outOfMemoryCount = reading.outOfMemoryCount ?? 0
            }
            return readingAfterwards
        }
        #expect(sentMessages.first == "1.0 critical", "\(sentMessages)")
        // The stalls that a reading contains count for 2 s.
        #expect(sentMessages.last == "11.0 normal" || sentMessages.last == "12.75 normal", "\(sentMessages)")
        #expect(sentMessages.dropLast().allSatisfy { $0.hasSuffix("critical") }, "\(sentMessages)")
    }

    @Test("the critical level becomes a warning if a condition of a warning still holds")
    func criticalLevelBecomesAWarning() {
        let sentMessages = messages(30) { MemoryReading(available: $0 < 1 ? 0.03 : $0 < 15 ? 0.08 : 0.5) }
        #expect(
            sentMessages.filter { !$0.hasSuffix("critical") } == ["10.75 warning", "24.75 normal"])
    }

    @Test func warningsRepeatEveryTenSecondsAndCriticalMessagesEveryTwo() {
        #expect(
            messages(25) { _ in MemoryReading(available: 0.08) } == ["0.0 warning", "10.0 warning", "20.0 warning"])
        #expect(
            messages(5) { _ in MemoryReading(available: 0.01) } == ["0.0 critical", "2.0 critical", "4.0 critical"])
        #expect(messages(2) { _ in MemoryReading(fractionOfHighLimit: 0.86) } == ["0.0 warning"])
    }

    @Test("a warning that becomes critical is sent at once") func risingPressureIsSentAtOnce() {
        let sentMessages = messages(4) { MemoryReading(available: $0 < 1 ? 0.09 : 0.03) }
        #expect(sentMessages == ["0.0 warning", "1.0 critical", "3.0 critical"])
    }

    @Test("stalls during a time without readings do not count") func oldStallsDoNotCount() {
        var pressure = MemoryPressure()
        #expect(pressure.update(MemoryReading(someStallTime: 0, fullStallTime: 0, available: 0.1), now: 0) == nil)
        let laterReading = MemoryReading(someStallTime: 5_000_000, fullStallTime: 5_000_000, available: 0.1)
        #expect(pressure.update(laterReading, now: 100 * Self.second) == nil)
        var readingWithStall = laterReading
        readingWithStall.someTaskStalled = true
        #expect(pressure.update(readingWithStall, now: 101 * Self.second) == .warning)
    }

    @Test("with random readings, messages keep their minimum intervals, and `normal` follows only other levels")
    func messagesKeepTheirIntervalsAtRandomReadings() {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<200 {
            var pressure = MemoryPressure(), lastMessage: (time: Int64, level: MemoryPressureLevel)?, now: Int64 = 0
            for _ in 0..<200 {
                let reading = MemoryReading(
                    available: Double.random(in: 0...0.6, using: &generator),
                    fractionOfMaximumLimit: Double.random(in: 0...1, using: &generator))
                if let level = pressure.update(reading, now: now) {
                    #expect(level == pressure.level)
                    if level == .normal { #expect(lastMessage != nil && lastMessage?.level != .normal) }
                    if let lastMessage, lastMessage.level == level, level != .normal {
                        let interval =
                            level == .critical ? MemoryPressure.criticalInterval : MemoryPressure.warningInterval
                        #expect(now - lastMessage.time >= interval)
                    }
                    lastMessage = (now, level)
                }
                now += Int64.random(in: 1...3 * Self.second, using: &generator)
            }
        }
    }

    @Test("the warning of another service counts at its own level")
    func warningOfAnotherServiceCounts() {
        for (level, expected) in [(MemoryPressureLevel.warning, "0.0 warning"), (.critical, "0.0 critical")] {
            #expect(messages(1) { MemoryReading(warning: $0 == 0 ? level : nil) } == [expected])
        }
        #expect(messages(1) { _ in MemoryReading(warning: .normal) } == [])
    }

    @Test(
        "a group whose limit is reached by the page cache receives no warning",
        arguments: [
            (0.49, []), (0.5, ["0.25 critical"]),
        ])
    func pageCacheAtTheLimitIsNoPressure(fraction: Double, expected: [String]) {
        let sentMessages = messages(1) { second in
            MemoryReading(fractionOfMaximumLimit: fraction, limitEventCount: second == 0 ? 0 : 1)
        }
        #expect(sentMessages == expected)
    }

    @Test("figures at a limit count as the text of the limit says")
    func figuresAtTheirLimits() {
        let levels: [(MemoryReading, [String])] = [
            (MemoryReading(available: 0.05), ["0.0 warning"]), (MemoryReading(available: 0.1), []),
            (MemoryReading(fractionOfHighLimit: 0.85), ["0.0 warning"]),
            (MemoryReading(fractionOfHighLimit: 0.84), []), (MemoryReading(fractionOfHighLimit: 5), ["0.0 warning"]),
            (MemoryReading(fractionOfMaximumLimit: 0.95), ["0.0 critical"]),
            (MemoryReading(fractionOfMaximumLimit: 0.94), []), (MemoryReading(limitEventCount: 7), []),
        ]
        for (reading, expected) in levels { #expect(messages(1) { _ in reading } == expected, "\(reading)") }
    }

    @Test("a stall that the kernel's trigger reports is a warning only if less than a quarter of memory is available")
    func stallOfATriggerNeedsLowMemory() {
        for (available, expected) in [(0.24, ["0.0 warning"]), (0.25, []), (nil, [])] as [(Double?, [String])] {
            #expect(messages(1) { _ in MemoryReading(someTaskStalled: true, available: available) } == expected)
        }
    }

    @Test("stalls count for two seconds, and not in sum over a longer time")
    func stallsCountForTwoSeconds() {
        // In every second, tasks wait for 45 ms: 90 ms within two seconds are not enough for a warning.
        let slowStalls = messages(60) { second in
            MemoryReading(someStallTime: Int64(second * 45_000), fullStallTime: 0, available: 0.2)
        }
        #expect(slowStalls == [])
        let fastStalls = messages(3) { second in
            MemoryReading(someStallTime: Int64(second * 55_000), fullStallTime: 0, available: 0.2)
        }
        #expect(fastStalls == ["2.0 warning"])
    }
}
