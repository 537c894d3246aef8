import Testing

@testable import FetchPolicy

@Suite struct FetchTimeTests {
    @Test(arguments: [(0, 0), (899, 0), (900, 1), (13 * 3600, 52), (86_399, 95), (86_400, 0), (-1, 95)])
    func slotsAreQuarterHoursOfTheLocalDay(_ seconds: Int64, _ slot: Int) {
        #expect(FetchTime(bootTime: .zero, wallSeconds: seconds).slot == slot)
        #expect(FetchTime(bootTime: .zero, wallSeconds: seconds - 7200, utcOffset: 7200).slot == slot)
    }

    @Test(arguments: [(0, false), (1, false), (2, true), (3, true), (4, false), (-4, true), (-5, true), (-6, false)])
    func saturdaysAndSundaysAreWeekends(_ number: Int, _ isWeekend: Bool) {
        #expect(LocalDay(number: number).isWeekend == isWeekend)
    }

    @Test func localTimesAreConvertedToBootTimes() {
        let time = FetchTime(bootTime: .seconds(100), wallSeconds: 1000, utcOffset: 3600)
        #expect(time.bootTime(ofLocalSeconds: 4660) == .seconds(160))
        #expect(time.localSeconds(ofBootTime: .seconds(160)) == 4660)
        #expect(time.advanced(by: .seconds(60)).localSeconds == 4660)
    }

    @Test func impossibleClocksAreClamped() {
        let time = FetchTime(bootTime: .zero, wallSeconds: .max, utcOffset: .max)
        #expect((0..<96).contains(time.slot) && time.utcOffset == 86_400)
        #expect((0..<96).contains(FetchTime(bootTime: .zero, wallSeconds: .min, utcOffset: .min).slot))
    }

    @Test(arguments: [(0, "00:00"), (13 * 3600 + 300, "13:05"), (86_399, "23:59"), (-60, "23:59")])
    func localTimesHaveAText(_ seconds: Int64, _ text: String) {
        #expect(FetchTime.text(ofLocalSeconds: seconds) == text)
    }
}
