import BackgroundProtocol
import Glibc
import LedgerStore
import SystemCalls
import TestSupport
import Testing
import TransferPolicy

@testable import BackgroundService

/// Downloads of streams with an engine of the test.
@Suite struct PackageTransferTests {
    private let fixture: ServiceFixture

    init() throws { fixture = try ServiceFixture() }

    @Test func aStreamIsReceivedPlannedAndComplete() throws {
        let transfer = try fixture.startPackage()
        #expect(fixture.engine.orders.last?.request.address == ServiceFixture.stream)
        #expect(fixture.engine.orders.last?.limits.contentLength == PackageFiles.playlistLimit)
        fixture.receive("#EXTM3U")
        #expect(fixture.plans.count == 1 && fixture.plans[0].prefix == nil)
        fixture.plan(ServiceFixture.segments)
        #expect(fixture.names().contains("incomplete.m3u8"))
        fixture.receive("one")
        #expect(fixture.engine.orders.last?.request.address == "https://cdn.example/2")
        fixture.receive("two")
        #expect(transfer.machine.state == .delivered)
        #expect(fixture.names() == ["master.m3u8", "media-0.ts", "media-1.ts"])
        #expect(try fixture.scratch.text("film/media-1.ts") == "two")
    }

    @Test func thePlanGetsTheAddressAfterRedirects() throws {
        _ = try fixture.startPackage()
        fixture.receive("#EXTM3U", address: "https://cdn.example/x/master.m3u8")
        #expect(fixture.plans.last?.address == "https://cdn.example/x/master.m3u8")
    }

    @Test func playlistsArePlannedBeforeSegments() throws {
        _ = try fixture.startPackage()
        fixture.receive()
        fixture.plan([
            PlannedResource(isPlaylist: true, address: "https://example.org/v", name: "video.m3u8"),
            PlannedResource(isPlaylist: true, address: "https://example.org/a", name: "audio-1.m3u8"),
        ])
        fixture.receive(address: "https://example.org/v")
        #expect(fixture.plans.last?.prefix == "video" && fixture.plans.last?.isMain == true)
        fixture.plan([ServiceFixture.segments[0]])
        #expect(fixture.engine.orders.last?.request.address == "https://example.org/a")
        fixture.receive(address: "https://example.org/a")
        #expect(fixture.plans.last?.prefix == "audio-1" && fixture.plans.last?.isMain == false)
    }

