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

    /// Reports the position of a device whose clock runs at `speed` times the nominal speed, every 10 ms.
    private func report(seconds: Range<Int>, speed: Double, to smoother: inout ClockSmoother) {
        for step in seconds.lowerBound * 100..<seconds.upperBound * 100 {
            smoother.update(measured: Double(step) * 480 * speed, time: Int64(step) * 10_000_000)
        }
    }

    @Test("a reset discards the line, but the drift of the device's clock remains")
    func driftRemainsAfterAReset() {
        var smoother = ClockSmoother(rate: 48_000)
        let nominalSlope = smoother.slope
        report(seconds: 0..<60, speed: 0.999, to: &smoother)
        smoother.reset()
        #expect(!smoother.hasDeviceReport)
        smoother.update(measured: 5, time: 100_000_000_000)
        #expect(smoother.frame == 5 && smoother.time == 100_000_000_000)
        #expect(abs(smoother.slope / nominalSlope - 0.999) < 0.0001)
    }

    @Test("a report that is not later than the last one is ignored")
    func lateReportsAreIgnored() {
        var smoother = ClockSmoother(rate: 48_000)
        report(seconds: 0..<1, speed: 1, to: &smoother)
        let (frame, time, slope) = (smoother.frame, smoother.time, smoother.slope)
        for reportTime in [time, time - 1, 0] { smoother.update(measured: frame + 500, time: reportTime) }
        #expect(smoother.frame == frame && smoother.time == time && smoother.slope == slope)
    }

    @Test("a deviation of up to 40 ms bends the line, a larger one restarts it", arguments: [-41, -39, 39, 41])
    func largeDeviationRestartsTheLine(milliseconds: Int) {
        var smoother = ClockSmoother(rate: 48_000)
        report(seconds: 0..<10, speed: 1, to: &smoother)
        let time = smoother.time + 10_000_000, expected = smoother.frame(at: time)
        let measured = expected + Double(milliseconds) * 48
        smoother.update(measured: measured, time: time)
        #expect(abs(smoother.frame(at: time) - (abs(milliseconds) > 40 ? measured : expected)) < 0.001)
        #expect(smoother.slope > 0)
    }

    @Test("in its first half second the line corrects an error of its start, afterwards it follows slowly")
    func lineFollowsQuicklyAtFirst() {
        /// Returns the correction of the slope, as a fraction, after a report that is 1 ms late at a time in seconds.
        func correction(after seconds: Int) -> Double {
            var smoother = ClockSmoother(rate: 48_000)
            let nominalSlope = smoother.slope
            smoother.update(measured: 0, time: 0)
            if seconds > 0 { report(seconds: 0..<seconds, speed: 1, to: &smoother) }
            let time = smoother.time + 10_000_000
            smoother.update(measured: smoother.frame(at: time) - 48, time: time)
            return smoother.slope / nominalSlope - 1
        }
        #expect(abs(correction(after: 0) + 0.0125) < 0.0001 && abs(correction(after: 1) + 0.00125) < 0.0001)
    }
}
