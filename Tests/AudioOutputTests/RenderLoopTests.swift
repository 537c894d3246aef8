import AudioPolicy
import Glibc
import SystemCalls
import Testing

@testable import AudioOutput

/// Tests the audio renderer with devices that fail.
@Suite(.serialized, .measuresTime) struct RenderLoopTests {
    /// Parameters of the render thread with short timeouts, so that the tests are fast.
    private var shortTimeouts: RenderTuning {
        var tuning = RenderTuning()
        tuning.firstRecoveryDelay = 1_000_000
        tuning.stallTimeout = 40_000_000
        return tuning
    }

    /// Starts to play `frames` numbered frames on a device. Returns the renderer, and the thread that writes the
    /// frames.
    private func play(_ device: TestPCM, frames: Int = 14_400, tuning: RenderTuning? = nil) throws -> (
        AudioRenderer, FrameWriter
    ) {
        let renderer = try AudioRenderer(device: device, name: "test", tuning: tuning ?? shortTimeouts)
        let frameWriter = try FrameWriter(renderer, 0..<frames)
        renderer.start()
        return (renderer, frameWriter)
    }

    @Test(arguments: [EPIPE, ESTRPIPE, EIO])
    func recoversFromEachErrorAndPlaysAllFrames(code: Int32) throws {
        var faults = TestPCM.Faults()
        faults.timingErrors = [0, 0, 0, code]
        faults.writeErrors = Array(repeating: 0, count: 12) + [code]
        faults.waitErrors = [0, 0, code, 0, 0, 0, code]
        let device = TestPCM(faults: faults)
        var tuning = shortTimeouts
        // Playback fades in after each recovery, also after an underrun on a busy machine. The test disables fades, so
        // that each sample keeps the value that encodes its frame number.
        tuning.fadeDuration = 0
        let (renderer, frameWriter) = try play(device, frames: 28_800, tuning: tuning)
        defer {
            frameWriter.stop()
            renderer.close()
        }
        let events = try renderer.events { $0 == .drained }
        #expect(events?.contains(.recovered) == true)
        #expect(events?.last == .drained)
        #expect(renderer.reading?.position == 28_800)
        let numbers = Set(device.record.withLock { $0.samples }.map { Int(($0 * 65536 - 1).rounded()) })
        let missingFrames = Set(0..<28_800).subtracting(numbers)
        #expect(
            missingFrames.isEmpty,
            "\(missingFrames.count) frames, from \(missingFrames.min() ?? 0) to \(missingFrames.max() ?? 0)")
        if code == ESTRPIPE { #expect(device.record.withLock { $0.resumeCount } > 0) }
    }

    @Test func resumingIsRetriedWhileTheDeviceIsNotReady() throws {
        var faults = TestPCM.Faults()
        faults.timingErrors = [0, 0, ESTRPIPE]
        faults.resumeErrors = [EAGAIN, EAGAIN, ENOSYS]
        let device = TestPCM(faults: faults)
        let (renderer, frameWriter) = try play(device)
        defer {
            frameWriter.stop()
            renderer.close()
        }
        #expect(try renderer.events { $0 == .drained }?.contains(.recovered) == true)
        #expect(device.record.withLock { $0.resumeCount } == 3)
    }

    @Test func lostDeviceIsReportedOnce() throws {
        var faults = TestPCM.Faults()
        faults.timingErrors = [0, 0, 0, ENODEV]
        faults.permanentPrepareError = ENODEV
        let (renderer, frameWriter) = try play(TestPCM(faults: faults))
        defer {
            frameWriter.stop()
            renderer.close()
        }
        let events = try renderer.events { if case .failed = $0 { true } else { false } }
        // On a slow machine, an underrun may precede the simulated device failure.
        #expect(events?.count { if case .failed = $0 { true } else { false } } == 1)
        guard case .failed(let error)? = events?.last else {
            Issue.record("no failure in \(String(describing: events))")
            return
        }
        #expect(error.failure.errorNumber == ENODEV)
        #expect(error.description.contains("aplay -L"))
        #expect(renderer.reading == nil)
        #expect(renderer.flush(), "the flush of a lost device did not complete at once")
        renderer.close()
        #expect(renderer.takeEvents().isEmpty)
    }

