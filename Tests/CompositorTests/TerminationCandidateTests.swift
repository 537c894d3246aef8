import CompositorProtocol
import TestSupport
import Testing

@testable import Compositor

@Suite struct TerminationCandidateTests {
    /// Returns a program that is over its budget by `budgetExcess` MiB.
    private func program(
        _ id: UInt64, _ role: ProgramRole, _ budgetExcess: Int64, isAudible: Bool = false, isFloating: Bool = false,
        isRecording: Bool = false
    ) -> TerminationCandidate {
        TerminationCandidate(
            id: id, role: role, isAudible: isAudible, isFloating: isFloating, isRecording: isRecording,
            budgetExcess: budgetExcess << 20)
    }

    @Test("the order is idle, silent secondary, unperceived background, audible secondary, background, primary")
    func leastImportantProgramIsChosen() {
        // Each program is further over its budget than the programs before it in the list.
        let candidates = [
            program(1, .none, 1), program(2, .secondary, 2), program(3, .backgroundMedia, 3),
            program(4, .secondary, 4, isAudible: true), program(5, .backgroundMedia, 5, isFloating: true),
            program(6, .primary, 6, isAudible: true),
        ]
        for firstIndex in candidates.indices {
            let choice = TerminationCandidate.choice(among: candidates[firstIndex...].reversed())
            #expect(choice?.id == candidates[firstIndex].id)
        }
        #expect(TerminationCandidate.choice(among: []) == nil)
    }

    @Test func programFurthestOverItsBudgetIsChosenAmongEquals() {
        let programs = [program(1, .secondary, 5), program(2, .secondary, 90), program(3, .secondary, 40)]
        #expect(TerminationCandidate.choice(among: programs)?.id == 2)
    }

    @Test("a program within its budget is not chosen, whatever its role")
    func programsWithinTheirBudgetAreKept() {
        #expect(TerminationCandidate.choice(among: [program(1, .none, 0), program(2, .primary, -5)]) == nil)
        #expect(TerminationCandidate.choice(among: [program(1, .none, -1), program(2, .secondary, 3)])?.id == 2)
    }

    @Test func recordingProgramIsNeverChosen() {
        #expect(TerminationCandidate.choice(among: [program(1, .none, 90, isRecording: true)]) == nil)
    }

    @Test("in random tables, the primary program is chosen only if no other one is over its budget")
    func primaryProgramIsChosenLast() {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<5000 {
            let programs = (0..<Int.random(in: 0..<6, using: &generator)).map { id in
                program(
                    UInt64(id), ProgramRole.allCases[Int.random(in: 0..<4, using: &generator)],
                    Int64(Int.random(in: 0..<40, using: &generator)) - 20,
                    isAudible: Int.random(in: 0..<2, using: &generator) == 0,
                    isFloating: Int.random(in: 0..<2, using: &generator) == 0,
                    isRecording: Int.random(in: 0..<5, using: &generator) == 0)
            }
            let eligible = programs.filter { $0.budgetExcess > 0 && !$0.isRecording }
            let choice = TerminationCandidate.choice(among: programs)
            #expect((choice == nil) == eligible.isEmpty)
            guard let choice else { continue }
            #expect(eligible.contains(choice))
            if choice.role == .primary { #expect(eligible.allSatisfy { $0.role == .primary }) }
            #expect(TerminationCandidate.choice(among: programs.shuffled(using: &generator)) == choice)
        }
    }
}
