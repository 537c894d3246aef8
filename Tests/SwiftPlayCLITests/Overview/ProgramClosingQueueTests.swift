import SwiftPlay
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlayCLI

@Suite struct ProgramClosingQueueTests {
    /// The programs that were ended, and whether the end of a program may go on.
    private struct Record: Sendable {
        var programs: [String] = []
        var isOpen = true
    }

    private let record = Monitor(Record())

    /// Returns a queue whose programs end at once, or when the record is open.
    private func queue() throws -> ProgramClosingQueue {
        try ProgramClosingQueue { [record] program throws(SystemControl.Failure) in
            record.update { $0.programs.append(program) }
            _ = record.wait(until: MonotonicTime.now + 20_000_000_000) { $0.isOpen ? true : nil }
            if program == "unknown" { throw SystemControl.Failure(description: "no compositor") }
            var outcome = ProgramCloser.Outcome()
            outcome.processes = [(7, program == "hanging")]
            return outcome
        }
    }

    /// Waits for some results.
    private func results(_ count: Int, of queue: ProgramClosingQueue) throws -> [ProgramClosingQueue.Result] {
        var results: [ProgramClosingQueue.Result] = []
        while results.count < count {
            guard try Poll.waitReadable(queue.eventDescriptor.raw, until: MonotonicTime.now + 20_000_000_000) else {
                throw TestFailure("only \(results.count) results")
            }
            results += queue.takeResults()
        }
        return results
    }

    @Test func programsEndOneAfterTheOther() throws {
        let queue = try queue()
        for program in ["a", "hanging"] { queue.close(program) }
        let results = try results(2, of: queue)
        #expect(results.map(\.program) == ["a", "hanging"] && queue.programs.isEmpty)
        #expect(results.map(\.text) == ["7 has exited", "7 was killed"])
        queue.end()
    }

    @Test func aProgramThatIsBeingEndedIsNotEndedAgain() throws {
        record.update { $0.isOpen = false }
        let queue = try queue()
        for program in ["a", "b", "a", "b"] { queue.close(program) }
        #expect(queue.programs == ["a", "b"])
        record.update { $0.isOpen = true }
        _ = try results(2, of: queue)
        #expect(record.withLock { $0.programs } == ["a", "b"])
        queue.end()
    }

    @Test func aFailureIsReportedWithItsReason() throws {
        let queue = try queue()
        queue.close("unknown")
        let result = try #require(try results(1, of: queue).first)
        #expect(result.text == "no compositor")
        queue.end()
    }

    @Test func waitingProgramsAreNotEndedAfterTheEnd() throws {
        record.update { $0.isOpen = false }
        let queue = try queue()
        for program in ["a", "b"] { queue.close(program) }
        _ = record.wait(until: MonotonicTime.now + 20_000_000_000) { $0.programs.isEmpty ? nil : true }
        let opener = try NamedThread("opener") { [record] in record.update { $0.isOpen = true } }
        queue.end()
        opener.join()
        queue.close("c")
        #expect(record.withLock { $0.programs.contains("c") } == false && queue.programs.isEmpty)
    }
}
