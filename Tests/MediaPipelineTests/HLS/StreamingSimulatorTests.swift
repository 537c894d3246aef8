import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct StreamingSimulatorTests {
    /// The result of a simulated playback, and the best possible mean bit rate on the same link.
    private struct Result {
        let name: String
        let run: StreamingRun
        /// The mean declared bit rate in kb/s.
        let meanBitRate: Double
        /// The best possible mean bit rate in kb/s, from ``StreamingOracle``.
        let optimum: Double

        /// The mean bit rate as a share of the optimum, from 0 to 1.
        var shareOfOptimum: Double { meanBitRate / optimum }

        /// The row of this playback in the printed table of results.
        var tableRow: String {
            func column(_ value: Double, _ places: Int) -> String {
                let factor = places == 0 ? 1.0 : 100
                let text = places == 0 ? "\(Int(value.rounded()))" : "\((value * factor).rounded() / factor)"
                return String(repeating: " ", count: max(0, 8 - text.count)) + text
            }
            return name + String(repeating: " ", count: max(0, 10 - name.count)) + column(run.startDelay, 2)
                + column(run.extraTime, 2) + column(Double(run.stallCount), 0) + column(run.stallTime, 2)
                + column(meanBitRate, 0) + column(optimum, 0) + column(shareOfOptimum * 100, 0)
                + column(Double(run.switchCount), 0)
                + column(run.wastedBits / max(run.receivedBits, 1) * 100, 2)
        }
    }

    /// The first row of the printed table of results.
    private static let header = "link         first   extra  stalls  stall s    kb/s optimum       % switches wasted %"

    /// Simulates playback and computes the best possible bit rate; `name` is the name of the row in the printed table.
    private func play(_ name: String, _ link: LinkTrace, _ ladder: SimulatedLadder) throws -> Result {
        var simulator = try #require(StreamingSimulator(ladder: ladder, link: link))
        let run = simulator.play()
        let mean = run.meanBitRate(ladder)
        // If even the lowest variant stalls on the link, playing only the lowest variant counts as the optimum.
        let lowest = try #require(ladder.candidates.map(\.bandwidth).min())
        let optimum = StreamingOracle(ladder: ladder, link: link).meanBitRate() ?? Double(lowest) / 1000
        return Result(name: name, run: run, meanBitRate: mean, optimum: optimum)
    }

    @Test("A link that falls to a third for a minute costs no stall")
    func linkThatFallsToAThirdCausesNoStall() throws {
        let link = LinkTrace(steps: [(30, 2.0), (60, 0.6), (1, 2.0)])
        let result = try play("A", link, SimulatedLadder())
        print(Self.header + "\n" + result.tableRow)
        #expect(result.run.extraTime <= 1.5)
        #expect(result.run.stallCount == 0)
        #expect(result.meanBitRate >= 900)
        #expect(result.run.switchCount <= 8)
    }

    @Test("A link that nearly fails for twenty seconds costs no stall")
    func linkThatNearlyFailsCausesNoStall() throws {
        let link = LinkTrace(steps: [(40, 6.0), (20, 0.4), (1, 6.0)])
        let result = try play("B", link, SimulatedLadder())
        print(Self.header + "\n" + result.tableRow)
        #expect(result.run.extraTime <= 0.8)
        #expect(result.run.stallCount == 0)
        #expect(result.meanBitRate >= 2450)
        #expect(result.run.switchCount <= 6)
    }

    @Test("Random links reach most of the bit rate that was possible")
    func randomLinksReachMostOfThePossibleBitRate() throws {
        let ladder = SimulatedLadder()
        let results = try (0..<48).map { number in
            let mean = [1.0, 2, 4][number % 3]
            var generator = SeededGenerator(seed: UInt64(number))
            let link = LinkTrace(mean: mean, seconds: 240, generator: &generator)
            return try play("\(number) \(Int(mean)) Mb/s", link, ladder)
        }
        let share = results.map(\.shareOfOptimum).reduce(0, +) / Double(results.count)
        let stalled = results.count { $0.run.stallCount > 0 }
        print(Self.header + "\n" + results.map(\.tableRow).joined(separator: "\n"))
        print("48 links: \((share * 1000).rounded() / 10) % of the optimum, \(stalled) with a stall")
        #expect(share >= 0.82)
        #expect(stalled <= 2)
    }

    @Test("A link that oscillates around the need of a variant causes few switches and no stall")
    func oscillatingLinkCausesFewSwitchesAndNoStall() throws {
        let need = 1.61 * 0.93
        let steps = (0..<20).map { (seconds: 8, megabits: need * ($0.isMultiple(of: 2) ? 1.1 : 0.9)) }
        let result = try play("oscillation", LinkTrace(steps: steps), SimulatedLadder())
        print(Self.header + "\n" + result.tableRow)
        #expect(result.run.stallCount == 0)
        #expect(result.run.switchCount <= 6)
    }

    @Test("A view of 320×180 receives the smallest variant only")
    func smallViewReceivesOnlyTheSmallestVariant() throws {
        let ladder = SimulatedLadder()
        let link = LinkTrace(steps: [(40, 6.0), (20, 0.4), (1, 6.0)])
        var simulator = try #require(
            StreamingSimulator(ladder: ladder, link: link, destination: .view(ChooserFixtures.view(320, 180))))
        let run = simulator.play()
        #expect(run.variantIndices.allSatisfy { $0 == 3 } && run.stallCount == 0)
        #expect(run.receivedBits / 8 <= 6_500_000)
    }

    @Test("Each decision has an explanation")
    func eachDecisionHasAnExplanation() throws {
        let link = LinkTrace(steps: [(30, 2.0), (20, 0.2), (1, 2.0)])
        let run = try play("explanations", link, SimulatedLadder()).run
        #expect(run.explanations.count >= SimulatedLadder.segmentCount)
        #expect(run.explanations.allSatisfy { $0.hasPrefix("variant ") && $0.contains(": ") })
    }
}
