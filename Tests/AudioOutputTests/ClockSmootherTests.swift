import Testing

@testable import AudioOutput

@Suite struct ClockSmootherTests {
    /// Simulates a device whose clock is 200 ppm slow and whose position reports have a sawtooth error of 3 ms.
    @Test func smoothedClockHasLessJitterAndFollowsDrift() {
        var smoother = ClockSmoother(rate: 48000)
        var largestError = 0.0, previousFrame = -1000.0
        for i in 0..<2000 {
            let time = Int64(i) * 10_000_000
            let trueFrame = Double(i) * 480 * 0.9998
            smoother.update(measured: trueFrame + Double(i % 7) * 24 - 72, time: time)
            let frame = smoother.frame(at: time)
            #expect(frame > previousFrame)
            previousFrame = frame
            if i > 500 { largestError = max(largestError, abs(frame - trueFrame)) }
        }
        #expect(largestError < 48, "the error is \(largestError) frames, more than 1 ms")
    }

    @Test func stallOfTheDeviceRestartsTheSmoothing() {
        var smoother = ClockSmoother(rate: 48000)
        smoother.update(measured: 0, time: 0)
        smoother.update(measured: 480, time: 10_000_000)
        smoother.update(measured: 480, time: 200_000_000)
        #expect(smoother.frame(at: 200_000_000) == 480)
    }
}
