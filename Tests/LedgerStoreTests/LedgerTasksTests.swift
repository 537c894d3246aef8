import SystemCalls
import Testing

@testable import LedgerStore

@Suite struct LedgerTasksTests {
    private let fixture: LedgerFixture
    private var ledger: Ledger { fixture.ledger }

    init() throws { fixture = try LedgerFixture() }

    @Test func everyColumnOfATransferRoundTrips() throws {
        var row = fixture.row()
        row.request.method = "PUT"
        row.request.upload = "/tmp/film"
        row.request.hasSecret = true
        row.request.options = 5
        row.request.digest = [1, 0, 255]
        row.description = "Episode 1"
        row.priority = 0.75
        row.schedule.earliest = 77
        row.progress.stateNumber = 28
        (row.progress.ended, row.progress.bytes) = (6, 7)
        (row.progress.attempts, row.progress.fruitless, row.progress.faults) = (1, 2, 3)
        (row.progress.status, row.progress.detail) = (404, "not found")
        let stored = try ledger.create(row).task
        (row.id, row.number) = (stored.id, 1)
        #expect(try ledger.task(stored.id) == row)
    }

    @Test func aTransferOfAnOlderVersionHasNoDigest() throws {
        let stored = try ledger.create(fixture.row()).task
        try ledger.database.execute("ALTER TABLE task DROP COLUMN digest")
        try ledger.database.execute("PRAGMA user_version = 5")
        try fixture.reopen()
        #expect(try ledger.task(stored.id) == stored)
        #expect(stored.request.digest.isEmpty)
    }

    @Test func aRepeatedCreationReturnsTheFirstTransfer() throws {
        let first = try ledger.create(fixture.row())
        let second = try ledger.create(fixture.row())
        #expect(first.isNew && !second.isNew)
        #expect(second.task == first.task)
    }

    @Test func numbersOfASessionGrowByOne() throws {
        #expect(try [1, 2, 3].map { try fixture.task($0).number } == [1, 2, 3])
    }

    @Test func numbersAreNotUsedAgainAfterARepeatedCreation() throws {
        _ = try fixture.task(1)
        _ = try fixture.task(1)
        #expect(try fixture.task(2).number == 2)
    }

    @Test func aTransferOfAnUnknownSessionIsRefused() {
        var row = fixture.row()
        row.session = 99
        #expect(throws: DatabaseError.self) { try ledger.create(row) }
    }

    @Test func progressIsSaved() throws {
        let task = try fixture.task()
        var progress = TaskRow.Progress(state: "waiting:disk", stateNumber: 28)
        (progress.attempts, progress.status, progress.bytes) = (4, 200, 99)
        try ledger.save(progress, of: task.id)
        #expect(try ledger.task(task.id)?.progress == progress)
    }

    @Test func nameAndPriorityAreSaved() throws {
        let task = try fixture.task()
        try ledger.saveName("film (2).mkv", of: task.id)
        try ledger.savePriority(1, of: task.id)
        #expect(try ledger.task(task.id)?.destination.name == "film (2).mkv")
        #expect(try ledger.task(task.id)?.priority == 1)
    }

    @Test func transfersAreSelectedByState() throws {
        let queued = try fixture.task(1, state: "queued"), paused = try fixture.task(2, state: "paused")
        #expect(try ledger.tasks(inState: "queued").map(\.id) == [queued.id])
        #expect(try ledger.lastTasks(inState: "queued", session: queued.session, limit: 5).map(\.id) == [queued.id])
        #expect(try ledger.lastTasks(inState: "queued", session: queued.session + 1, limit: 5).isEmpty)
        #expect(try ledger.lastTasks(inState: "queued", session: nil, limit: 0).isEmpty)
        #expect(try ledger.tasks(notInState: "queued").map(\.id) == [paused.id])
    }

    @Test func theHistoryContainsNeitherQueryNorFragment() throws {
        let task = try fixture.task()
        try ledger.moveToHistory(task)
        #expect(try ledger.task(task.id)?.request.url == "https://example.org/film.mkv")
    }

    @Test func oldHistoryIsRemoved() throws {
        let old = try fixture.task(1), new = try fixture.task(2), running = try fixture.task(3)
        for (task, time) in [(old, 10), (new, 20)] as [(TaskRow, Int64)] {
            var progress = TaskRow.Progress(state: "delivered")
            progress.ended = time
            try ledger.save(progress, of: task.id)
        }
        #expect(try ledger.removeHistory(inState: "delivered", before: 15) == 1)
        #expect(try ledger.task(old.id) == nil)
        #expect(try ledger.task(new.id) != nil && ledger.task(running.id) != nil)
    }

    @Test func historyWithAnEventIsKept() throws {
        let task = try fixture.task()
        var progress = TaskRow.Progress(state: "delivered")
        progress.ended = 1
        try ledger.save(progress, of: task.id)
        try ledger.appendEvent(session: fixture.session, task: task.id, kind: 1)
        #expect(try ledger.removeHistory(inState: "delivered", before: 15) == 0)
    }

    @Test func everyColumnOfAPartRoundTrips() throws {
        let task = try fixture.task()
        var part = PartRow(task: task.id, name: ".film.part", identity: FileIdentity(device: 1, inode: .max))
        part.total = 1 << 40
        part.durable = PartRow.Durable(length: 9, boot: "boot", digest: .max)
        part.validators = PartRow.Validators(
            entityTag: "\"a\"", lastModified: "Mon", date: "Tue", mediaType: "video/mp4")
        part.isResumable = false
        try ledger.save(part)
        #expect(try ledger.part(of: task.id) == part)
    }

    @Test func unknownValuesOfAPartStayUnknown() throws {
        let task = try fixture.task()
        let part = PartRow(task: task.id, name: ".film.part", identity: FileIdentity(device: 1, inode: 2))
        try ledger.save(part)
        #expect(try ledger.part(of: task.id) == part)
    }

    @Test func aPartIsReplacedAndRemoved() throws {
        let task = try fixture.task()
        var part = PartRow(task: task.id, name: ".film.part", identity: FileIdentity(device: 1, inode: 2))
        try ledger.save(part)
        part.durable.length = 5
        try ledger.save(part)
        #expect(try ledger.part(of: task.id)?.durable.length == 5)
        try ledger.removePart(of: task.id)
        #expect(try ledger.part(of: task.id) == nil)
    }

    @Test func removingATransferRemovesItsPart() throws {
        let task = try fixture.task()
        try ledger.save(PartRow(task: task.id, name: ".p", identity: FileIdentity(device: 1, inode: 2)))
        var progress = TaskRow.Progress(state: "delivered")
        progress.ended = 1
        try ledger.save(progress, of: task.id)
        try ledger.removeHistory(inState: "delivered", before: 2)
        #expect(try ledger.part(of: task.id) == nil)
    }

    @Test func aTransactionSavesStateAndEventsTogether() throws {
        let task = try fixture.task()
        _ = try? ledger.transaction { () throws(DatabaseError) in
            try ledger.save(TaskRow.Progress(state: "finished"), of: task.id)
            try ledger.appendEvent(session: 99, task: task.id, kind: 1)
        }
        #expect(try ledger.task(task.id)?.progress.state == "created")
    }
}
