import Glibc
import Testing

@testable import AudioOutput

@Suite struct GainRampTests {
    @Test func gainMovesInEqualStepsOfDecibels() {
        var ramp = GainRamp(1)
        ramp.setTarget(0.1, frames: 4800)
        var previousDecibels = 0.0
        for frame in 1...4800 {
            let decibels = 20 * log10(ramp.nextGain())
            #expect(abs(decibels - previousDecibels + 20.0 / 4800) < 1e-6, "frame \(frame)")
            previousDecibels = decibels
        }
        #expect(ramp.currentGain == 0.1)
        #expect(ramp.nextGain() == 0.1)
    }

    @Test func mutingAndUnmutingNeverStep() {
        var ramp = GainRamp(1)
        var previousGain = 1.0, largestStep = 0.0
        func advance(_ frames: Int) {
            for _ in 0..<frames {
                let gain = ramp.nextGain()
                largestStep = max(largestStep, abs(gain - previousGain))
                previousGain = gain
            }
        }
        ramp.setTarget(0, frames: 480)
        advance(300)
        ramp.setTarget(1, frames: 480)
        advance(480)
        ramp.setTarget(0, frames: 480)
        advance(481)
        #expect(ramp.currentGain == 0)
        #expect(largestStep < 0.02)
    }

    @Test func unityGainKeepsSamplesAndBoostedSamplesAreClipped() {
        var ramp = GainRamp(1)
        var samples: [Float] = [0.7, -0.7, 1.5, -1.5]
        samples.withUnsafeMutableBufferPointer {
            if let base = $0.baseAddress { ramp.apply(to: base, frames: 2, channels: 2) }
        }
        #expect(samples == [0.7, -0.7, 1.5, -1.5])
        ramp.setTarget(5000, frames: 1)
        samples.withUnsafeMutableBufferPointer {
            if let base = $0.baseAddress { ramp.apply(to: base, frames: 2, channels: 2) }
        }
        #expect(ramp.currentGain == GainRamp.maximumGain)
        #expect(samples == [1, -1, 1, -1])
    }

    @Test("gains are clamped to 0 and the maximum")
    func gainsAreClamped() {
        #expect(GainRamp(-1).currentGain == 0 && GainRamp(.infinity).currentGain == GainRamp.maximumGain)
        var ramp = GainRamp(1)
        ramp.setTarget(-.infinity, frames: 3)
        #expect(ramp.targetGain == 0)
        for _ in 0..<3 { _ = ramp.nextGain() }
        #expect(ramp.currentGain == 0)
    }

    @Test("a ramp without frames ends with the next frame", arguments: [0, -5, 1])
    func rampWithoutFramesEndsWithTheNextFrame(frames: Int) {
        var ramp = GainRamp(1)
        ramp.setTarget(0.5, frames: frames)
        let gains = [ramp.nextGain(), ramp.nextGain()]
        #expect(gains == [0.5, 0.5])
    }

    @Test("a ramp from silence begins at -72 dB, and one to silence ends there before it mutes")
    func rampsToSilenceEndAtTheSilentGain() {
        var ramp = GainRamp(0)
        ramp.setTarget(1, frames: 1000)
        let firstGain = ramp.nextGain()
        #expect(firstGain > GainRamp.silentGain && firstGain < GainRamp.silentGain * 1.02)
        ramp = GainRamp(1)
        ramp.setTarget(0, frames: 1000)
        let gains = (0..<1000).map { _ in ramp.nextGain() }
        #expect(gains.dropLast().allSatisfy { $0 > GainRamp.silentGain * 0.999 } && gains.last == 0)
        #expect(!ramp.isUnity)
    }

    @Test("samples pass unchanged only at a constant gain of 1")
    func onlyAConstantGainOfOneIsUnity() {
        var ramp = GainRamp(1)
        #expect(ramp.isUnity && !GainRamp(0.999).isUnity)
        ramp.setTarget(1, frames: 2)
        #expect(!ramp.isUnity, "the ramp has not ended")
        _ = (ramp.nextGain(), ramp.nextGain())
        #expect(ramp.isUnity)
    }
}
