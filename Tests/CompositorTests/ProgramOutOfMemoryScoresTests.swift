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
    private final class Process {
        let process: ChildProcess
        var value: String? {
            (try? ProcessHandle(process.pid))?.text(of: "oom_score_adj").map { String($0.dropLast()) }
        }

        init(start: Int = 0) throws {
            process = try ChildProcess("/bin/sh", ["-c", "echo \(start) > /proc/self/oom_score_adj; exec sleep 100"])
            let isSet = Deadline.poll(for: .seconds(5)) { value == "\(start)" ? true : nil }
            guard isSet == true else { throw TestFailure("oom_score_adj is \(value ?? "unknown")") }
        }
    }

    private func makeScores() -> ProgramOutOfMemoryScores {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return ProgramOutOfMemoryScores(logger: logger)
    }

    @Test("each role has its value, and the start value returns when the program disconnects")
    func valuesFollowTheRole() throws {
        let process = try Process(), scores = makeScores()
        for (role, isPerceived, expected) in [
            (.primary, true, "100"), (.secondary, true, "200"), (.secondary, false, "200"),
            (.backgroundMedia, true, "150"), (.backgroundMedia, false, "300"), (.none, false, "300"),
            (.primary, false, "100"),
        ] as [(ProgramRole, Bool, String)] {
            scores.update([.init(id: 1, role: role, isPerceived: isPerceived)]) { _ in
                try? ProcessHandle(process.process.pid)
            }
            #expect(process.value == expected, "\(role)")
        }
        scores.update([]) { _ in nil }
        #expect(process.value == "0")
    }

    @Test func theEndOfTheCompositorRestoresAllValues() throws {
        let processes = [try Process(), try Process(start: 120)], scores = makeScores()
        let programs = [1, 2].map { ProgramOutOfMemoryScores.Program(id: $0, role: .secondary, isPerceived: true) }
        scores.update(programs) { try? ProcessHandle(processes[Int($0) - 1].process.pid) }
        #expect(processes.map(\.value) == ["200", "200"])
        scores.restoreAll()
        #expect(processes.map(\.value) == ["0", "120"])
    }

    @Test("a larger start value is kept, and so is a negative one")
    func startValuesAreKept() {
        for role in ProgramRole.allCases {
            for isPerceived in [true, false] {
                #expect(OutOfMemoryScore.value(for: role, isPerceived: isPerceived, start: 900) == 900)
                #expect(OutOfMemoryScore.value(for: role, isPerceived: isPerceived, start: -500) == -500)
            }
        }
        #expect(OutOfMemoryScore.value(for: .primary, isPerceived: true, start: 120) == 120)
    }

    @Test func aProcessThatCannotBeIdentifiedIsLeftAlone() throws {
        let process = try Process(), scores = makeScores()
        var attempts = 0
        for _ in 0..<3 {
            scores.update([.init(id: 1, role: .secondary, isPerceived: true)]) { _ in
                attempts += 1
                return nil
            }
        }
        #expect(process.value == "0" && attempts == 1)
    }
}
