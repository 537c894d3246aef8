import Testing

@testable import FetchSimulation

@Suite struct SimulatedContentTests {
    @Test(arguments: [
        (SimulatedContent.Kind.hourly, 24.0 * 30), (.daily, 30), (.random, 120), (.bursts, 100), (.dead, 0),
        (.failing, 24.0 * 30),
    ])
    func contentChangesAtTheRateOfItsKind(_ kind: SimulatedContent.Kind, _ count: Double) {
        let content = content(kind)
        #expect(abs(Double(content.changes.count) - count) <= count * 0.6)
        #expect(content.changes == content.changes.sorted())
    }

    @Test func theVersionIsTheNumberOfChanges() {
        let content = content(.hourly)
        let first = content.changes[0]
        #expect(content.version(at: first - 1) == 0 && content.version(at: first) == 1)
        #expect(content.version(at: first + 3600) == 2)
    }

    @Test func onlyAFailingServerHasOutages() {
        let failing = content(.failing)
        #expect(!failing.outages.isEmpty && content(.hourly).outages.isEmpty)
        for outage in failing.outages {
            #expect(failing.isFailing(at: outage.lowerBound) && failing.isFailing(at: outage.upperBound - 1))
            #expect(!failing.isFailing(at: outage.lowerBound - 1))
        }
    }

    @Test func sortedPositionsCountTheLeadingElements() {
        let numbers = [1, 3, 3, 7]
        #expect([0, 1, 3, 6, 7, 9].map { limit in numbers.sortedPosition { $0 <= limit } } == [0, 1, 3, 3, 4, 4])
        #expect([Int]().sortedPosition { $0 > 0 } == 0)
    }

    private func content(_ kind: SimulatedContent.Kind) -> SimulatedContent {
        var random = SimulationRandom(seed: 9)
        return SimulatedContent(kind: kind, dayCount: 30, random: &random)
    }
}
