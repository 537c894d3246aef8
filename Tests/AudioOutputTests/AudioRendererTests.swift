import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import AudioOutput

/// Tests the audio renderer with a working device that runs at the speed of host time.
@Suite(.serialized, .measuresTime) struct AudioRendererTests {
    /// Returns the numbers of the frames that reached the device without a fade, in the order of arrival.
    private func unalteredFrameNumbers(_ device: TestPCM) -> [Int] {
        device.record.withLock { $0.samples }.compactMap { value in
            let number = value * 65536 - 1
            return number >= 0 && number == number.rounded() ? Int(number) : nil
        }
    }

    /// Records an issue if frames are repeated or out of order.
    ///
    /// `unalteredFrameNumbers(_:)` omits the 288 frames of each fade at the start and end of playback.
    private func expectFramesInOrder(_ numbers: [Int], sourceLocation: SourceLocation = #_sourceLocation) {
        // A faded sample can equal the sample of another frame by chance. Therefore only a frame number that is one
        // higher than the previous number is checked.
        var consecutiveNumbers: [Int] = []
        for i in numbers.indices.dropFirst() where numbers[i] == numbers[i - 1] + 1 {
            consecutiveNumbers.append(numbers[i])
        }
        for i in consecutiveNumbers.indices.dropFirst() where consecutiveNumbers[i] <= consecutiveNumbers[i - 1] {
            Issue.record(
                "frame \(consecutiveNumbers[i]) after \(consecutiveNumbers[i - 1])", sourceLocation: sourceLocation)
            return
        }
    }

