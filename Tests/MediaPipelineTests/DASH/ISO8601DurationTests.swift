import Testing

@testable import MediaPipeline

@Suite struct ISO8601DurationTests {
    @Test(
        "ISO 8601 durations are parsed",
        arguments: [
            ("PT0S", 0), ("PT12.5S", 12_500_000_000), ("PT1H2M3S", 3_723_000_000_000), ("P1DT1S", 86_401_000_000_000),
            ("P1Y", 31_536_000_000_000_000), ("P1M", 2_592_000_000_000_000), ("PT1M", 60_000_000_000),
            ("PT0.5H", 1_800_000_000_000), ("PT0.0000000019S", 1),
        ])
    func durationsAreParsed(text: String, expected: Int64) {
        #expect(ISO8601Duration.nanoseconds(text) == expected)
    }

    @Test(
        "malformed and too large durations are refused",
        arguments: [
            "", "P", "PT", "P1DT", "12", "PT1", "PTS", "-PT1S", "PT-1S", "PT1S2M", "P1S", "PT1D", "PT1X", "PT1.2.3S",
            "PT99999999999H", "PT1TS", "pt1s", " PT1S",
        ])
    func malformedDurationsAreRefused(text: String) {
        #expect(ISO8601Duration.nanoseconds(text) == nil)
    }
}
