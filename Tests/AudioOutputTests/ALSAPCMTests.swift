import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import AudioOutput

/// Tests of playback on a real ALSA device. They need a sound server or a card behind the ALSA device `default`.
@Suite(.serialized) struct ALSAPCMTests {
    /// Opens the ALSA device `default`; records an issue and returns nil if that fails.
    private func openDefaultDevice() -> AudioRenderer? {
        do {
            return try AudioRenderer(
                backend: .alsa(device: "default"), requested: AudioFormat(rate: 48000, channels: 2), name: "test")
        } catch {
            Issue.record("ALSA device `default` cannot be opened: run this where a sound server runs. \(error)")
            return nil
        }
    }

    @Test(.measuresTime) func rendererPlaysPausesFlushesAndDrains() throws {
        guard let renderer = openDefaultDevice() else { return }
        defer { renderer.close() }
        let silence = { (count: Int) in [Float](repeating: 0, count: count * renderer.format.channels) }
        /// Fills the device's sample queue with silence, and returns the number of written frames.
        func fillWithSilence() -> Int {
            silence(renderer.freeFrames).withUnsafeBufferPointer { renderer.write($0) }
        }
        let firstFrameCount = fillWithSilence()
        #expect(firstFrameCount >= renderer.format.rate / 5)
        renderer.start()
        #expect(try renderer.waitForReading { $0.position > 2_000 && $0.isRunning } != nil)
        renderer.pause()
        #expect(try renderer.waitForReading { !$0.isRunning } != nil)
        let pausedPosition = renderer.reading?.position
        _ = fillWithSilence()
        renderer.start()
        #expect(try renderer.waitForReading { $0.position > (pausedPosition ?? 0) + 500 } != nil)
        #expect(renderer.flush())
        let secondFrameCount = fillWithSilence()
        renderer.markEndOfStream()
        #expect(try renderer.events { $0 == .drained }?.last == .drained)
        #expect(renderer.reading?.position == Int64(secondFrameCount))
        #expect(renderer.underruns == 0)
    }

    @Test func errorOfAMissingDeviceNamesTheDeviceAndARemedy() {
        do {
            _ = try ALSAPCM(device: "swiftplay-no-such-device", requested: AudioFormat(rate: 48000, channels: 2))
            Issue.record("opened a device that does not exist")
        } catch {
            #expect(error.failure.operation == .open)
            #expect(error.description.contains("swiftplay-no-such-device"))
            #expect(error.description.contains("aplay -L"))
        }
    }
}
