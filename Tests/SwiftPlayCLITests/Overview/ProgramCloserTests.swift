import Testing

@testable import SwiftPlayCLI

@Suite struct ProgramCloserTests {
    private func outcome(_ processes: [(Int32, Bool)], hasQuit: Bool = false) -> ProgramCloser.Outcome {
        ProgramCloser.Outcome(processes: processes.map { ($0.0, $0.1) }, hasQuit: hasQuit)
    }

    @Test func theOutcomeListsProcessesAndTheBackgroundWork() {
        let outcome = outcome([(7, false), (8, true)], hasQuit: true)
        #expect(
            outcome.lines(about: "a") == [
                "7 has exited", "8 was killed", "a is not started in the background until you open it",
            ])
        #expect(!outcome.isEmpty)
    }

    @Test func anUnknownProgramHasAnEmptyOutcome() {
        #expect(outcome([]).isEmpty && outcome([]).lines(about: "a").isEmpty && !outcome([], hasQuit: true).isEmpty)
    }

    @Test func outcomesDifferInTheirProcesses() {
        #expect(outcome([(7, false)]) == outcome([(7, false)]) && outcome([(7, false)]) != outcome([(7, true)]))
    }
}