    @Test func deviceThatConsumesNoFramesFails() throws {
        let device = TestPCM()
        let (renderer, frameWriter) = try play(device, frames: 1_000_000)
        defer {
            frameWriter.stop()
            renderer.close()
        }
        #expect(try renderer.waitForReading { $0.position >= 4_800 } != nil)
        device.faults.withLock { $0.isNeverReady = true }
        let events = try renderer.events { if case .failed = $0 { true } else { false } }
        guard case .failed(let error)? = events?.last else {
            Issue.record("no failure in \(String(describing: events))")
            return
        }
        #expect(error.failure.errorNumber == ETIMEDOUT)
    }

    @Test func slowDeviceSlowsTheClock() throws {
        let device = TestPCM(speedPercent: 50)
        var tuning = shortTimeouts
        tuning.drainedQueueLimit = 1_000_000_000
        tuning.driftWindow = .max
        let (renderer, frameWriter) = try play(device, frames: 48_000, tuning: tuning)
        defer {
            frameWriter.stop()
            renderer.close()
        }
        guard let firstReading = try renderer.waitForReading({ $0.position >= 10_000 }),
            let secondReading = try renderer.waitForReading({ $0.position >= 30_000 })
        else {
            Issue.record("the clock does not move")
            return
        }
        let frames = Double(secondReading.position - firstReading.position)
        let expectedFrames = Double(renderer.format.frames(in: secondReading.hostTime - firstReading.hostTime)) / 2
        // Each of the two clock readings may be wrong by up to 40 ms.
        #expect(abs(frames - expectedFrames) < 2 * ClockSmoother.jumpLimit * 48_000)
        #expect(try renderer.events { $0 == .drained } == [.drained])
        #expect(renderer.reading?.position == 48_000)
    }

    @Test func deviceThatAlwaysUnderrunsFails() throws {
        let device = TestPCM()
        device.faults.withLock { $0.timingErrors = Array(repeating: EPIPE, count: 1000) }
        let (renderer, frameWriter) = try play(device, frames: 480_000)
        defer {
            frameWriter.stop()
            renderer.close()
        }
        let events = try renderer.events { if case .failed = $0 { true } else { false } }
        #expect(events?.isEmpty == false)
        #expect(device.record.withLock { $0.prepareCount } == 6)
    }

    @Test(arguments: [50, 200])
    func deviceWithAWrongClockFails(speedPercent: Int64) throws {
        var tuning = shortTimeouts
        tuning.driftWindow = 100_000_000
        let (renderer, frameWriter) = try play(TestPCM(speedPercent: speedPercent), frames: 480_000, tuning: tuning)
        defer {
            frameWriter.stop()
            renderer.close()
        }
        let events = try renderer.events { if case .failed = $0 { true } else { false } }
        guard case .failed(let error)? = events?.last else {
            Issue.record("no failure in \(String(describing: events))")
            return
        }
        #expect(error.failure.isClockDrift && error.description.contains("clock"), "\(error)")
        #expect(renderer.reading == nil)
    }

    @Test func blockedWriteIsDetectedAndDoesNotBlockClosing() throws {
        let device = TestPCM()
        var tuning = shortTimeouts
        tuning.hangTimeout = 50_000_000
        tuning.closeTimeout = 20_000_000
        let (renderer, frameWriter) = try play(device, frames: 480_000, tuning: tuning)
        defer { frameWriter.stop() }
        #expect(try renderer.waitForReading { $0.position >= 4_800 } != nil)
        #expect(renderer.hangDeadline > MonotonicTime.now)
        device.blocksWrites.withLock { $0 = true }
        let overdueReading = try renderer.waitForReading { _ in renderer.hangDeadline < MonotonicTime.now }
        #expect(overdueReading != nil)
        renderer.pause()
        renderer.requestFlush()
        #expect(!renderer.close(), "closing waited for the blocked thread")
        #expect(!device.record.withLock { $0.isClosed })
        device.blocksWrites.update { $0 = false }
        let isClosed: Bool? = device.record.wait(until: MonotonicTime.now + 10 * MonotonicTime.nanosecondsPerSecond) {
            $0.isClosed ? true : nil
        }
        #expect(isClosed == true, "the thread did not close the device after the call returned")
    }

