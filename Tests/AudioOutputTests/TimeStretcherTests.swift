import Glibc
import Testing

@testable import AudioOutput

@Suite struct TimeStretcherTests {
    private static let rate = 48_000
    /// The samples of one second of a tone of 440 Hz.
    private static let tone = (0..<rate).map { Float(sin(2 * Double.pi * 440 * Double($0) / Double(rate))) * 0.5 }

    /// Returns the frequency of a tone in hertz, computed from its number of sign changes from minus to plus.
    private static func frequency(_ samples: [Float]) -> Double {
        Double(zip(samples, samples.dropFirst()).count { $0 < 0 && $1 >= 0 }) * Double(rate)
            / Double(max(samples.count, 1))
    }

    @Test(arguments: [0.5, 1.5, 2], [true, false]) func pitchStaysOrFollowsTheSpeed(_ speed: Double, _ keepsPitch: Bool)
        throws
    {
        let stretcher = try #require(TimeStretcher(rate: Self.rate, channels: 1, speed: speed, keepsPitch: keepsPitch))
        var result: [Float] = []
        for start in stride(from: 0, to: Self.rate, by: 1000) {
            result += stretcher.process(Self.tone[start..<start + 1000])
        }
        result += stretcher.process([], isFinal: true)
        #expect(abs(Double(result.count) * speed / Double(Self.rate) - 1) < 0.05)
        #expect(abs(Self.frequency(result) / (keepsPitch ? 440 : 440 * speed) - 1) < 0.05)
    }
}
