import BackgroundProtocol
import Glibc
import LedgerStore
import SystemCalls
import TestSupport
import Testing
import TransferPolicy

@testable import BackgroundService

/// Starts of the service after a crash at any step of the download of a stream.
@Suite struct PackageRecoveryTests {
    private let fixture: ServiceFixture

    init() throws { fixture = try ServiceFixture() }

    /// The only transfer.
    private func transfer() throws -> Transfer { try #require(fixture.transfers.transfers.values.first) }

    /// Restarts the service and continues.
    private func restart() throws {
        try fixture.restart()
        _ = fixture.transfers.schedule()
    }

    @Test func aPackageContinuesWithTheBytesOfItsSegment() throws {
        _ = try fixture.startPackage()
        fixture.receive()
        fixture.plan(ServiceFixture.segments)
        fixture.respond(total: 4)
        fixture.engine.write("fi")
        try restart()
        #expect(fixture.engine.orders.last?.request.address == "https://example.org/1")
        #expect(fixture.engine.orders.last?.held.length == 2)
        fixture.respond(.rest, total: 4)
        fixture.engine.write("lm")
        fixture.engine.onEvent(.finished(transfer: fixture.run, length: 4, status: 206))
        _ = fixture.transfers.schedule()
        fixture.receive()
        #expect(fixture.names() == ["master.m3u8", "media-0.ts", "media-1.ts"])
        #expect(try fixture.scratch.text("film/media-0.ts") == "film")
    }

    @Test func anInterruptedPlanIsRepeatedWithoutItsOldResources() throws {
        _ = try fixture.startPackage()
        fixture.receive()
        fixture.engine.onEvent(.planned(transfer: fixture.plans[0].transfer, ServiceFixture.segments))
        try restart()
        #expect(fixture.plans.count == 1)
        fixture.plan([ServiceFixture.segments[1]])
        #expect(fixture.engine.orders.last?.request.address == "https://cdn.example/2")
        fixture.receive()
        #expect(fixture.names() == ["master.m3u8", "media-1.ts"])
    }

    @Test func aSegmentThatWasRenamedJustBeforeTheCrashIsNotRequestedAgain() throws {
        let transfer = try fixture.startPackage()
        fixture.receive()
        fixture.plan(ServiceFixture.segments)
        let resource = try #require(transfer.package?.resource)
        fixture.receive("one")
        // The state before the last transactions: the file has its final name, and its row does not say so.
        let file = try DirectoryDescriptor(opening: fixture.scratch.path + "/film").open("media-0.ts", flags: O_RDONLY)
        var part = PartRow(task: transfer.row.id, name: ".media-0.ts.00000001.part", identity: try file.identity())
        part.total = 3
        let digest = TailDigest.value(of: file, length: 3)
        part.durable = PartRow.Durable(length: 3, boot: "boot", digest: try #require(digest))
        let ledger = fixture.sessions.ledger
        try ledger.removeResources(ofPlan: 1, of: transfer.row.id)
        var second = try #require(transfer.package?.resource)
        (second.plan, second.number) = (1, 3)
        try ledger.add([resource, second])
        try ledger.save(part)
        try ledger.save(TaskRow.Progress(state: "finishing"), of: transfer.row.id)
        try restart()
        #expect(fixture.engine.orders.last?.request.address == "https://cdn.example/2")
        #expect(try self.transfer().package?.sums.bytes == 4 + 8 + 3)
    }

    @Test func aPackageWhoseResourcesHaveArrivedIsCompletedAfterACrash() throws {
        let transfer = try fixture.startPackage()
        fixture.receive()
        fixture.plan([ServiceFixture.segments[0]])
        let resource = try #require(transfer.package?.resource)
        // The crash came after the last resource was recorded, and before the playlist got its final name.
        try fixture.sessions.ledger.finish(resource, length: 4)
        try restart()
        #expect(fixture.names().contains("master.m3u8") && !fixture.names().contains("incomplete.m3u8"))
        #expect(try fixture.sessions.ledger.tasks(inState: "delivered").count == 1)
    }

    @Test func aFolderThatWasCreatedJustBeforeTheCrashIsUsed() throws {
        let transfer = try fixture.create("film/master.m3u8") { $0.stream = StreamPreferences() }
        var progress = transfer.row.progress
        (progress.state, progress.attempts) = ("queued", 1)
        try fixture.sessions.ledger.save(progress, of: transfer.row.id)
        try DirectoryDescriptor(opening: fixture.scratch.path).createDirectory("film")
        try restart()
        #expect(fixture.files == ["film"] && fixture.names().count == 1)
    }

    @Test func aFolderOfTheUserIsNotUsed() throws {
        try DirectoryDescriptor(opening: fixture.scratch.path).createDirectory("film")
        _ = try fixture.startPackage()
        #expect(fixture.files == ["film", "film (2)"] && fixture.names().isEmpty)
    }

    @Test func aCancelledPackageIsRemovedAfterACrash() throws {
        let transfer = try fixture.startPackage()
        fixture.receive()
        fixture.plan(ServiceFixture.segments)
        fixture.receive()
        try fixture.sessions.ledger.save(TaskRow.Progress(state: "delivered"), of: transfer.row.id)
        try restart()
        #expect(!fixture.names().contains("media-0.ts"))
        #expect(try fixture.sessions.ledger.package(of: transfer.row.id) == nil)
    }

    @Test func aSuspendedPackageContinuesWithTheSameResource() throws {
        let transfer = try fixture.startPackage()
        fixture.receive()
        fixture.plan(ServiceFixture.segments)
        fixture.transfers.handle(.suspend, of: transfer)
        fixture.engine.onEvent(.stopped(transfer: fixture.run, durableLength: 0))
        try restart()
        #expect(try self.transfer().machine.state == .paused && fixture.engine.commands.isEmpty)
        fixture.transfers.handle(.resume, of: try self.transfer())
        _ = fixture.transfers.schedule()
        #expect(fixture.engine.orders.last?.request.address == "https://example.org/1")
    }

    @Test func anExitOfTheEngineRepeatsOnlyTheCurrentResource() throws {
        _ = try fixture.startPackage()
        fixture.receive()
        fixture.plan(ServiceFixture.segments)
        fixture.receive()
        fixture.engine.onExit()
        _ = fixture.transfers.schedule()
        #expect(
            fixture.engine.orders.suffix(2).map(\.request.address) == [
                "https://cdn.example/2", "https://cdn.example/2",
            ])
    }

    @Test func aPartFileWithoutARowIsReplaced() throws {
        let transfer = try fixture.startPackage()
        fixture.receive()
        fixture.plan(ServiceFixture.segments)
        let ledger = fixture.sessions.ledger
        try ledger.removePart(of: transfer.row.id)
        try restart()
        fixture.receive()
        fixture.receive()
        #expect(fixture.names() == ["master.m3u8", "media-0.ts", "media-1.ts"])
    }
}
