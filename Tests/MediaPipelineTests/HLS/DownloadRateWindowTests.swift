import Testing

@testable import MediaPipeline

@Suite struct DownloadRateWindowTests {
    /// The duration of a tenth of a second, in nanoseconds.
    private static let tenthOfASecond = Int64(nanosecondsOf: 0.1)

    @Test("The rate is unknown in the first second of a download") func rateIsUnknownInTheFirstSecond() {
        var window = DownloadRateWindow()
        #expect(window.bitsPerSecond == nil)
        for step in 0..<10 { window.update(bytes: Int64(step) * 1000, at: Int64(step) * Self.tenthOfASecond) }
        #expect(window.bitsPerSecond == nil)
    }

    @Test("The rate is that of the last second, not of the whole download") func rateIsThatOfTheLastSecond() {
        var window = DownloadRateWindow()
        for step in 0..<50 {
            // One megabit arrives in each tenth of a second for three seconds; afterwards no data arrives.
            window.update(bytes: Int64(min(step, 30)) * 125_000, at: Int64(step) * Self.tenthOfASecond)
            if step == 30 { #expect(window.bitsPerSecond == 10_000_000) }
            if step >= 40 { #expect(window.bitsPerSecond == 0) }
        }
    }

    @Test("Frequent updates do not shorten the window") func frequentUpdatesDoNotShortenTheWindow() {
        var window = DownloadRateWindow()
        for step in 0..<3000 { window.update(bytes: Int64(step) * 125, at: Int64(step) * Self.tenthOfASecond / 100) }
        #expect(window.bitsPerSecond == 1_000_000)
    }

    @Test("Times and sizes that run backwards or are extreme do not trap") func extremeTimesAndSizesDoNotTrap() {
        var window = DownloadRateWindow()
        for (bytes, time) in [(Int64.max, Int64.min), (.min, .max), (0, 0), (.max, .max), (-1, 1)] {
            window.update(bytes: bytes, at: time)
            #expect((window.bitsPerSecond ?? 0) >= 0)
        }
    }
}
