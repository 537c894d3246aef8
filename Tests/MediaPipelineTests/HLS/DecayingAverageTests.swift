import Testing

@testable import MediaPipeline

@Suite struct DecayingAverageTests {
    @Test("An average without samples has no value") func averageWithoutSamplesHasNoValue() {
        #expect(DecayingAverage(halfLife: 3).value == nil)
    }

    @Test("A single sample yields its own value, whatever its weight", arguments: [0.01, 1, 100])
    func singleSampleYieldsItsOwnValue(weight: Double) throws {
        var average = DecayingAverage(halfLife: 3)
        average.add(5, weight: weight)
        #expect(abs(try #require(average.value) - 5) < 1e-9)
    }

    @Test("After one half-life a sample has half its original weight")
    func sampleOfOneHalfLifeAgoHasHalfItsWeight() throws {
        var average = DecayingAverage(halfLife: 3)
        average.add(1, weight: 1000)
        average.add(0, weight: 3)
        #expect(abs(try #require(average.value) - 0.5) < 1e-9)
    }

    @Test(
        "Values and weights that are not finite, or too small, are ignored",
        arguments: [(Double.nan, 1.0), (.infinity, 1), (-1, 1), (5, 0), (5, -1), (5, .nan), (5, .infinity)])
    func unusableValuesAndWeightsAreIgnored(value: Double, weight: Double) {
        var average = DecayingAverage(halfLife: 3)
        average.add(7, weight: 1)
        let unchangedAverage = average
        average.add(value, weight: weight)
        #expect(average == unchangedAverage)
    }

    @Test("A half-life of zero keeps the last sample only") func halfLifeOfZeroKeepsTheLastSample() {
        var average = DecayingAverage(halfLife: 0)
        average.add(1, weight: 1)
        average.add(9, weight: 0.001)
        #expect(average.value == 9)
    }
}
