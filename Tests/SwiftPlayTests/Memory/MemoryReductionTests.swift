import Testing

@testable import SwiftPlay

@Suite struct MemoryReductionTests {
    @Test("the reduction of caches depends on the role and the memory pressure")
    func reductionFollowsRoleAndPressure() {
        let expected: [ApplicationRole: [MemoryReduction?]] = [
            .primary: [nil, .half, .workingSet], .secondary: [.half, .workingSet, .workingSet],
            .backgroundMedia: [.workingSet, .workingSet, .workingSet], .none: [.workingSet, .workingSet, .all],
        ]
        for role in ApplicationRole.allCases {
            let reductions = MemoryPressure.allCases.map { MemoryReduction(role: role, pressure: $0) }
            #expect(reductions == expected[role], "\(role)")
        }
    }

    @Test("a budget never grows when the role becomes less important or the memory pressure rises")
    func budgetNeverGrowsWithLessImportantRoleOrMorePressure() {
        func limits(_ role: ApplicationRole, _ pressure: MemoryPressure) -> [Int] {
            let budget = MemoryBudget(role: role, pressure: pressure)
            return [
                budget.readAheadByteLimit, budget.keptByteLimit, budget.cacheByteLimit,
                budget.spareFrameLimit ?? .max, budget.decoderThreadLimit ?? .max,
            ]
        }
        for pressure in MemoryPressure.allCases {
            for (lowerRole, higherRole) in zip(ApplicationRole.allCases, ApplicationRole.allCases.dropFirst()) {
                #expect(zip(limits(lowerRole, pressure), limits(higherRole, pressure)).allSatisfy { $0 <= $1 })
            }
        }
        for role in ApplicationRole.allCases {
            #expect(zip(limits(role, .warning), limits(role, .normal)).allSatisfy { $0 <= $1 })
            #expect(zip(limits(role, .critical), limits(role, .warning)).allSatisfy { $0 <= $1 })
        }
    }

    @Test("two of a thousand warnings within 10 s are accepted")
    func frequentWarningsAreSuppressed() {
        var filter = MemoryWarningFilter()
        let acceptedCount = (0..<1000 as Range<Int64>).count { filter.accepts(.warning, now: $0 * 10_000_000) }
        #expect(acceptedCount == 2)
    }

    @Test("repeated warnings of the compositor and more severe warnings are accepted")
    func repeatedAndMoreSevereWarningsAreAccepted() {
        var filter = MemoryWarningFilter()
        let second: Int64 = 1_000_000_000
        #expect(filter.accepts(.warning, now: 0) && filter.accepts(.warning, now: 10 * second))
        #expect(filter.accepts(.critical, now: 11 * second) && filter.accepts(.critical, now: 13 * second))
        #expect(!filter.accepts(.warning, now: 14 * second) && !filter.accepts(.normal, now: 40 * second))
    }
}
