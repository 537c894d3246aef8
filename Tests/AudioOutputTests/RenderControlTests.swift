import Testing

@testable import AudioOutput

@Suite struct RenderControlTests {
    private let control: RenderControl

    init() throws { control = try RenderControl() }

    @Test("A new control is paused, at full volume and without flushes")
    func newControlIsPausedAtFullVolumeWithoutFlushes() {
        #expect(control.commands == RenderRequest.Commands())
        #expect(control.packedGainCommand == RenderControl.packedUnityGain)
        let (gain, ramp) = RenderControl.gain(of: RenderControl.packedUnityGain)
        #expect(gain == 1 && ramp == 0)
    }

    @Test("A volume and its ramp survive packing", arguments: [0, 0.25, 1, 5, -0.5] as [Float])
    func volumeAndRampSurvivePacking(_ volume: Float) {
        control.setGain(volume, ramp: 20_000_000)
        let (gain, ramp) = RenderControl.gain(of: control.packedGainCommand)
        #expect(gain == volume && ramp == 20_000_000)
    }

    @Test("A volume that is not a number becomes silence")
    func volumeThatIsNotANumberBecomesSilence() {
        control.setGain(.nan, ramp: 0)
        #expect(RenderControl.gain(of: control.packedGainCommand).gain == 0)
    }

    @Test("The duration of a ramp is clamped to whole microseconds from 0 to 2^32 - 1")
    func rampIsClampedTo32BitsOfMicroseconds() {
        let ramps: [(Int64, Int64)] = [
            (-1_000_000, 0), (999, 0), (1999, 1000), (.max, 4_294_967_295_000), (.min, 0),
        ]
        for (requested, expected) in ramps {
            control.setGain(1, ramp: requested)
            #expect(RenderControl.gain(of: control.packedGainCommand).ramp == expected, "\(requested)")
        }
    }

    @Test("A new volume wakes the render thread")
    func newVolumeWakesTheRenderThread() {
        control.setGain(0.5, ramp: 0)
        #expect(control.wakeEvent.drain())
    }

    @Test("New samples wake the render thread only while it has none")
    func newSamplesWakeTheRenderThreadOnlyIfItHasNone() {
        control.wakeIfStarved()
        #expect(!control.wakeEvent.drain())
        control.reportStarvation()
        control.wakeIfStarved()
        #expect(control.wakeEvent.drain())
        control.clearStarvation()
        control.wakeIfStarved()
        #expect(!control.wakeEvent.drain())
    }

    @Test("The commands contain every request")
    func commandsContainEveryRequestOfThePlayer() {
        control.isPlaying.store(true, ordering: .relaxed)
        control.isClosing.store(true, ordering: .relaxed)
        control.requestedFlushes.store(3, ordering: .relaxed)
        control.setGain(0.5, ramp: 1000)
        let expected = RenderRequest.Commands(
            isPlaying: true, isClosing: true, requestedFlushCount: 3, packedGainCommand: control.packedGainCommand)
        #expect(control.commands == expected && control.packedGainCommand != RenderControl.packedUnityGain)
    }
}
