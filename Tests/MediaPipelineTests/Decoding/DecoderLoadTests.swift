import Testing

@testable import MediaPipeline

@Suite struct DecoderLoadTests {
    /// Returns the decoder load after pictures with the given decode times, in milliseconds.
    private func decoderLoad(afterDecodeTimes decodeTimes: [Int64], frameRate: Double) -> DecoderLoad {
        var load = DecoderLoad()
        for time in decodeTimes { load.record(time * 1_000_000, frameRate: frameRate) }
        return load
    }

    @Test(
        "one thread is too slow if it needs more than half of a frame's duration",
        arguments: [
            (15, 30, false), (18, 30, true), (7, 60, false), (10, 60, true), (15, 0, false), (18, 0, true),
            (18, .infinity, true), (18, .nan, true),
        ] as [(Int64, Double, Bool)])
    func loadDependsOnTimeAndFrameRate(_ time: Int64, _ frameRate: Double, _ isTooHigh: Bool) {
        #expect(
            decoderLoad(afterDecodeTimes: Array(repeating: time, count: 200), frameRate: frameRate).isTooHigh
                == isTooHigh)
    }

    @Test("single slow pictures, and slow pictures at the start, do not count")
    func singleSlowPicturesDoNotCount() {
        let timesWithSlowStart = Array(repeating: Int64(100), count: 5) + Array(repeating: 5, count: 200)
        #expect(!decoderLoad(afterDecodeTimes: timesWithSlowStart, frameRate: 30).isTooHigh)
        #expect(
            !decoderLoad(afterDecodeTimes: Array(repeating: 5, count: 100) + [60_000] + [5, 5], frameRate: 30).isTooHigh
        )
        let timesWithSlowTwentieths = (0..<400).map { $0 % 20 == 0 ? Int64(60) : 8 }
        #expect(!decoderLoad(afterDecodeTimes: timesWithSlowTwentieths, frameRate: 30).isTooHigh)
    }

    @Test("a load that was too high stays too high")
    func highLoadIsRemembered() {
        let times = Array(repeating: Int64(30), count: 100) + Array(repeating: 1, count: 1000)
        #expect(decoderLoad(afterDecodeTimes: times, frameRate: 30).isTooHigh)
    }
}
