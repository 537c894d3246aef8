import CompositorProtocol
import Glibc
import Logging
import SystemCalls
import TestSupport
import Testing

@testable import Compositor

/// Tests the `oom_score_adj` of real child processes.
@Suite struct ProgramOutOfMemoryScoresTests {
    /// A process and its `oom_score_adj`.
    private final class ScoredProcess {
        let process: ChildProcess
        var score: String? {
            (try? ProcessHandle(process.pid))?.text(of: "oom_score_adj").map { String($0.dropLast()) }
        }

        init(initialValue: Int = 0) throws {
            process = try ChildProcess(
                "/bin/sh", ["-c", "echo \(initialValue) > /proc/self/oom_score_adj; exec sleep 100"])
            // The value may be the default, so it does not show that the shell has set it: wait for `sleep`.
            let isSet = Deadline.poll(for: .seconds(5)) {
                let name = (try? ProcessHandle(process.pid))?.text(of: "comm")
                return name == "sleep\n" && score == "\(initialValue)" ? true : nil
            }
            guard isSet == true else { throw TestFailure("oom_score_adj is \(score ?? "unknown")") }
        }
    }

    private func makeScores() -> ProgramOutOfMemoryScores {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return ProgramOutOfMemoryScores(logger: logger)
    }

    @Test("each role has its value, and the initial value returns when the program disconnects")
    func scoreDependsOnTheRoleAndIsRestored() throws {
        let process = try ScoredProcess(), scores = makeScores()
        for (role, isPerceived, expected) in [
            (.primary, true, "100"), (.secondary, true, "200"), (.secondary, false, "200"),
            (.backgroundMedia, true, "150"), (.backgroundMedia, false, "300"), (.none, false, "300"),
            (.primary, false, "100"),
        ] as [(ProgramRole, Bool, String)] {
            scores.update([.init(id: 1, role: role, isPerceived: isPerceived)]) { _ in
                try? ProcessHandle(process.process.pid)
            }
            #expect(process.score == expected, "\(role)")
        }
        scores.update([]) { _ in nil }
        #expect(process.score == "0")
    }

    @Test func restoringAllRestoresTheInitialValues() throws {
        let processes = [try ScoredProcess(), try ScoredProcess(initialValue: 120)], scores = makeScores()
        let programs = [1, 2].map { ProgramOutOfMemoryScores.Program(id: $0, role: .secondary, isPerceived: true) }
        scores.update(programs) { try? ProcessHandle(processes[Int($0) - 1].process.pid) }
        #expect(processes.map(\.score) == ["200", "200"])
        scores.restoreAll()
        #expect(processes.map(\.score) == ["0", "120"])
    }

    @Test("larger and negative initial values are kept")
    func largerAndNegativeInitialValuesAreKept() {
        for role in ProgramRole.allCases {
            for isPerceived in [true, false] {
                #expect(OutOfMemoryScore.value(for: role, isPerceived: isPerceived, initialValue: 900) == 900)
                #expect(OutOfMemoryScore.value(for: role, isPerceived: isPerceived, initialValue: -500) == -500)
            }
        }
        #expect(OutOfMemoryScore.value(for: .primary, isPerceived: true, initialValue: 120) == 120)
    }

    @Test func unidentifiedProcessIsNotChanged() throws {
        let process = try ScoredProcess(), scores = makeScores()
        var attemptCount = 0
        for _ in 0..<3 {
            scores.update([.init(id: 1, role: .secondary, isPerceived: true)]) { _ in
                attemptCount += 1
                return nil
            }
        }
        #expect(process.score == "0" && attemptCount == 1)
    }
}
