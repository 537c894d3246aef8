import Testing

@testable import SwiftPlayBackground

@Suite struct SessionTasksTests {
    private final class Transfer {}

    @Test func aTransferOfAnEarlierRunIsFoundWhileTheCreationOfAnotherOneIsNotAnswered() {
        var tasks = SessionTasks<Transfer>()
        let new = Transfer(), earlier = Transfer()
        tasks.add(new)
        #expect(tasks.task(id: 1) { earlier } === earlier)
        #expect(tasks.all.map(ObjectIdentifier.init) == [earlier, new].map(ObjectIdentifier.init))
        tasks.store(new, id: 2)
        #expect(tasks.all.map(ObjectIdentifier.init) == [earlier, new].map(ObjectIdentifier.init))
    }

    @Test func reportsOfOneTransferShareAnObject() {
        var tasks = SessionTasks<Transfer>()
        let first = tasks.task(id: 1) { Transfer() }
        #expect(tasks.task(id: 1) { Transfer() } === first && tasks[1] === first)
    }

    @Test func theAnswerToACreationReplacesTheObjectOfAReport() {
        var tasks = SessionTasks<Transfer>()
        let new = Transfer()
        tasks.add(new)
        _ = tasks.task(id: 1) { Transfer() }
        tasks.store(new, id: 1)
        #expect(tasks[1] === new && tasks.all.count == 1 && tasks.unanswered.isEmpty)
    }

    @Test func refusedAndEndedTransfersAreForgotten() {
        var tasks = SessionTasks<Transfer>()
        let refused = Transfer(), ended = Transfer()
        tasks.add(refused)
        tasks.add(ended)
        tasks.remove(refused)
        tasks.store(ended, id: 3)
        tasks.remove(id: 3)
        #expect(tasks.all.isEmpty && tasks[3] == nil)
    }
}
