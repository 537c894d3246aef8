import TestSupport
import Testing

@testable import TransferPolicy

@Suite struct AdmissionPolicyTests {
    private typealias Candidate = AdmissionPolicy.Candidate

    @Test func eightTransfersRunAtOnce() {
        var policy = AdmissionPolicy()
        let waiting = (1...20).map { Candidate(id: $0, program: 1, host: "host\($0)") }
        #expect(policy.admit(waiting, running: []).map(\.id) == Array(1...8))
        #expect(policy.admit(waiting, running: Array(waiting.prefix(7))).count == 1)
        #expect(policy.admit(waiting, running: Array(waiting.prefix(9))).isEmpty)
    }

    @Test func fourTransfersOfAHostRunAtOnce() {
        var policy = AdmissionPolicy()
        let waiting =
            (1...6).map { Candidate(id: $0, program: 1, host: "a") } + [Candidate(id: 7, program: 1, host: "b")]
        #expect(policy.admit(waiting, running: []).map(\.id) == [1, 2, 3, 4, 7])
    }

    @Test func aSessionLimitsItsOwnTransfersOfAHost() {
        var policy = AdmissionPolicy()
        let one = Candidate.Session(id: 1, hostLimit: 1), other = Candidate.Session(id: 2, hostLimit: 4)
        let waiting = [
            Candidate(id: 1, program: 1, host: "a", session: one),
            Candidate(id: 2, program: 1, host: "a", session: one),
            Candidate(id: 3, program: 1, host: "b", session: one),
            Candidate(id: 4, program: 1, host: "a", session: other),
            Candidate(id: 5, program: 1, host: "a", session: other),
        ]
        #expect(policy.admit(waiting, running: []).map(\.id) == [1, 3, 4, 5])
        #expect(policy.admit(Array(waiting[1...2]), running: [waiting[0]]).map(\.id) == [3])
    }

    @Test func twoDiscretionaryTransfersRunAtOnce() {
        var policy = AdmissionPolicy()
        let waiting = (1...5).map { Candidate(id: $0, program: 1, host: "a\($0)", isDiscretionary: $0 < 5) }
        #expect(policy.admit(waiting, running: []).map(\.id) == [1, 2, 5])
    }

    @Test func programsTakeTurns() {
        var policy = AdmissionPolicy()
        let waiting =
            (1...9).map { Candidate(id: $0, program: 1, host: "a\($0)") }
            + (10...12).map { Candidate(id: $0, program: 2, host: "b\($0)") }
            + (20...21).map { Candidate(id: $0, program: 3, host: "c\($0)") }
        #expect(policy.admit(waiting, running: []).map(\.program) == [1, 2, 3, 1, 2, 3, 1, 2])
    }

    @Test func theTurnGoesOnWithTheNextProgram() {
        var policy = AdmissionPolicy()
        policy.limits.total = 1
        let waiting = (1...3).map { Candidate(id: $0, program: $0, host: "a") }
        var programs: [Int64] = []
        for _ in 0..<5 { programs += policy.admit(waiting, running: []).map(\.program) }
        #expect(programs == [1, 2, 3, 1, 2])
        #expect(policy.lastProgram == 2)
    }

    @Test func priorityDecidesWithinAProgram() {
        var policy = AdmissionPolicy()
        let waiting = [
            Candidate(id: 1, program: 1, host: "a", priority: 0.25),
            Candidate(id: 2, program: 1, host: "a", priority: 0.75), Candidate(id: 3, program: 1, host: "a"),
            Candidate(id: 4, program: 1, host: "a", priority: 0.75),
        ]
        #expect(policy.admit(waiting, running: []).map(\.id) == [2, 4, 3, 1])
    }

    @Test func transfersThatFailedStartAfterTheOthers() {
        var policy = AdmissionPolicy()
        let slow = (1...50).map { Candidate(id: $0, program: 1, host: "slow\($0)", failureCount: Int($0 % 3) + 1) }
        let waiting = slow + [Candidate(id: 51, program: 1, host: "good")]
        let admitted = policy.admit(waiting, running: Array(slow.prefix(7)))
        #expect(admitted.map(\.id) == [51])
        #expect(policy.admit(slow, running: []).map(\.id) == [3, 6, 9, 12, 15, 18, 21, 24])
    }

