import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct AudioTimePitchAlgorithmTests {
    /// Returns the frequency of the tone in the next half second of mono audio that the player sends to the device, in
    /// hertz: twice the number of sign changes from minus to plus.
    private func measurePitchInHertz(_ samples: Monitor<[Float]>) throws -> Double {
        samples.update { $0 = [] }
        let recordedSamples: [Float]? = samples.wait(until: Deadline.after(.seconds(30))) {
            $0.count >= 24_000 ? $0 : nil
        }
        let halfSecond = try #require(recordedSamples).suffix(24_000)
        return Double(zip(halfSecond, halfSecond.dropFirst()).count { $0 < 0 && $1 >= 0 }) * 2
    }

    @Test func pitchFollowsTheRateWithVarispeedOnly() async throws {
        try await TestEnvironment.runExclusively {
            let samples = Monitor<[Float]>([])
            let item = PlayerItem(location: try Fixtures.path("tracks.mkv"))
            #expect(item.audioTimePitchAlgorithm == .timeDomain)
            item.audioTimePitchAlgorithm = .varispeed
            #expect(item.copy().audioTimePitchAlgorithm == .varispeed)
            let fixture = try PlayerFixture([item]) { $0.sampleTap = { slice in samples.update { $0 += slice } } }
            fixture.player.rate = 1.5
            try fixture.waitForFrames(5)
            #expect(abs(try measurePitchInHertz(samples) - 450) < 25)
            // A change of the pitch algorithm applies at once during playback.
            let jumpCount = fixture.count("timeJumped")
            item.audioTimePitchAlgorithm = .timeDomain
            try fixture.wait(for: "timeJumped", times: jumpCount + 1)
            #expect(abs(try measurePitchInHertz(samples) - 300) < 25)
        }
    }
}
