import HTTPTransfer
import MediaPipeline
import SharedFrames
import Testing

@testable import SwiftPlay

@Suite struct HTTPConfigurationTests {
    @Test func configurationConvertsToRequestOptionsAndBack() {
        var configuration = HTTPConfiguration()
        (configuration.headerFields, configuration.userAgent) = (["X-Token: abc"], "Mine/1")
        (configuration.referrer, configuration.cookieFile) = ("http://from/", "/cookies")
        (configuration.proxy, configuration.timeout) = ("http://proxy:3128", .milliseconds(2_500))
        var options = HTTPOptions()
        options.trust = .anything
        configuration.apply(to: &options)
        #expect(options.fields == ["X-Token: abc"] && options.timeout == 2_500_000_000)
        #expect(options.trust == .anything && HTTPConfiguration(options) == configuration)
    }

    @Test("header fields whose text contains another header field are not sent")
    func headerFieldsWithLineBreaksAreNotSent() {
        var configuration = HTTPConfiguration()
        (configuration.headerFields, configuration.userAgent) = (["A: 1\r\nB: 2", "C: 3"], "x\r\nD: 4")
        configuration.referrer = "y\nE: 5"
        var options = HTTPOptions()
        configuration.apply(to: &options)
        #expect(options.fields == ["C: 3"] && options.userAgent == nil && options.referrer == nil)
    }

    @Test(
        "a timeout outside of the supported range is clamped",
        arguments: [
            (Duration.seconds(Int64.max), 86_400_000_000_000), (.zero, 1_000_000), (.seconds(-5), 1_000_000),
        ] as [(Duration, Int64)])
    func timeoutIsClamped(timeout: Duration, nanoseconds: Int64) {
        var configuration = HTTPConfiguration(), options = HTTPOptions()
        configuration.timeout = timeout
        configuration.apply(to: &options)
        #expect(options.timeout == nanoseconds)
    }

    @Test func variantLimitsFollowTheItemsPreferences() {
        let item = PlayerItem(location: "http://a/b.m3u8")
        #expect(item.variantLimits == VariantLimits())
        item.preferredPeakBitRate = 1_500_000.7
        item.preferredMaximumResolution = VideoSize(width: 1280, height: 720)
        #expect(item.variantLimits.preferredPeakBitRate == 1_500_000)
        #expect(item.variantLimits.preferredMaximumResolution == PixelSize(width: 1280, height: 720))
        item.preferredPeakBitRate = .infinity
        #expect(item.variantLimits.preferredPeakBitRate > 0)
        item.preferredPeakBitRate = .nan
        #expect(item.variantLimits.preferredPeakBitRate == 0)
    }
}