    @Test func priorityDecidesBeforeFailures() {
        var policy = AdmissionPolicy()
        let waiting = [
            Candidate(id: 1, program: 1, host: "a", priority: 0.75, failureCount: 9),
            Candidate(id: 2, program: 1, host: "a"),
        ]
        #expect(policy.admit(waiting, running: []).map(\.id) == [1, 2])
    }

    @Test("slow transfers that always fail hold up a new one for the time of one attempt, whatever their number is")
    func slowTransfersDoNotStarveANewOne() {
        for count in Int64(1)...60 {
            var policy = AdmissionPolicy()
            var failures = [Int64: Int]()
            let candidate = { (id: Int64, failures: [Int64: Int]) in
                Candidate(id: id, program: 1, host: "h\(id)", failureCount: failures[id, default: 0])
            }
            for _ in 0..<20 {
                for one in policy.admit((1...count).map { candidate($0, failures) }, running: []) {
                    failures[one.id, default: 0] += 1
                }
            }
            #expect(failures.count == count, "each slow transfer was tried")
            let admitted = policy.admit((1...count + 1).map { candidate($0, failures) }, running: [])
            #expect(admitted.first?.id == count + 1)
        }
    }

    @Test(arguments: [(Double.nan, 0.5), (-3, 0), (7, 1), (.infinity, 0.5), (0.3, 0.3)])
    func prioritiesAreClamped(_ priority: Double, _ clamped: Double) {
        #expect(Candidate(id: 1, program: 1, host: "a", priority: priority).priority == clamped)
    }

    @Test func aClosedHostReceivesNoTransfer() {
        var policy = AdmissionPolicy()
        var gate = HostGate()
        gate.close("a", retryAfter: .seconds(10), now: .zero)
        let waiting = [Candidate(id: 1, program: 1, host: "a"), Candidate(id: 2, program: 1, host: "b")]
        #expect(policy.admit(waiting, running: [], gate: gate, now: .seconds(5)).map(\.id) == [2])
    }

    @Test func oneTransferProbesAHostThatWasClosed() {
        var policy = AdmissionPolicy()
        var gate = HostGate()
        gate.close("a", retryAfter: .seconds(10), now: .zero)
        let waiting = (1...3).map { Candidate(id: $0, program: 1, host: "a") }
        #expect(policy.admit(waiting, running: [], gate: gate, now: .seconds(10)).map(\.id) == [1])
    }

    @Test func smallerLimitsStartNoTransferUntilEnoughEnded() {
        var policy = AdmissionPolicy()
        let all = (1...8).map { Candidate(id: $0, program: 1, host: "h\($0)") }
        policy.limits.total = 3
        #expect(policy.admit(Array(all[5...]), running: Array(all[..<5])).isEmpty)
        #expect(policy.admit(Array(all[5...]), running: Array(all[..<2])).count == 1)
    }

    @Test func randomCandidatesNeverExceedALimitAndLeaveNoUsableSlot() {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<300 {
            var policy = AdmissionPolicy()
            let candidates = (0..<Int64.random(in: 0...40, using: &generator)).map { id in
                Candidate(
                    id: id, program: .random(in: 0...4, using: &generator),
                    host: "h\(Int.random(in: 0...3, using: &generator))",
                    isDiscretionary: .random(using: &generator))
            }
            let admitted = policy.admit(candidates, running: [])
            #expect(Set(admitted.map(\.id)).count == admitted.count && admitted.count <= 8)
            #expect(admitted.count { $0.isDiscretionary } <= 2)
            let hostCounts = Dictionary(grouping: admitted, by: \.host).mapValues(\.count)
            #expect(hostCounts.values.allSatisfy { $0 <= 4 })
            guard admitted.count < 8 else { continue }
            let leftOver = candidates.filter { !admitted.contains($0) }
            let discretionaryCount = admitted.count { $0.isDiscretionary }
            #expect(
                leftOver.allSatisfy {
                    hostCounts[$0.host] == 4 || ($0.isDiscretionary && discretionaryCount == 2)
                })
        }
    }
}
