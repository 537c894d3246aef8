import BackgroundProtocol
import FoundationEssentials
import SystemCalls
import Testing

@testable import SwiftPlayBackground

@Suite struct BackgroundSessionTaskTests {
    @Test("a download that the service has refused has no resume data, whether it is cancelled before or afterwards")
    func aRefusedDownloadHasNoResumeData() throws {
        let link = try BackgroundLink(program: ProgramDescription(name: "test")) { _, _ in }
        let task = BackgroundDownloadTask(uuid: [], request: nil, snapshot: nil, link: link)
        let answers = Monitor<[Data?]>([])
        task.cancel(byProducingResumeData: { data in answers.withLock { $0.append(data) } })
        #expect(answers.withLock { $0.isEmpty })
        task.handleRefusal(BackgroundURLError(code: -1, "the disk is full"))
        #expect(answers.withLock { $0 } == [nil])
        task.cancel(byProducingResumeData: { data in answers.withLock { $0.append(data) } })
        #expect(answers.withLock { $0 } == [nil, nil])
    }

    @Test("a command that is given while the waiting commands are sent follows them")
    func commandsKeepTheirOrder() throws {
        // Each command of a closed connection fails at once.
        let link = try BackgroundLink(program: ProgramDescription(name: "test")) { _, _ in }
        link.close()
        let task = BackgroundDownloadTask(uuid: [], request: nil, snapshot: nil, link: link)
        let answers = Monitor<[Int]>([])
        task.cancel(byProducingResumeData: { _ in
            task.cancel(byProducingResumeData: { _ in answers.withLock { $0.append(3) } })
            answers.withLock { $0.append(1) }
        })
        task.cancel(byProducingResumeData: { _ in answers.withLock { $0.append(2) } })
        task.handleCreation(makeSnapshot(1))
        #expect(answers.withLock { $0 } == [1, 2, 3])
    }

    @Test("a download that the service has refused keeps its text, and has ended with the reason")
    func aRefusedDownloadHasEnded() throws {
        let link = try BackgroundLink(program: ProgramDescription(name: "test")) { _, _ in }
        let task = BackgroundDownloadTask(uuid: [], request: nil, snapshot: nil, description: "film", link: link)
        #expect(task.taskDescription == "film" && task.state == .suspended && task.error == nil)
        let refusal = BackgroundURLError(code: -1, "the disk is full")
        task.handleRefusal(refusal)
        #expect(task.taskDescription == "film" && task.state == .completed && task.error == refusal)
        #expect(task.stateDescription == "the disk is full")
    }
}
