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

    private func play(_ device: TestPCM, frames: Int = 14_400, tuning: RenderTuning? = nil) throws -> (AudioRenderer, Feeder) {
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
        let (renderer, feeder) = try play(device, frames: 28_800)
        defer { feeder.stop(); renderer.close() }
        let events = try renderer.events { $0 == .drained }
        #expect(events?.contains(.recovered) == true)
        #expect(events?.last == .drained)
        #expect(renderer.reading?.position == 28_800)
        let numbers = Set(device.record.withLock { $0.samples }.map { Int(($0 * 65536 - 1).rounded()) })
        #expect(Set(20_000..<28_800).subtracting(numbers).count == 0)
        if code == ESTRPIPE { #expect(device.record.withLock { $0.resumes } > 0) }
    }

    @Test func waitsForAMachineThatWakesSlowly() throws {
        var faults = TestPCM.Faults()
        faults.timing = [0, 0, ESTRPIPE]
        faults.resume = [EAGAIN, EAGAIN, ENOSYS]
        let device = TestPCM(faults: faults)
        let (renderer, feeder) = try play(device)
        defer { feeder.stop(); renderer.close() }
        #expect(try renderer.events { $0 == .drained }?.contains(.recovered) == true)
        #expect(device.record.withLock { $0.resumes } == 3)
    }

    @Test func aLostDeviceIsReportedOnceAndTheThreadIdles() throws {
        var faults = TestPCM.Faults()
        faults.timing = [0, 0, 0, ENODEV]
        faults.prepareForever = ENODEV
        let (renderer, feeder) = try play(TestPCM(faults: faults))
        defer { feeder.stop(); renderer.close() }
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
        defer { feeder.stop(); renderer.close() }
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
        let (renderer, feeder) = try play(device, frames: 48_000, tuning: tuning)
        defer { feeder.stop(); renderer.close() }
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

    @Test func aLongQueueIsCutAndPlayedAgain() throws {
        var faults = TestPCM.Faults()
        // 150 ms behind the device, as a wireless speaker has it.
        faults.extraDelay = 7_200
        let device = TestPCM(faults: faults)
        let (renderer, feeder) = try play(device, frames: 48_000)
        defer { feeder.stop(); renderer.close() }
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
