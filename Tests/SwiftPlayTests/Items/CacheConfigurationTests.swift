import Testing

@testable import MediaPipeline
@testable import SwiftPlay

/// Tests the limits of reading ahead that a player's cache settings give a file or a network address.
@Suite struct CacheConfigurationTests {
    private static let file = "/film.mp4", address = "https://example.org/film.mp4"

    /// Returns the configuration of a source after cache settings were applied to it.
    private func configuration(
        for location: String, _ change: (inout CacheConfiguration) -> Void
    ) -> MediaSourceConfiguration {
        var cache = CacheConfiguration(), configuration = MediaSourceConfiguration()
        change(&cache)
        cache.apply(to: &configuration, for: location)
        return configuration
    }

    @Test(arguments: [file, address]) func defaultSettingsLeaveTheLimitsToTheSource(_ location: String) {
        let configuration = configuration(for: location) { _ in }
        #expect(configuration.packetLimit == MediaSourceConfiguration().packetLimit)
        #expect(configuration.keptByteLimit == nil)
    }

    @Test func enabledCacheReadsAFileAheadLikeANetworkAddress() {
        #expect(configuration(for: Self.file) { $0.isEnabled = true }.packetLimit == .network)
    }

    @Test func disabledCacheIgnoresTheReadAheadSettings() {
        let configuration = configuration(for: Self.address) {
            ($0.isEnabled, $0.readAheadDuration, $0.readAheadByteLimit) = (false, 60_000_000_000, 1000)
        }
        #expect(configuration.packetLimit == PacketBuffer.Limit())
    }

    @Test func readAheadSettingsApplyToNetworkAddressesOnlyByDefault() {
        func limit(_ location: String) -> PacketBuffer.Limit? {
            configuration(for: location) { ($0.readAheadDuration, $0.readAheadByteLimit) = (5_000_000_000, 4096) }
                .packetLimit
        }
        var networkLimit = PacketBuffer.Limit.network
        networkLimit.time = 5_000_000_000
        // A limit of bytes also applies while a track has no packets.
        (networkLimit.bytes, networkLimit.absoluteMaximumBytes) = (4096, 4096)
        #expect(limit(Self.address) == networkLimit && limit(Self.file) == PacketBuffer.Limit())
    }

    @Test func readAheadDurationKeepsTheByteLimits() {
        let limit = configuration(for: Self.address) { $0.readAheadDuration = 1 }.packetLimit
        #expect(limit?.time == 1 && limit?.bytes == PacketBuffer.Limit.network.bytes)
    }

    @Test func keptBytesAreLimitedWithoutAnotherSetting() {
        let configuration = configuration(for: Self.file) { $0.keptByteLimit = 77 }
        #expect(configuration.keptByteLimit == 77)
        #expect(configuration.packetLimit == MediaSourceConfiguration().packetLimit)
    }
}
