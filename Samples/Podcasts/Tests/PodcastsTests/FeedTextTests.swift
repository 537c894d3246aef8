import Foundation
import Testing

@testable import Podcasts

@Suite struct FeedTextTests {
    @Test(arguments: [
        ("Tue, 10 Jun 2003 04:00:00 GMT", 1_055_217_600.0), ("Tue, 10 Jun 2003 06:00:00 +0200", 1_055_217_600),
        ("10 Jun 2003 04:00:00 +0000", 1_055_217_600), ("2003-06-10T04:00:00Z", 1_055_217_600),
        (" 2003-06-10T06:00:00+02:00\n", 1_055_217_600), ("2003-06-10T04:00:00.500Z", 1_055_217_600.5),
    ])
    func datesAreRead(_ text: String, _ seconds: Double) {
        #expect(FeedText.date(text)?.timeIntervalSince1970 == seconds)
    }

    @Test(arguments: ["", "yesterday", "99 Foo 2003", String(repeating: "1", count: 1000)])
    func otherDatesAreNone(_ text: String) { #expect(FeedText.date(text) == nil) }

    @Test(arguments: [("75", 75), ("1:15", 75), ("01:00:00", 3600), (" 12.5 ", 12)])
    func durationsAreRead(_ text: String, _ seconds: Int) { #expect(FeedText.duration(text) == seconds) }

    @Test(arguments: ["", "a", "1:2:3:4", "-5", "99999999999999999999", "1::2"])
    func otherDurationsAreNone(_ text: String) { #expect(FeedText.duration(text) == nil) }

    @Test(arguments: ["ftp://a.example/x", "javascript:x", "data:,x", "https:", "https:///x"])
    func otherAddressesAreNone(_ text: String) {
        #expect(FeedText.address(text, relativeTo: FeedSamples.address) == nil)
    }
}
