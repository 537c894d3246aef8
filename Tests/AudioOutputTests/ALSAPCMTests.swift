import Glibc
import SystemCalls
import Testing

@testable import AudioOutput

/// The real thing. Needs a sound server (or card) behind the ALSA device `default`.
@Suite(.serialized) struct ALSAPCMTests {
    private func open() -> AudioRenderer? {
        do {
            return try AudioRenderer(
                backend: .alsa(device: "default"), wanted: AudioFormat(rate: 48000, channels: 2), name: "test")
        } catch {
            Issue.record("ALSA device `default` cannot be opened: run this where a sound server runs. \(error)")
            return nil
        }
    }

    @Test func playsPausesFlushesAndDrains() throws {
        guard let renderer = open() else { return }
        defer { renderer.close() }
        let silence = { (count: Int) in [Float](repeating: 0, count: count * renderer.format.channels) }
        func fill() -> Int {
            silence(renderer.freeFrames).withUnsafeBufferPointer { renderer.write($0) }
        }
        let first = fill()
        #expect(first >= renderer.format.rate / 5)
        renderer.start()
        #expect(try renderer.waitForReading { $0.position > 2_000 && $0.isRunning } != nil)
        renderer.pause()
        #expect(try renderer.waitForReading { !$0.isRunning } != nil)
        let before = renderer.reading?.position
        _ = fill()
        renderer.start()
        #expect(try renderer.waitForReading { $0.position > (before ?? 0) + 500 } != nil)
        #expect(renderer.flush())
        let second = fill()
        renderer.markEndOfStream()
        #expect(try renderer.events { $0 == .drained }?.last == .drained)
        #expect(renderer.reading?.position == Int64(second))
        #expect(renderer.underruns == 0)
    }

    @Test func aDeviceThatIsNotThereSaysSo() {
        do {
            _ = try ALSAPCM(device: "swiftplay-no-such-device", wanted: AudioFormat(rate: 48000, channels: 2))
            Issue.record("opened a device that does not exist")
        } catch {
            #expect(error.failure.step == .open)
            #expect(error.description.contains("swiftplay-no-such-device"))
            #expect(error.description.contains("aplay -L"))
        }
    }
}
