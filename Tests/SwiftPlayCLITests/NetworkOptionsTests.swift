import SwiftPlayKit
import Testing

@testable import SwiftPlayCLI

@Suite struct NetworkOptionsTests {
    @Test func certificatesAreVerifiedUnlessDisabled() throws {
        #expect(try NetworkOptions.parse([]).tlsVerification == .systemRoots)
        #expect(try NetworkOptions.parse(["--tls-verify=no"]).tlsVerification == .none)
        #expect(try NetworkOptions.parse(["--tls-ca-file=/ca.pem"]).tlsVerification == .authorities(file: "/ca.pem"))
        #expect(try NetworkOptions.parse(["--tls-verify=no", "--tls-ca-file=/ca.pem"]).tlsVerification == .none)
    }

    @Test func optionsBecomeSettings() throws {
        let settings = try NetworkOptions.parse([
            "--http-header-fields=A: 1\\,2, B:3", "--user-agent=U", "--referrer=R", "--cookies-file=/c",
            "--network-timeout=2.5", "--hls-bitrate=500000", "--cache=yes", "--demuxer-readahead-secs=12",
            "--demuxer-max-bytes=3M", "--demuxer-max-back-bytes=4KiB",
        ]).settings
        #expect(settings.http.headerFields == ["A: 1,2", "B:3"] && settings.http.userAgent == "U")
        #expect(
            settings.http.referrer == "R" && settings.http.cookieFile == "/c" && settings.http.timeout == .seconds(2.5))
        #expect(settings.cache.isEnabled == true && settings.cache.readAheadDuration == 12_000_000_000)
        #expect(
            settings.cache.readAheadByteLimit == 3 << 20 && settings.cache.keptByteLimit == 4 << 10
                && settings.hlsBitrate == "500000")
    }

    @Test(
        "invalid values are refused",
        arguments: [
            "--cache=on", "--network-timeout=0", "--network-timeout=nan", "--hls-bitrate=best", "--hls-bitrate=-1",
            "--demuxer-max-bytes=5X", "--demuxer-max-back-bytes=99999G", "--demuxer-readahead-secs=-1",
            "--http-header-fields=nonsense",
        ])
    func invalidValuesAreRefused(argument: String) throws {
        let options = try NetworkOptions.parse([argument])
        #expect(throws: (any Error).self) { try options.validateAll() }
    }

    @Test(arguments: ["true", "NO", "1"]) func valuesOtherThanYesAndNoAreRefused(_ value: String) throws {
        let options = try NetworkOptions.parse(["--tls-verify=\(value)"])
        #expect(throws: (any Error).self) { try options.validateAll() }
    }
}
