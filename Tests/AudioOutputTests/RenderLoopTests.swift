import AudioPolicy
import Glibc
import SystemCalls
import Testing

@testable import AudioOutput

/// The renderer on devices that misbehave.
@Suite(.serialized) struct RenderLoopTests {
    private var quick: RenderTuning {
        var tuning = RenderTuning()
        tuning.backoff = 1_000_000
        tuning.stallLimit = 40_000_000
        return tuning
    }

    private func play(_ device: TestPCM, frames: Int = 14_400, tuning: RenderTuning? = nil) throws -> (
        AudioRenderer, Feeder
    ) {
        let renderer = try AudioRenderer(device: device, name: "test", tuning: tuning ?? quick)
        let feeder = try Feeder(renderer, 0..<frames)
        renderer.start()
        return (renderer, feeder)
    }

    @Test(arguments: [EPIPE, ESTRPIPE, EIO])
    func recoversFromEachErrorAndPlaysAll(code: Int32) throws {
        var faults = TestPCM.Faults()
        faults.timing = [0, 0, 0, code]
        faults.write = Array(repeating: 0, count: 12) + [code]
        faults.wait = [0, 0, code, 0, 0, 0, code]
        let device = TestPCM(faults: faults)
        var tuning = quick
        // Each recovery fades in, one from an underrun on a busy machine too. Without fades every frame keeps its
        // number.
        tuning.fade = 0
        let (renderer, feeder) = try play(device, frames: 28_800, tuning: tuning)
        defer {
            feeder.stop()
            renderer.close()
        }
        let events = try renderer.events { $0 == .drained }
        #expect(events?.contains(.recovered) == true)
        #expect(events?.last == .drained)
        #expect(renderer.reading?.position == 28_800)
        let numbers = Set(device.record.withLock { $0.samples }.map { Int(($0 * 65536 - 1).rounded()) })
        let missing = Set(0..<28_800).subtracting(numbers)
        #expect(missing.isEmpty, "\(missing.count) frames, from \(missing.min() ?? 0) to \(missing.max() ?? 0)")
        if code == ESTRPIPE { #expect(device.record.withLock { $0.resumes } > 0) }
    }

    @Test func waitsForAMachineThatWakesSlowly() throws {
        var faults = TestPCM.Faults()
        faults.timing = [0, 0, ESTRPIPE]
        faults.resume = [EAGAIN, EAGAIN, ENOSYS]
        let device = TestPCM(faults: faults)
        let (renderer, feeder) = try play(device)
        defer {
            feeder.stop()
            renderer.close()
        }
        #expect(try renderer.events { $0 == .drained }?.contains(.recovered) == true)
        #expect(device.record.withLock { $0.resumes } == 3)
    }

    @Test func aLostDeviceIsReportedOnceAndTheThreadIdles() throws {
        var faults = TestPCM.Faults()
        faults.timing = [0, 0, 0, ENODEV]
        faults.prepareForever = ENODEV
        let (renderer, feeder) = try play(TestPCM(faults: faults))
        defer {
            feeder.stop()
            renderer.close()
        }
        let events = try renderer.events { if case .failed = $0 { true } else { false } }
        #expect(events?.count == 1)
        guard case .failed(let error)? = events?.last else {
            Issue.record("no failure in \(String(describing: events))")
            return
        }
        #expect(error.failure.code == ENODEV)
        #expect(error.description.contains("aplay -L"))
        #expect(renderer.reading == nil)
        #expect(renderer.flush(), "nothing can be heard: that is so at once")
        renderer.close()
        #expect(renderer.takeEvents().isEmpty)
    }

    @Test func aDeviceThatTakesNothingIsGivenUp() throws {
        let device = TestPCM()
        let (renderer, feeder) = try play(device, frames: 1_000_000)
        defer {
            feeder.stop()
            renderer.close()
        }
        #expect(try renderer.waitForReading { $0.position >= 4_800 } != nil)
        device.faults.withLock { $0.isNeverReady = true }
        let events = try renderer.events { if case .failed = $0 { true } else { false } }
        guard case .failed(let error)? = events?.last else {
            Issue.record("no failure in \(String(describing: events))")
            return
        }
        #expect(error.failure.code == ETIMEDOUT)
    }

    @Test func aSlowDeviceSlowsTheClock() throws {
        let device = TestPCM(speedPercent: 50)
        var tuning = quick
        tuning.longestPlayOut = 1_000_000_000
        tuning.paceWindow = .max
        let (renderer, feeder) = try play(device, frames: 48_000, tuning: tuning)
        defer {
            feeder.stop()
            renderer.close()
        }
        guard let a = try renderer.waitForReading({ $0.position >= 10_000 }),
            let b = try renderer.waitForReading({ $0.position >= 30_000 })
        else {
            Issue.record("the clock does not move")
            return
        }
        let frames = Double(b.position - a.position)
        let half = Double(renderer.format.frames(in: b.hostTime - a.hostTime)) / 2
        // Off by one jump limit (40 ms) at each end at most.
        #expect(abs(frames - half) < 2 * ClockSmoother.jumpLimit * 48_000)
        #expect(try renderer.events { $0 == .drained } == [.drained])
        #expect(renderer.reading?.position == 48_000)
    }

    @Test func aDeviceThatAlwaysRunsDryIsGivenUp() throws {
        let device = TestPCM()
        device.faults.withLock { $0.timing = Array(repeating: EPIPE, count: 1000) }
        let (renderer, feeder) = try play(device, frames: 480_000)
        defer {
            feeder.stop()
            renderer.close()
        }
        let events = try renderer.events { if case .failed = $0 { true } else { false } }
        #expect(events?.isEmpty == false)
        #expect(device.record.withLock { $0.prepares } == 6)
    }

    @Test(arguments: [50, 200])
    func aDeviceWithAWrongClockIsGivenUp(speedPercent: Int64) throws {
        var tuning = quick
        tuning.paceWindow = 100_000_000
        let (renderer, feeder) = try play(TestPCM(speedPercent: speedPercent), frames: 480_000, tuning: tuning)
        defer {
            feeder.stop()
            renderer.close()
        }
        let events = try renderer.events { if case .failed = $0 { true } else { false } }
        guard case .failed(let error)? = events?.last else {
            Issue.record("no failure in \(String(describing: events))")
            return
        }
        #expect(error.failure.isWrongClock && error.description.contains("clock"), "\(error)")
        #expect(renderer.reading == nil)
    }

    @Test func aCallThatDoesNotReturnIsSeenAndHoldsNobodyUp() throws {
        let device = TestPCM()
        var tuning = quick
        tuning.hangLimit = 50_000_000
        tuning.closeLimit = 20_000_000
        let (renderer, feeder) = try play(device, frames: 480_000, tuning: tuning)
        defer { feeder.stop() }
        #expect(try renderer.waitForReading { $0.position >= 4_800 } != nil)
        #expect(renderer.due > MonotonicTime.now)
        device.hold.withLock { $0 = true }
        let late = try renderer.waitForReading { _ in renderer.due < MonotonicTime.now }
        #expect(late != nil)
        renderer.pause()
        renderer.requestFlush()
        #expect(!renderer.close(), "its thread is left behind")
        #expect(!device.record.withLock { $0.isClosed })
        device.hold.update { $0 = false }
        let isClosed: Bool? = device.record.wait(until: MonotonicTime.now + 10 * MonotonicTime.nanosecondsPerSecond) {
            $0.isClosed ? true : nil
        }
        #expect(isClosed == true, "a call that returns after all finds the end of its thread")
    }

    /// S40 (b) of the policy.
    @Test(arguments: [EPIPE, ESTRPIPE, EIO])
    func aDeviceThatFailsWhileTheSoundIsLoweredNeverIsLouder(code: Int32) throws {
        let device = TestPCM(), session = try SessionGain()
        session.set(DuckOrder(decibels: 14, milliseconds: 0, time: 0))
        let ducked = Float(pow(10, -14.0 / 20))
        let renderer = try AudioRenderer(device: device, name: "test", tuning: quick, session: session)
        let feeder = try Feeder(renderer, 0..<28_800)
        defer {
            feeder.stop()
            renderer.close()
        }
        renderer.start()
        var last: Int64 = 0, isMonotonic = true
        let look = { (reading: AudioClock.Reading) in
            isMonotonic = isMonotonic && reading.position >= last
            last = reading.position
        }
        for stop in [5_000, 9_000, 13_000] as [Int64] {
            #expect(
                try renderer.waitForReading {
                    look($0)
                    return $0.position >= stop
                } != nil)
            device.faults.withLock { $0.timing = [code] }
        }
        #expect(
            try renderer.waitForReading {
                look($0)
                return $0.position >= 28_800
            } != nil)
        #expect(isMonotonic)
        #expect(renderer.recoveries == 3)
        let samples = device.record.withLock { $0.samples }
        #expect((samples.max() ?? 1) <= 28_800 / 65536 * ducked * 1.0001)
        // What is after the last fade-in is at -14 dB, to the sample.
        let end = try #require(samples.lastIndex(of: samples.max() ?? 1))
        let tail = samples[(end - 6_000)...end].map { $0 / ducked * 65536 - 1 }
        #expect(tail.allSatisfy { abs($0 - $0.rounded()) < 0.02 })
        #expect(zip(tail, tail.dropFirst()).allSatisfy { $1.rounded() == $0.rounded() + 1 })
    }

    /// Who is told that its sound was taken away pauses: what is heard is the fade of 30 ms all the same, not the
    /// pause's of 6.
    @Test func aPauseLeavesTheFadeOfAnInterruptionWhole() throws {
        let device = TestPCM(), session = try SessionGain()
        let renderer = try AudioRenderer(device: device, name: "test", session: session)
        let feeder = try Feeder(renderer, 0..<48_000)
        defer {
            feeder.stop()
            renderer.close()
        }
        renderer.start()
        #expect(try renderer.waitForReading { $0.position >= 9_000 } != nil)
        session.setGate(isOpen: false, milliseconds: 30)
        renderer.pause()
        _ = try renderer.waitForReading { !$0.isRunning }
        let samples = device.record.withLock { $0.samples }
        let last = try #require(samples.lastIndex(of: samples.max() ?? 1)),
            silent = try #require(samples[last...].firstIndex { $0 == 0 })
        #expect((1_000...1_500).contains(silent - last), "\(silent - last) frames at 48 kHz")
    }

    @Test func aLongQueueIsCutAndPlayedAgain() throws {
        var faults = TestPCM.Faults()
        // 150 ms behind the device, as a wireless speaker has it.
        faults.extraDelay = 7_200
        let device = TestPCM(faults: faults)
        let (renderer, feeder) = try play(device, frames: 48_000)
        defer {
            feeder.stop()
            renderer.close()
        }
        #expect(try renderer.waitForReading { $0.position >= 5_000 } != nil)
        renderer.pause()
        let rest = try renderer.waitForReading { !$0.isRunning }
        #expect(device.record.withLock { $0.drops } == 1)
        #expect((rest?.position ?? .max) < 12_000)
        renderer.start()
        #expect(try renderer.waitForReading { $0.position >= 12_000 } != nil)
        #expect(renderer.flush())
        #expect(renderer.reading?.position == 0)
        #expect(device.record.withLock { $0.drops } == 2)
    }
}
