import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct OptimalBitRateSolverTests {
    @Test("A transfer over several rates ends when the sum of the bits has arrived")
    func transferOverSeveralRatesEndsWhenAllBitsHaveArrived() {
        let link = LinkTrace(steps: [(2, 1.0), (2, 0.5), (1, 4.0)])
        #expect(link.end(ofTransfer: 1_000_000, from: 0.5) == 1.5)
        #expect(link.end(ofTransfer: 3_000_000, from: 0) == 4)
        #expect(link.end(ofTransfer: 11_000_000, from: 0) == 6)
        #expect(link.bits(until: 10) == 27_000_000)
    }

    @Test("On a fast link, the optimum has the best variant after the first segment")
    func optimumOnAFastLinkIsTheBestVariantAfterTheFirstSegment() throws {
        let optimum = OptimalBitRateSolver(ladder: SimulatedLadder(), link: LinkTrace(steps: [(1, 100)])).meanBitRate()
        let expected = (34.0 * 2930 + 345) / 35
        #expect(abs(try #require(optimum) - expected) < 0.001)
    }

    @Test("On a link that is too slow for the lowest variant there is no optimum") func tooSlowLinkHasNoOptimum() {
        #expect(
            OptimalBitRateSolver(ladder: SimulatedLadder(), link: LinkTrace(steps: [(1, 0.2)])).meanBitRate() == nil)
    }

    @Test("No playback without a stall is better than the optimum")
    func noPlaybackWithoutAStallIsBetterThanTheOptimum() throws {
        var generator = SeededGenerator.printingSeed()
        let ladder = SimulatedLadder()
        for mean in [1.0, 2, 4] {
            let link = LinkTrace(mean: mean, seconds: 240, generator: &generator)
            var simulator = try #require(StreamingSimulator(ladder: ladder, link: link))
            let simulation = simulator.play()
            guard simulation.stallCount == 0,
                let optimum = OptimalBitRateSolver(ladder: ladder, link: link).meanBitRate()
            else { continue }
            // The computed optimum starts with the lowest variant; the variant chooser may start with the best one.
            let startAdvantage = (2930.0 - 345) / 35
            #expect(simulation.meanBitRate(ladder) <= optimum + startAdvantage + 1)
        }
    }
}
