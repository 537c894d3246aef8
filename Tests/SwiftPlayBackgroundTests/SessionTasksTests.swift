import BackgroundProtocol
import TestSupport
import Testing

@testable import SwiftPlayBackground

@Suite struct SessionTasksTests {
    /// A link that is never connected.
    private let link: BackgroundLink

    init() throws { link = try BackgroundLink(program: ProgramDescription(name: "org.test")) { _, _ in } }

    private func makeTask() -> BackgroundDownloadTask {
        BackgroundDownloadTask(uuid: [], request: nil, snapshot: nil, link: link)
    }

    private func report(_ id: Int64) -> TaskSnapshot {
        TaskSnapshot(
            id: id, session: 1, number: id, program: "org.test", identifier: "session", address: "http://test/\(id)",
            description: "", activity: TaskSnapshot.Activity(.suspended, "suspended"),
            file: TaskSnapshot.File(directory: "/", name: "\(id)", isKept: false), bytes: TaskSnapshot.Bytes())
    }

    @Test func aTransferOfAnEarlierRunIsFoundWhileTheCreationOfAnotherOneIsNotAnswered() {
        var tasks = SessionTasks()
        let new = makeTask(), earlier = makeTask()
        tasks.add(new)
        #expect(tasks.task(for: report(1)) { earlier } === earlier)
        #expect(tasks.all.map(ObjectIdentifier.init) == [earlier, new].map(ObjectIdentifier.init))
        tasks.store(new, id: 2)
        #expect(tasks.all.map(ObjectIdentifier.init) == [earlier, new].map(ObjectIdentifier.init))
    }

    @Test func reportsOfOneTransferShareAnObject() {
        var tasks = SessionTasks()
        let first = tasks.task(for: report(1)) { makeTask() }
        #expect(tasks.task(for: report(1)) { makeTask() } === first && tasks[1] === first)
    }

    @Test func theAnswerToACreationReplacesTheObjectOfAReport() {
        var tasks = SessionTasks()
        let new = makeTask()
        tasks.add(new)
        _ = tasks.task(for: report(1)) { makeTask() }
        tasks.store(new, id: 1)
        #expect(tasks[1] === new && tasks.all.count == 1 && tasks.unanswered.isEmpty)
    }

    @Test func refusedAndEndedTransfersAreForgotten() {
        var tasks = SessionTasks()
        let refused = makeTask(), ended = makeTask()
        tasks.add(refused)
        tasks.add(ended)
        tasks.remove(refused)
        tasks.store(ended, id: 3)
        tasks.remove(id: 3)
        #expect(tasks.all.isEmpty && tasks[3] == nil)
    }
}
