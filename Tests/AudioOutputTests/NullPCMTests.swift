import Glibc
import Testing

@testable import AudioOutput

/// Tests of the sample queue of a ``NullPCM``. The clock of the device does not advance, so that no test depends on the
/// time.
@Suite struct NullPCMTests {
    private let device = NullPCM(format: AudioFormat(rate: 48_000, channels: 2), speedPercent: 0)
    private let samples = [Float](repeating: 0.5, count: 2 * 4096)

    @Test("The queue holds three periods of 20 ms at every rate", arguments: [8000, 44_100, 192_000])
    func queueHoldsThreePeriodsOfTwentyMilliseconds(rate: Int) {
        let device = NullPCM(format: AudioFormat(rate: rate, channels: 1))
        #expect(device.periodFrames == rate / 50 && device.bufferFrames == rate / 50 * 3)
    }

    @Test("The device accepts frames until its queue is full")
    func framesAreAcceptedUntilTheQueueIsFull() throws {
        try device.prepare()
        #expect(try device.timing().available == 2880)
        #expect(try device.write(samples, frames: 2000) == 2000)
        #expect(try device.timing().available == 880 && device.timing().delay == 2000)
        #expect(try device.write(samples, frames: 2000) == 880)
        #expect(try device.write(samples, frames: 1) == 0)
        #expect(try device.timing().available == 0)
    }

    @Test("A started device without frames reports an underrun")
    func startedDeviceWithoutFramesReportsAnUnderrun() throws {
        try device.prepare()
        try device.start()
        #expect(throws: PCMFailure(.timing, EPIPE)) { try device.timing() }
        #expect(throws: PCMFailure(.timing, EPIPE)) { try device.write(samples, frames: 1) }
    }

    @Test("An underrun ends when the device is prepared again")
    func preparingAgainEndsAnUnderrun() throws {
        try device.start()
        try device.prepare()
        #expect(try device.write(samples, frames: 480) == 480)
        try device.start()
        #expect(try device.timing().delay == 480)
    }

    @Test("A pause keeps the queue")
    func pauseKeepsTheQueue() throws {
        _ = try device.write(samples, frames: 960)
        try device.start()
        try device.setPaused(true)
        #expect(try device.timing().delay == 960)
        try device.setPaused(false)
        #expect(try device.timing().delay == 960)
    }

    @Test("A paused device without frames is no underrun")
    func pausedDeviceWithoutFramesReportsNoUnderrun() throws {
        try device.start()
        try device.setPaused(true)
        #expect(try device.timing().delay == 0)
    }

    @Test("A drop discards the queue and stops the device")
    func dropDiscardsTheQueueAndStopsTheDevice() throws {
        _ = try device.write(samples, frames: 960)
        try device.start()
        try device.drop()
        let timing = try device.timing()
        #expect(timing.available == 2880 && timing.delay == 0)
    }
}
