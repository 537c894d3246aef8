import Testing

@testable import AudioOutput

@Suite struct ClockDriftDetectorTests {
    private let tuning = RenderTuning()
    private let sampleRate = 48_000

    /// Simulates consecutive measurement windows of the shortest permitted length. In each, the device's clock runs at
    /// a speed in percent of its nominal speed. Returns whether the detector accepts the clock before the first window
    /// and after each window.
    private func resultsOfWindows(
        _ detector: inout ClockDriftDetector, percent speeds: [Int], from start: Int64 = 0
    ) -> [Bool] {
        var frameCount = 0, time = start
        var results = [detector.recordAndCheck(frames: frameCount, time: time, rate: sampleRate, tuning)]
        for speed in speeds {
            time += tuning.driftWindow
            frameCount += 360 * speed
            results.append(detector.recordAndCheck(frames: frameCount, time: time, rate: sampleRate, tuning))
        }
        return results
    }

    @Test("A device at the right speed or at the limit of the tolerance is accepted", arguments: [75, 99, 100, 125])
    func clockWithinTheToleranceIsAccepted(percent: Int) {
        var detector = ClockDriftDetector()
        #expect(resultsOfWindows(&detector, percent: [percent, percent, percent]) == [true, true, true, true])
    }

    @Test("A wrong speed is rejected in the second consecutive window", arguments: [0, 50, 74, 126, 200])
    func wrongSpeedIsRejectedInTheSecondWindow(percent: Int) {
        var detector = ClockDriftDetector()
        #expect(resultsOfWindows(&detector, percent: [percent, percent]) == [true, true, false])
    }

    @Test("A window at the right speed between two windows at a wrong speed restarts the count")
    func windowAtTheRightSpeedResetsTheCountOfWindowsAtAWrongSpeed() {
        var detector = ClockDriftDetector()
        #expect(resultsOfWindows(&detector, percent: [200, 100, 200, 100]).allSatisfy { $0 })
    }

    @Test("Wrong speeds in both directions count together")
    func tooFastAndTooSlowWindowsCountTogether() {
        var detector = ClockDriftDetector()
        #expect(resultsOfWindows(&detector, percent: [200, 50]) == [true, true, false])
    }

    @Test("The speed is not checked in a window that is too short")
    func speedIsNotCheckedInATooShortWindow() {
        var detector = ClockDriftDetector()
        _ = detector.recordAndCheck(frames: 0, time: 0, rate: sampleRate, tuning)
        for time in 1...100 {
            let isSpeedAcceptable = detector.recordAndCheck(
                frames: 1_000_000 * time, time: Int64(time), rate: sampleRate, tuning)
            #expect(isSpeedAcceptable)
        }
    }

    @Test("The speed is measured from the start of the window, however many calls there are")
    func frequentMeasurementsDoNotRestartTheWindow() {
        var detector = ClockDriftDetector()
        // The device runs at half speed and is measured every 10 ms: 151 measurements are two windows of 750 ms.
        let results = (0...150).map {
            detector.recordAndCheck(frames: 240 * $0, time: Int64($0) * 10_000_000, rate: sampleRate, tuning)
        }
        #expect(results.firstIndex(of: false) == 150)
    }

    @Test("The speed is not checked in a window in which the process did not run")
    func speedIsNotCheckedInAWindowInWhichTheProcessDidNotRun() {
        var detector = ClockDriftDetector()
        _ = detector.recordAndCheck(frames: 0, time: 0, rate: sampleRate, tuning)
        for number in 1...3 as ClosedRange<Int64> {
            let isSpeedAcceptable = detector.recordAndCheck(
                frames: 0, time: number * tuning.driftWindow * 2, rate: sampleRate, tuning)
            #expect(isSpeedAcceptable)
        }
    }

    @Test("A restart of the device discards the window with a wrong speed before it")
    func deviceRestartDiscardsThePreviousWindow() {
        var detector = ClockDriftDetector()
        _ = resultsOfWindows(&detector, percent: [200])
        detector.reset()
        #expect(resultsOfWindows(&detector, percent: [200], from: 5_000_000_000) == [true, true])
    }
}
