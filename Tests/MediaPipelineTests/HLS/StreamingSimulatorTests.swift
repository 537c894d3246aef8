import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct StreamingSimulatorTests {
    /// The result of a simulated playback, and the best possible mean bit rate on the same link.
    private struct ComparedResult {
        /// The name of the row in the printed table of results.
        let name: String
        let simulation: SimulationResult
        /// The mean declared bit rate in kb/s.
        let meanBitRate: Double
        /// The best possible mean bit rate in kb/s, from ``OptimalBitRateSolver``.
        let optimum: Double

        /// The mean bit rate as a share of the optimum, from 0 to 1.
        var shareOfOptimum: Double { meanBitRate / optimum }

        /// The row of this playback in the printed table of results.
        var tableRow: String {
            func column(_ value: Double, _ decimalPlaces: Int) -> String {
                let factor = decimalPlaces == 0 ? 1.0 : 100
                let text = decimalPlaces == 0 ? "\(Int(value.rounded()))" : "\((value * factor).rounded() / factor)"
                return String(repeating: " ", count: max(0, 8 - text.count)) + text
            }
            return name + String(repeating: " ", count: max(0, 10 - name.count)) + column(simulation.startDelay, 2)
                + column(simulation.extraTime, 2) + column(Double(simulation.stallCount), 0)
                + column(simulation.stallTime, 2)
                + column(meanBitRate, 0) + column(optimum, 0) + column(shareOfOptimum * 100, 0)
                + column(Double(simulation.switchCount), 0)
                + column(simulation.wastedBits / max(simulation.receivedBits, 1) * 100, 2)
        }
    }

    /// The first row of the printed table of results.
    private static let header = "link         first   extra  stalls  stall s    kb/s optimum       % switches wasted %"

    /// Simulates playback, and computes the best possible bit rate.
    ///
    /// - Parameter name: The name of the row in the printed table.
    private func play(_ name: String, _ link: LinkTrace, _ ladder: SimulatedLadder) throws -> ComparedResult {
        var simulator = try #require(StreamingSimulator(ladder: ladder, link: link))
        let simulation = simulator.play()
        let meanBitRate = simulation.meanBitRate(ladder)
        // If even the lowest variant stalls on the link, the optimum is playback of only the lowest variant.
        let lowestBandwidth = try #require(ladder.candidates.map(\.bandwidth).min())
        let optimum = OptimalBitRateSolver(ladder: ladder, link: link).meanBitRate() ?? Double(lowestBandwidth) / 1000
        return ComparedResult(name: name, simulation: simulation, meanBitRate: meanBitRate, optimum: optimum)
    }

    @Test("A link whose rate drops to a third for a minute causes no stall")
    func linkThatDropsToAThirdCausesNoStall() throws {
        let link = LinkTrace(steps: [(30, 2.0), (60, 0.6), (1, 2.0)])
        let result = try play("A", link, SimulatedLadder())
        print(Self.header + "\n" + result.tableRow)
        #expect(result.simulation.extraTime <= 1.5)
        #expect(result.simulation.stallCount == 0)
        #expect(result.meanBitRate >= 900)
        #expect(result.simulation.switchCount <= 8)
    }

    @Test("A link that nearly fails for twenty seconds causes no stall")
    func linkThatNearlyFailsCausesNoStall() throws {
        let link = LinkTrace(steps: [(40, 6.0), (20, 0.4), (1, 6.0)])
        let result = try play("B", link, SimulatedLadder())
        print(Self.header + "\n" + result.tableRow)
        #expect(result.simulation.extraTime <= 0.8)
        #expect(result.simulation.stallCount == 0)
        #expect(result.meanBitRate >= 2450)
        #expect(result.simulation.switchCount <= 6)
    }

    @Test("On random links, playback reaches most of the best possible bit rate")
    func randomLinksReachMostOfThePossibleBitRate() throws {
        let ladder = SimulatedLadder()
        let results = try (0..<48).map { number in
            let mean = [1.0, 2, 4][number % 3]
            var generator = SeededGenerator(seed: UInt64(number))
            let link = LinkTrace(mean: mean, seconds: 240, generator: &generator)
            return try play("\(number) \(Int(mean)) Mb/s", link, ladder)
        }
        let meanShare = results.map(\.shareOfOptimum).reduce(0, +) / Double(results.count)
        let stalledCount = results.count { $0.simulation.stallCount > 0 }
        print(Self.header + "\n" + results.map(\.tableRow).joined(separator: "\n"))
        print("48 links: \((meanShare * 1000).rounded() / 10) % of the optimum, \(stalledCount) with a stall")
        #expect(meanShare >= 0.82)
        #expect(stalledCount <= 2)
    }

    @Test("A link that oscillates around the bit rate of a variant causes few changes and no stall")
    func oscillatingLinkCausesFewSwitchesAndNoStall() throws {
        let neededRate = 1.61 * 0.93
        let steps = (0..<20).map { (seconds: 8, megabits: neededRate * ($0.isMultiple(of: 2) ? 1.1 : 0.9)) }
        let result = try play("oscillation", LinkTrace(steps: steps), SimulatedLadder())
        print(Self.header + "\n" + result.tableRow)
        #expect(result.simulation.stallCount == 0)
        #expect(result.simulation.switchCount <= 6)
    }

    @Test("For a view of 320×180, only the smallest variant is downloaded")
    func onlyTheSmallestVariantIsDownloadedForASmallView() throws {
        let ladder = SimulatedLadder()
        let link = LinkTrace(steps: [(40, 6.0), (20, 0.4), (1, 6.0)])
        var simulator = try #require(
            StreamingSimulator(ladder: ladder, link: link, destination: .view(ChooserFixtures.view(320, 180))))
        let simulation = simulator.play()
        #expect(simulation.variantIndices.allSatisfy { $0 == 3 } && simulation.stallCount == 0)
        #expect(simulation.receivedBits / 8 <= 6_500_000)
    }

    @Test("Each decision has an explanation")
    func eachDecisionHasAnExplanation() throws {
        let link = LinkTrace(steps: [(30, 2.0), (20, 0.2), (1, 2.0)])
        let simulation = try play("explanations", link, SimulatedLadder()).simulation
        #expect(simulation.explanations.count >= SimulatedLadder.segmentCount)
        #expect(simulation.explanations.allSatisfy { $0.hasPrefix("variant ") && $0.contains(": ") })
    }
}