    @Test func rendererPlaysAllFramesAndReportsTheEnd() throws {
        let device = TestPCM()
        let renderer = try AudioRenderer(device: device, name: "test")
        let frameWriter = try FrameWriter(renderer, 0..<24_000)
        defer {
            frameWriter.stop()
            renderer.close()
        }
        renderer.start()
        let events = try renderer.events { $0 == .drained }
        #expect(events == [.drained])
        #expect(renderer.reading?.position == 24_000)
        #expect(renderer.reading?.isRunning == false)
        #expect(renderer.underruns == 0)
        let numbers = unalteredFrameNumbers(device)
        expectFramesInOrder(numbers)
        #expect(
            Set(288..<24_000).subtracting(numbers).count == 0,
            "a frame after the fade-in was altered or lost")
        renderer.close()
        renderer.close()
        #expect(device.record.withLock { $0.isClosed })
    }

    @Test(arguments: [true, false])
    func pauseNeitherLosesNorRepeatsFrames(canPause: Bool) throws {
        let device = TestPCM(canPause: canPause)
        let renderer = try AudioRenderer(device: device, name: "test")
        let frameWriter = try FrameWriter(renderer, 0..<30_000)
        defer {
            frameWriter.stop()
            renderer.close()
        }
        renderer.start()
        for (pauseNumber, pausePosition) in [5_000, 12_000].enumerated() {
            #expect(try renderer.waitForReading { $0.position >= pausePosition } != nil)
            renderer.pause()
            let deadline = MonotonicTime.now + 10 * MonotonicTime.nanosecondsPerSecond
            #expect(
                device.record.wait(until: deadline) {
                    (canPause ? $0.pauseCount : $0.dropCount) > pauseNumber ? true : nil
                } == true)
            let pausedReading = renderer.reading
            #expect(pausedReading?.isRunning == false)
            #expect(renderer.reading?.position == pausedReading?.position)
            renderer.start()
        }
        #expect(try renderer.events { $0 == .drained } == [.drained])
        #expect(renderer.reading?.position == 30_000)
        #expect(renderer.underruns == 0)
        let numbers = unalteredFrameNumbers(device)
        expectFramesInOrder(numbers)
        #expect(Set(288..<30_000).subtracting(numbers).count <= 4 * 288)
        device.record.withLock { #expect(canPause ? $0.pauseCount >= 2 : $0.dropCount >= 2) }
    }

    @Test func flushDiscardsOldFramesAndResetsThePosition() throws {
        let device = TestPCM()
        let renderer = try AudioRenderer(device: device, name: "test")
        let oldWriter = try FrameWriter(renderer, 0..<10_000_000, marksEndOfStream: false)
        defer {
            oldWriter.stop()
            renderer.close()
        }
        renderer.start()
        #expect(try renderer.waitForReading { $0.position >= 9_000 } != nil)
        oldWriter.stop()
        #expect(renderer.flush())
        #expect(renderer.reading?.position == 0)
        let oldSampleCount = device.record.withLock { $0.samples.count }
        let newWriter = try FrameWriter(renderer, 40_000..<50_000)
        defer { newWriter.stop() }
        #expect(try renderer.events { $0 == .drained }?.last == .drained)
        #expect(renderer.reading?.position == 10_000)
        #expect(renderer.underruns == 0, "the empty ring after a flush counted as an underrun")
        let newSamples = device.record.withLock { $0.samples[oldSampleCount...] }
        let numbers = Set(newSamples.map { Int(($0 * 65536 - 1).rounded()) })
        #expect(Set(40_288..<50_000).subtracting(numbers).count == 0)
    }

    @Test func flushDuringAPauseTakesEffectAtOnce() throws {
        let renderer = try AudioRenderer(device: TestPCM(), name: "test")
        let oldWriter = try FrameWriter(renderer, 0..<5_000, marksEndOfStream: true)
        defer {
            oldWriter.stop()
            renderer.close()
        }
        #expect(try renderer.waitForReading { _ in renderer.freeFrames < 9_600 } != nil)
        oldWriter.stop()
        #expect(renderer.flush())
        let pausedReading = renderer.reading
        #expect(pausedReading?.position == 0)
        #expect(pausedReading?.isRunning == false)
        let newWriter = try FrameWriter(renderer, 0..<5_000)
        defer { newWriter.stop() }
        renderer.start()
        #expect(try renderer.events { $0 == .drained } == [.drained])
        #expect(renderer.reading?.position == 5_000)
    }

    @Test func lateSamplesStopTheClockAndNoFrameIsLost() throws {
        let device = TestPCM()
        let renderer = try AudioRenderer(device: device, name: "test")
        let firstWriter = try FrameWriter(renderer, 0..<8_000, marksEndOfStream: false)
        defer {
            firstWriter.stop()
            renderer.close()
        }
        renderer.start()
        let events = try renderer.events { if case .underrun = $0 { true } else { false } }
        #expect(events == [.underrun(count: 1)])
        let stalledReading = try renderer.waitForReading { !$0.isRunning && $0.position == 8_000 }
        #expect(stalledReading != nil, "the clock did not stop at the last frame")
        let secondWriter = try FrameWriter(renderer, 8_000..<16_000)
        defer { secondWriter.stop() }
        #expect(try renderer.events { $0 == .drained } == [.drained])
        #expect(renderer.reading?.position == 16_000)
        #expect(renderer.underruns == 1)
        expectFramesInOrder(unalteredFrameNumbers(device))
    }

    @Test func clockIsMonotonicAndFollowsHostTime() throws {
        let renderer = try AudioRenderer(device: TestPCM(), name: "test")
        let frameWriter = try FrameWriter(renderer, 0..<48_000)
        defer {
            frameWriter.stop()
            renderer.close()
        }
        renderer.start()
        var readings: [AudioClock.Reading] = []
        #expect(
            try renderer.waitForReading {
                readings.append($0)
                return $0.position >= 40_000
            } != nil)
        for (a, b) in zip(readings, readings.dropFirst()) { #expect(a.position <= b.position) }
        let runningReadings = readings.filter(\.isRunning)
        if let first = runningReadings.first, let last = runningReadings.last {
            let duration = renderer.format.nanoseconds(of: Int(last.position - first.position))
            #expect(abs(last.hostTime - first.hostTime - duration) < 3_000_000, "positions and host times disagree")
        }
    }

    @Test func volumeRampsWithoutAStep() throws {
        let device = TestPCM()
        let renderer = try AudioRenderer(device: device, name: "test")
        defer { renderer.close() }
        let input = [Float](repeating: 0.5, count: 2 * 9_600)
        #expect(input.withUnsafeBufferPointer { renderer.write($0) } == 9_600)
        renderer.markEndOfStream()
        renderer.start()
        renderer.setVolume(0.1, muted: false, ramp: 50_000_000)
        #expect(try renderer.events { $0 == .drained } == [.drained])
        let samples = device.record.withLock { $0.samples }
        let largestStep = zip(samples, samples.dropFirst()).map { abs($0 - $1) }.max() ?? 1
        #expect(largestStep < 0.005)
        #expect(samples.contains { abs($0 - 0.05) < 1e-6 })
    }
}
