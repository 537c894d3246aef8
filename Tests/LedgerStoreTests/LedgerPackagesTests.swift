import SystemCalls
import Testing

@testable import LedgerStore

@Suite struct LedgerPackagesTests {
    private let fixture: LedgerFixture
    private let task: TaskRow
    private var ledger: Ledger { fixture.ledger }

    init() throws {
        fixture = try LedgerFixture()
        task = try fixture.task()
        try fixture.ledger.create(
            PackageRow(task: task.id, preferences: [1, 2]),
            first: [row(0, .playlist, "a.source"), row(1, .playlist, "a.m3u8")])
    }

    private func row(_ number: Int64, _ kind: ResourceRow.Kind, _ name: String, start: Int64 = 0) -> ResourceRow {
        var row = ResourceRow(
            task: task.id, number: number, kind: kind, url: "https://example.org/\(name)", name: name)
        (row.plan, row.start, row.duration) = (number > 1 ? 1 : -1, start, kind == .media ? 4 : 0)
        return row
    }

    /// The names in the order in which they are received.
    private func order() throws -> [String] {
        var names: [String] = []
        while let resource = try ledger.nextResource(of: task.id) {
            names.append(resource.name)
            try ledger.finish(resource, length: 10)
        }
        return names
    }

    @Test func aPackageRoundTrips() throws {
        #expect(try ledger.package(of: task.id) == PackageRow(task: task.id, preferences: [1, 2]))
        let identity = FileIdentity(device: .max, inode: 3)
        try ledger.saveFolder(identity, of: task.id)
        #expect(try ledger.package(of: task.id)?.folder == identity)
    }

    @Test func aFileIsNoPackage() throws { #expect(try ledger.package(of: fixture.task(2).id) == nil) }

    @Test func playlistsComeFirstAndMediaInTheOrderOfTheirTimes() throws {
        try ledger.add([
            row(2, .playlist, "v.source"), row(3, .playlist, "v.m3u8"), row(4, .media, "v-0", start: 0),
            row(5, .media, "v-1", start: 4), row(6, .media, "a-0", start: 0), row(7, .media, "a-1", start: 4),
        ])
        #expect(
            try order() == ["a.source", "a.m3u8", "v.source", "v.m3u8", "v-0", "a-0", "v-1", "a-1"])
    }

    @Test func aResourceRoundTrips() throws {
        let resource = try #require(try ledger.nextResource(of: task.id))
        #expect(resource == row(0, .playlist, "a.source"))
        #expect(!resource.isPlan && row(1, .playlist, "a").isPlan && !row(5, .media, "a").isPlan)
    }

    @Test func aFinishedResourceHasNoPartFile() throws {
        try ledger.save(PartRow(task: task.id, name: ".a.part", identity: FileIdentity(device: 1, inode: 2)))
        let resource = try #require(try ledger.nextResource(of: task.id))
        try ledger.finish(resource, length: 7)
        #expect(try ledger.part(of: task.id) == nil)
        #expect(try ledger.nextResource(of: task.id)?.number == 1)
    }

    @Test func theSumsCountWhatHasArrived() throws {
        try ledger.add([row(2, .media, "v-0"), row(3, .media, "v-1", start: 4)])
        for _ in 0..<3 { try ledger.finish(try #require(try ledger.nextResource(of: task.id)), length: 10) }
        var sums = ResourceSums()
        (sums.count, sums.finishedCount, sums.duration, sums.finishedDuration, sums.bytes) = (4, 3, 8, 4, 30)
        #expect(try ledger.resourceSums(of: task.id) == sums)
        #expect(try ledger.resourceSums(of: 99) == ResourceSums())
    }

    @Test func theResourcesOfAnInterruptedPlanAreRemoved() throws {
        try ledger.add([row(2, .media, "v-0"), row(3, .media, "v-1")])
        try ledger.removeResources(ofPlan: 1, of: task.id)
        #expect(try ledger.lastResourceNumber(of: task.id) == 1)
        #expect(try order() == ["a.source", "a.m3u8"])
    }

    @Test func twoResourcesCannotHaveOneName() throws {
        let error = #expect(throws: DatabaseError.self) {
            try ledger.add([row(2, .media, "v-0"), row(3, .media, "v-0")])
        }
        #expect(error?.isConstraint == true)
        #expect(try ledger.lastResourceNumber(of: task.id) == 1)
    }

    @Test func theAddressOfAPlaylistBelongsToItsPlan() throws {
        try ledger.savePlanAddress("https://cdn.example/a.m3u8", ofPlaylist: 0, of: task.id)
        try ledger.finish(try #require(try ledger.nextResource(of: task.id)), length: 1)
        #expect(try ledger.nextResource(of: task.id)?.url == "https://cdn.example/a.m3u8")
    }

    @Test func namesAreListed() throws {
        #expect(try ledger.playlistNames(of: task.id) == ["a.source"])
        #expect(try Set(ledger.resourceNames(of: task.id)) == ["a.source", "a.m3u8"])
    }

    @Test func theHistoryHasNoAddressesOfResources() throws {
        try ledger.moveToHistory(task)
        #expect(try ledger.package(of: task.id) == nil)
        #expect(try ledger.resourceNames(of: task.id).isEmpty)
    }

    @Test func aDeliveredPackageIsFoundAfterACrashBeforeItsFilesWereRemoved() throws {
        try ledger.save(TaskRow.Progress(state: "delivered"), of: task.id)
        #expect(try ledger.tasksWithFiles(inState: "delivered").map(\.id) == [task.id])
    }

    @Test func aRecordOfTheFirstVersionGetsTheTablesOfPackages() throws {
        #expect(LedgerSchema.migrations.count >= 2)
        try fixture.reopen()
        #expect(try ledger.nextResource(of: task.id)?.name == "a.source")
    }
}
