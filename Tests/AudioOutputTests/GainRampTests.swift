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
        #expect(ramp.current == 0.1)
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
        #expect(ramp.current == 0)
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
        #expect(ramp.current == GainRamp.maximumGain)
        #expect(samples == [1, -1, 1, -1])
    }
}