    /// Recovering from a device failure must not raise the level of audio that is lowered (ducked) for another program.
    @Test(arguments: [EPIPE, ESTRPIPE, EIO])
    func failureDoesNotRaiseTheLevelOfDuckedAudio(code: Int32) throws {
        let device = TestPCM(), session = try SharedGainPage()
        session.set(DuckCommand(decibels: 14, milliseconds: 0, time: 0))
        let duckedGain = Float(pow(10, -14.0 / 20))
        let renderer = try AudioRenderer(device: device, name: "test", tuning: shortTimeouts, session: session)
        let frameWriter = try FrameWriter(renderer, 0..<28_800)
        defer {
            frameWriter.stop()
            renderer.close()
        }
        renderer.start()
        var previousPosition: Int64 = 0, isMonotonic = true
        let checkPosition = { (reading: AudioClock.Reading) in
            isMonotonic = isMonotonic && reading.position >= previousPosition
            previousPosition = reading.position
        }
        for (recoveryCount, failurePosition) in zip(0..., [5_000, 9_000, 13_000] as [Int64]) {
            // Wait for the recovery from the previous failure, which may still be pending if this thread was delayed.
            #expect(
                try renderer.waitForReading {
                    checkPosition($0)
                    return $0.position >= failurePosition && renderer.recoveries == recoveryCount
                } != nil)
            device.faults.withLock { $0.timingErrors = [code] }
        }
        #expect(
            try renderer.waitForReading {
                checkPosition($0)
                return $0.position >= 28_800
            } != nil)
        #expect(isMonotonic)
        #expect(renderer.recoveries == 3)
        let samples = device.record.withLock { $0.samples }
        #expect((samples.max() ?? 1) <= 28_800 / 65536 * duckedGain * 1.0001)
        // The audio is lowered by 14 dB, so every sample after the last fade-in is at -14 dB.
        let loudestIndex = try #require(samples.lastIndex(of: samples.max() ?? 1))
        let frameNumbers = samples[(loudestIndex - 6_000)...loudestIndex].map { $0 / duckedGain * 65536 - 1 }
        #expect(frameNumbers.allSatisfy { abs($0 - $0.rounded()) < 0.02 })
        #expect(zip(frameNumbers, frameNumbers.dropFirst()).allSatisfy { $1.rounded() == $0.rounded() + 1 })
    }

    /// A program usually pauses when its audio session is interrupted. The interruption's fade of 30 ms must then be
    /// audible, and not the pause's fade of 6 ms.
    @Test func pauseKeepsTheFadeOfAnInterruption() throws {
        let device = TestPCM(), session = try SharedGainPage()
        let renderer = try AudioRenderer(device: device, name: "test", session: session)
        let frameWriter = try FrameWriter(renderer, 0..<48_000)
        defer {
            frameWriter.stop()
            renderer.close()
        }
        renderer.start()
        #expect(try renderer.waitForReading { $0.position >= 9_000 } != nil)
        session.setGate(isOpen: false, milliseconds: 30)
        renderer.pause()
        _ = try renderer.waitForReading { !$0.isRunning }
        let samples = device.record.withLock { $0.samples }
        let loudestIndex = try #require(samples.lastIndex(of: samples.max() ?? 1)),
            silenceIndex = try #require(samples[loudestIndex...].firstIndex { $0 == 0 })
        let fadeFrames = silenceIndex - loudestIndex
        #expect((1_000...1_500).contains(fadeFrames), "\(fadeFrames) frames at 48 kHz")
    }

    @Test func pauseDiscardsALongQueueAndResumingPlaysItAgain() throws {
        var faults = TestPCM.Faults()
        // The device reports an additional delay of 150 ms at 48 kHz, as a wireless speaker does.
        faults.extraDelay = 7_200
        let device = TestPCM(faults: faults)
        let (renderer, frameWriter) = try play(device, frames: 48_000)
        defer {
            frameWriter.stop()
            renderer.close()
        }
        #expect(try renderer.waitForReading { $0.position >= 5_000 } != nil)
        renderer.pause()
        let pausedReading = try renderer.waitForReading { !$0.isRunning }
        #expect(device.record.withLock { $0.dropCount } == 1)
        #expect((pausedReading?.position ?? .max) < 12_000)
        renderer.start()
        #expect(try renderer.waitForReading { $0.position >= 12_000 } != nil)
        #expect(renderer.flush())
        #expect(renderer.reading?.position == 0)
        #expect(device.record.withLock { $0.dropCount } == 2)
    }
}