    @Test func theProgressIsThatOfTheDuration() throws {
        let transfer = try fixture.startPackage()
        fixture.receive()
        fixture.plan(ServiceFixture.segments)
        fixture.receive("12345")
        let snapshot = transfer.snapshot(now: .zero)
        #expect(
            snapshot.package
                == PackageProgress(loaded: 4_000_000_000, total: 6_000_000_000, finishedParts: 3, parts: 4))
        #expect(snapshot.bytes.done == 4 + 8 + 5 && snapshot.bytes.total == nil)
        #expect(
            snapshot.file.name == "film"
                && snapshot.file.directory == fixture.transfers.sortedTransfers[0].row.destination.directory)
    }

    @Test(arguments: [
        ("https://user:password@example.org/1", "a.ts"), ("http://example.org/1", "a.ts"),
        ("ftp://example.org/1", "a.ts"),
        ("https://example.org/1", "incomplete.m3u8"),
    ])
    func forbiddenAddressesAndNamesEndTheDownload(_ address: String, _ name: String) throws {
        let transfer = try fixture.startPackage()
        fixture.receive()
        fixture.plan([PlannedResource(isPlaylist: false, address: address, name: name)])
        #expect(transfer.row.progress.stateNumber == Int64(TaskSnapshot.Phase.failed.rawValue))
        #expect(fixture.engine.commands.contains { if case .stop = $0 { true } else { false } })
        #expect(fixture.files.isEmpty)
    }

    @Test func onlyTheFirstPlaylistMayListPlaylists() throws {
        let transfer = try fixture.startPackage()
        let playlist = PlannedResource(isPlaylist: true, address: "https://example.org/v", name: "video.m3u8")
        fixture.receive()
        fixture.plan([playlist])
        fixture.receive()
        fixture.plan([PlannedResource(isPlaylist: true, address: "https://example.org/w", name: "w.m3u8")])
        #expect(transfer.machine.state == .delivered)
        #expect(transfer.row.progress.detail == "the stream refers to an address that is not permitted")
    }

    @Test func anUnsupportedStreamFailsWithTheReasonOfTheEngine() throws {
        let transfer = try fixture.startPackage()
        fixture.receive()
        fixture.engine.onEvent(
            .failed(
                transfer: try #require(fixture.plans.last).transfer,
                EngineFailure(.unsupportedStream, "the stream is live")))
        #expect(transfer.snapshot(now: .zero).activity.text == "failed: the stream is live")
        #expect(fixture.files.isEmpty)
    }

    @Test func secretsAreSentOnlyToTheHostOfTheStream() throws {
        _ = try fixture.startPackage {
            $0.request.fields = [HeaderField("X-Key", "1", isSecret: true), HeaderField("Accept", "*/*")]
        }
        fixture.receive()
        fixture.plan(ServiceFixture.segments)
        #expect(fixture.engine.orders.last?.request.fields.map(\.name) == ["X-Key", "Accept"])
        fixture.receive()
        #expect(fixture.engine.orders.last?.request.fields.map(\.name) == ["Accept"])
    }

    @Test func aMissingSegmentIsRequestedAgainFromItsStart() throws {
        let transfer = try fixture.startPackage()
        fixture.receive()
        fixture.plan(ServiceFixture.segments)
        for attempt in 1...4 {
            fixture.respond(.errorPageInPart, total: 4, status: 404)
            fixture.engine.write("gone")
            fixture.engine.onEvent(.finished(transfer: fixture.run, length: 4, status: 404))
            guard case .waiting(.retry) = transfer.machine.state else {
                throw TestFailure("\(attempt): \(transfer.machine.state)")
            }
            fixture.transfers.handle(.waitEnded, of: transfer)
            _ = fixture.transfers.schedule()
            #expect(fixture.engine.orders.last?.held == HeldContent())
        }
        fixture.respond(.errorPageInPart, total: 4, status: 404)
        fixture.engine.onEvent(.finished(transfer: fixture.run, length: 4, status: 404))
        #expect(transfer.machine.state == .delivered)
        #expect(transfer.row.progress.detail.contains("status 404 for the part media-0.ts"))
        #expect(fixture.files.isEmpty)
    }

    @Test func aCancelledPackageLeavesFilesOfTheUser() throws {
        let transfer = try fixture.startPackage()
        fixture.receive()
        fixture.plan(ServiceFixture.segments)
        fixture.receive()
        _ = try DirectoryDescriptor(opening: fixture.scratch.path + "/film").create("notes.txt")
        fixture.transfers.handle(.cancel, of: transfer)
        fixture.engine.onEvent(.stopped(transfer: fixture.run, durableLength: 0))
        #expect(fixture.names() == ["notes.txt"])
    }

    @Test func aRemovedFolderEndsTheDownload() throws {
        let transfer = try fixture.startPackage()
        fixture.receive()
        fixture.plan(ServiceFixture.segments)
        #expect(rename(fixture.scratch.file("film"), fixture.scratch.file("moved")) == 0)
        fixture.receive()
        #expect(transfer.row.progress.detail == TransferFailure.directoryChanged.text)
        #expect(fixture.names("moved").contains("media-0.ts") == false)
    }

    @Test func oneResourceIsReceivedAtATime() throws {
        _ = try fixture.startPackage()
        fixture.receive()
        fixture.plan(
            (0..<500).map {
                PlannedResource(isPlaylist: false, address: "https://example.org/\($0)", name: "media-\($0).ts")
            })
        _ = fixture.transfers.schedule()
        #expect(fixture.transfers.runs.count == 1 && fixture.transfers.transfers.count == 1)
    }

    @Test func aMissingRestKeepsTheReceivedBytesAndNoErrorPage() throws {
        let transfer = try fixture.startPackage()
        fixture.receive()
        fixture.plan(ServiceFixture.segments)
        fixture.respond(total: 4)
        fixture.engine.write("fi")
        fixture.engine.onEvent(
            .failed(transfer: fixture.run, EngineFailure(.network, "the connection ended", durableLength: 2)))
        fixture.transfers.handle(.waitEnded, of: transfer)
        _ = fixture.transfers.schedule()
        fixture.respond(.errorPage, total: 4, status: 404)
        fixture.engine.onEvent(.finished(transfer: fixture.run, length: 4, status: 404))
        #expect(!fixture.names().contains { $0.contains("error-page") })
        fixture.transfers.handle(.waitEnded, of: transfer)
        _ = fixture.transfers.schedule()
        #expect(fixture.engine.orders.last?.held.length == 2)
    }
}
